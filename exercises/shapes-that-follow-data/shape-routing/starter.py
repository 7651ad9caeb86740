import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, size: int, count: int) -> None:
        super().__init__()
        self.gate = nn.Linear(size, count)
        self.experts = nn.ModuleList(nn.Linear(size, size) for _ in range(count))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        probabilities = torch.softmax(self.gate(x), dim=1)
        weight, choice = probabilities.max(dim=1)
        # Every row goes to the first expert here, whatever `choice` says.
        return weight[:, None] * self.experts[0](x)


if __name__ == "__main__":
    print(Router(3, 2)(torch.ones(4, 3)))
