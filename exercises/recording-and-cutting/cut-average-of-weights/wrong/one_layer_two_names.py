# expect: failed, "the average starts as a copy of its own", "one layer under two names"

import copy

import torch
from torch import nn


class Averaged(nn.Module):
    """A linear layer, and a slowly following average of its weights."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.live = nn.Linear(inputs, outputs)
        self.average = self.live

    @torch.no_grad()
    def update(self, decay: float) -> None:
        for old, new in zip(self.average.parameters(), self.live.parameters(), strict=True):
            old.mul_(decay).add_(new, alpha=1 - decay)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.live(x)

    def smooth(self, x: torch.Tensor) -> torch.Tensor:
        return self.average(x)
