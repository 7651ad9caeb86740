import torch


def fold(gradient: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    for _ in range(gradient.dim() - len(shape)):
        gradient = gradient.sum(dim=0)
    for dim, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(dim=dim, keepdim=True)
    return gradient


def product_gradients(
    a: torch.Tensor, b: torch.Tensor, upstream: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    return fold(upstream * b, tuple(a.shape)), fold(upstream * a, tuple(b.shape))
