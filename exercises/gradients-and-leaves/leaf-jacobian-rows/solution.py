import torch


def layer(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.tanh(w @ x)


def vector_jacobian(x: torch.Tensor, w: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    x = x.detach().requires_grad_()
    layer(x, w).backward(v)
    return x.grad


def jacobian(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    x = x.detach().requires_grad_()
    y = layer(x, w)
    rows = []
    for v in torch.eye(len(y), dtype=y.dtype):
        (row,) = torch.autograd.grad(y, x, grad_outputs=v, retain_graph=True)
        rows.append(row)
    return torch.stack(rows)
