# expect: failed, "each branch gets its own gradient", "is the sum from both terms"

import torch
from torch import nn


class TwoBranches(nn.Module):
    def __init__(self, size, commitment):
        super().__init__()
        self.student = nn.Linear(size, 2)
        self.teacher = nn.Linear(size, 2)
        self.commitment = commitment

    def forward(self, x):
        student, teacher = self.student(x), self.teacher(x)
        return (1 + self.commitment) * (teacher - student).square().mean()
