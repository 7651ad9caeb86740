import torch


class Bump(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, width):
        # y = exp(-(x / width)²). What will backward need?
        return torch.zeros_like(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


def bump(x, width):
    return Bump.apply(x, width)


def weighted(x, width, weights):
    return (bump(x, width) * weights).sum()


if __name__ == "__main__":
    x = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
    print("gradcheck says", torch.autograd.gradcheck(bump, (x, 1.5), raise_exception=False))
