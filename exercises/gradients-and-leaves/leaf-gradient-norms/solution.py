import torch


def gradient_norms(x: torch.Tensor, *weights: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    norms = x.new_zeros(len(weights))
    h = x
    for at, w in enumerate(weights):
        h = torch.tanh(w @ h)

        def record(gradient: torch.Tensor, at: int = at) -> None:
            norms[at] = gradient.norm()

        h.register_hook(record)
    (h**2).sum().backward()
    return norms, [w.grad for w in weights]
