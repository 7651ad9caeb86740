import torch
from torch import nn


class EarlyExit(nn.Module):
    def __init__(self, size: int, classes: int, depth: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(size, size) for _ in range(depth))
        self.head = nn.Linear(size, classes)

    def forward(self, x: torch.Tensor, threshold: float) -> torch.Tensor:
        # All blocks run here, however sure the model is.
        for block in self.blocks:
            x = torch.tanh(block(x))
        return self.head(x)


if __name__ == "__main__":
    print(EarlyExit(3, 2, 4)(torch.ones(3), 0.9))
