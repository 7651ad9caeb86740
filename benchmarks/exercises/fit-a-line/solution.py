import torch


def fit(xs: torch.Tensor, ys: torch.Tensor, steps: int) -> tuple[float, float]:
    w = torch.zeros((), requires_grad=True)
    b = torch.zeros((), requires_grad=True)
    optimizer = torch.optim.Adam([w, b], lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((w * xs + b - ys) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w.item(), b.item()


if __name__ == "__main__":
    xs = torch.arange(8.0)
    print("w and b are", fit(xs, 2 * xs + 1, steps=20))
