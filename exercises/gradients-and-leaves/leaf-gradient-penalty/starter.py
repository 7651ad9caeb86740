import torch


def critic(w: torch.Tensor, v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.tanh(x @ w) @ v


def penalty(w: torch.Tensor, v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    x = x.detach().requires_grad_()
    scores = critic(w, v, x)
    # The slopes of the scores, one for each row of x, and the penalty made of them.
    return scores.mean()


if __name__ == "__main__":
    torch.manual_seed(0)
    w, v = torch.randn(2, 3, requires_grad=True), torch.randn(3, requires_grad=True)
    result = penalty(w, v, torch.randn(4, 2))
    result.backward()
    print(result, w.grad, v.grad)
