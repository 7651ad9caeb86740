import torch


def smoothed(alpha, x):
    x -= x.mean(dim=0)
    out = torch.empty_like(x)
    out[0] = x[0]
    for step in range(1, len(x)):
        out[step] = alpha * out[step - 1] + (1 - alpha) * x[step]
    return out


if __name__ == "__main__":
    alpha = torch.tensor(0.5, requires_grad=True)
    print(smoothed(alpha, torch.tensor([1.0, 2.0, 6.0])))
    smoothed(alpha, torch.tensor([1.0, 2.0, 6.0])).sum().backward()
    print("alpha.grad is", alpha.grad)
