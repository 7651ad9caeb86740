# expect: failed, "the gradients follow the tree", "should be None"

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
            return self.words.weight[tree] + 0 * self.merge.bias + 0 * self.merge.weight.sum()
        left, right = tree
        both = torch.cat([self(left), self(right)])
        return torch.tanh(self.merge(both))
