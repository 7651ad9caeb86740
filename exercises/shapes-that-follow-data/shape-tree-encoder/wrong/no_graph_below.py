# expect: failed, "the graph grows with the tree", "does not grow"

import torch
from torch import nn


class TreeEncoder(nn.Module):
    def __init__(self, count: int, size: int) -> None:
        super().__init__()
        self.words = nn.Embedding(count, size)
        self.merge = nn.Linear(2 * size, size)

    def forward(self, tree) -> torch.Tensor:
        """tree: a word's number, or a pair of trees. Returns: (size,)."""
        if isinstance(tree, int):
            return self.words.weight[tree]
        left, right = tree
        with torch.no_grad():
            both = torch.cat([self(left), self(right)])
        return torch.tanh(self.merge(both))
