# expect: failed, "update follows the formula", "moved too far"

import copy

import torch
from torch import nn


class Averaged(nn.Module):
    """A linear layer, and a slowly following average of its weights."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.live = nn.Linear(inputs, outputs)
        self.average = copy.deepcopy(self.live).requires_grad_(False)

    @torch.no_grad()
    def update(self, decay: float) -> None:
        for old, new in zip(self.average.parameters(), self.live.parameters(), strict=True):
            old.mul_(1 - decay).add_(new, alpha=decay)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.live(x)

    def smooth(self, x: torch.Tensor) -> torch.Tensor:
        return self.average(x)
