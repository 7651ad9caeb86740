import torch


def gradient_norms(x: torch.Tensor, *weights: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    norms = x.new_zeros(len(weights))
    h = x
    for at, w in enumerate(weights):
        h = torch.tanh(w @ h)
        # Have the norm of the gradient written into norms[at] when it arrives at this h.
    (h**2).sum().backward()
    return norms, [w.grad for w in weights]


if __name__ == "__main__":
    torch.manual_seed(0)
    weights = [torch.randn(4, 4, requires_grad=True) for _ in range(3)]
    print(gradient_norms(torch.ones(4), *weights)[0])
