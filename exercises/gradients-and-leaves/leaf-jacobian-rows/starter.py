import torch


def layer(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.tanh(w @ x)


def vector_jacobian(x: torch.Tensor, w: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    x = x.detach().requires_grad_()
    y = layer(x, w)
    y.backward()  # PyTorch refuses this. What does it not know?
    return x.grad


def jacobian(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    # One row for each output.
    return torch.zeros_like(w)


if __name__ == "__main__":
    w = torch.tensor([[1.0, 2.0], [0.0, -1.0], [3.0, 0.5]])
    x = torch.tensor([0.1, 0.2])
    print(jacobian(x, w))
    print(vector_jacobian(x, w, torch.tensor([1.0, 0.0, 0.0])))
