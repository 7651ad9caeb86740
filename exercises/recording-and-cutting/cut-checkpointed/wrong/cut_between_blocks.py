# expect: failed, "the gradients are those of the plain blocks", "detach()"

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    """A layer that counts its runs."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.runs = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.runs += 1
        return torch.tanh(self.linear(x))


class Deep(nn.Module):
    """Blocks in a row; in training mode each is a checkpoint."""

    def __init__(self, size: int, depth: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(size) for _ in range(depth))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = checkpoint(block, x.detach(), use_reentrant=False) if self.training else block(x)
        return x

    def runs(self) -> list[int]:
        return [block.runs for block in self.blocks]
