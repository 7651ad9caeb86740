# expect: failed, "each branch gets its own gradient", "stops the recording"

import torch
from torch import nn


class TwoBranches(nn.Module):
    def __init__(self, size, commitment):
        super().__init__()
        self.student = nn.Linear(size, 2)
        self.teacher = nn.Linear(size, 2)
        self.commitment = commitment

    def forward(self, x):
        student = self.student(x)
        with torch.no_grad():
            teacher = self.teacher(x)
        teacher_moves = (teacher - student.detach()).square().mean()
        student_moves = (student - teacher).square().mean()
        return teacher_moves + self.commitment * student_moves
