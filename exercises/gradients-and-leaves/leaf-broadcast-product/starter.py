import torch


def fold(gradient: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    # Sum over the dimensions along which a tensor of this shape was repeated.
    return gradient


def product_gradients(
    a: torch.Tensor, b: torch.Tensor, upstream: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    return fold(upstream * b, tuple(a.shape)), fold(upstream * a, tuple(b.shape))


if __name__ == "__main__":
    a, b = torch.ones(2, 1), torch.tensor([1.0, 2.0, 3.0])
    for name, tensor, gradient in zip("ab", (a, b), product_gradients(a, b, torch.ones(2, 3))):
        print(name, tuple(tensor.shape), "its gradient:", tuple(gradient.shape))
