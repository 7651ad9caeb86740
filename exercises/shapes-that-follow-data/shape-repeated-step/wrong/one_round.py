# expect: failed, "the values are those of the reference", "gives what 1 round gives"

import torch
from torch import nn


class Repeated(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.step = nn.Linear(size, size)

    def forward(self, x: torch.Tensor, times: int) -> torch.Tensor:
        """x: (batch, size). Returns: (batch, size)."""
        for _ in range(1):
            x = x + torch.tanh(self.step(x))
        return x
