# expect: failed, "the loss has its value", "expected"

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
        teacher_moves = (teacher - student.detach()).square().sum()
        student_moves = (student - teacher.detach()).square().sum()
        return teacher_moves + self.commitment * student_moves
