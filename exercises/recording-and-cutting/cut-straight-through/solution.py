import torch


def quantize(x: torch.Tensor, levels: int) -> torch.Tensor:
    """x clamped to [-1, 1] and rounded to multiples of 1/levels; backwards, as if only clamped."""
    inside = x.clamp(-1, 1)
    rounded = (inside * levels).round() / levels
    return inside + (rounded - inside).detach()


def quantized_loss(x: torch.Tensor, target: torch.Tensor, levels: int) -> torch.Tensor:
    return (quantize(x, levels) - target).square().mean()


if __name__ == "__main__":
    x = torch.tensor([-1.7, -0.3, 0.2, 0.9], requires_grad=True)
    y = quantize(x, 4)
    y.sum().backward()
    print("values", y.tolist())
    print("gradient", x.grad.tolist())
