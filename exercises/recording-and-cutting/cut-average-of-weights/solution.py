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
            old.mul_(decay).add_(new, alpha=1 - decay)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.live(x)

    def smooth(self, x: torch.Tensor) -> torch.Tensor:
        return self.average(x)


if __name__ == "__main__":
    model = Averaged(2, 1)
    model.update(0.9)
    print("smooth(x) has the grad_fn", model.smooth(torch.ones(1, 2)).grad_fn)
