# expect: failed, "update follows the formula", "nothing was changed in place"

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
        self.average.weight.lerp_(self.live.weight, 1 - decay)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.live(x)

    def smooth(self, x: torch.Tensor) -> torch.Tensor:
        return self.average(x)
