# expect: failed, "the graph grows with the rounds", "not the same number more"

import torch
from torch import nn


class Repeated(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.step = nn.Linear(size, size)

    def forward(self, x: torch.Tensor, times: int) -> torch.Tensor:
        """x: (batch, size). Returns: (batch, size)."""
        for _ in range(times):
            with torch.set_grad_enabled(_ == times - 1):
                x = x + torch.tanh(self.step(x))
        return x
