import torch
from torch.func import grad, vmap


def sample_loss(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The loss of one example. w, x: (features,). y: ()."""
    return (x @ w - y) ** 2


def per_sample_gradients(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x: (batch, features), y: (batch,). Returns: (batch, features)."""
    return vmap(grad(sample_loss), in_dims=(None, 0, 0))(w, x, y)


def clipped_mean(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, limit: float) -> torch.Tensor:
    """The mean of the rows, none of them longer than limit."""
    rows = per_sample_gradients(w, x, y)
    norms = rows.norm(dim=1, keepdim=True)
    return (rows * (limit / norms).clamp(max=1)).mean(dim=0)


if __name__ == "__main__":
    w, x, y = torch.tensor([1.0, -1.0]), torch.tensor([[1.0, 0.0], [2.0, 1.0]]), torch.zeros(2)
    print(per_sample_gradients(w, x, y))
