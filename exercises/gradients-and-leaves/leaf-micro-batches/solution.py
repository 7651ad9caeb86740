import torch


def accumulate(
    w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, size: int
) -> tuple[torch.Tensor, list[float]]:
    losses = []
    for rows, targets in zip(x.split(size), y.split(size), strict=True):
        errors = (rows @ w - targets) ** 2
        (errors.sum() / len(x)).backward()
        losses.append(errors.mean().item())
    return w.grad, losses
