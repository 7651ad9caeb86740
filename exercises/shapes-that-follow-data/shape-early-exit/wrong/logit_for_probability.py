# expect: failed, "the model stops at the right block", "differs"

import torch
from torch import nn


class EarlyExit(nn.Module):
    def __init__(self, size: int, classes: int, depth: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(size, size) for _ in range(depth))
        self.head = nn.Linear(size, classes)

    def forward(self, x: torch.Tensor, threshold: float) -> torch.Tensor:
        """x: (size,). Returns: the logits, (classes,)."""
        for block in self.blocks:
            x = torch.tanh(block(x))
            logits = self.head(x)
            if logits.max() >= threshold:
                break
        return logits
