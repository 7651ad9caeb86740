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
        # The value is right. But each term sends its gradient to both layers.
        teacher_moves = (teacher - student).square().mean()
        student_moves = (student - teacher).square().mean()
        return teacher_moves + self.commitment * student_moves


if __name__ == "__main__":
    model = TwoBranches(3, 0.0)  # at this strength the student should not move at all
    model(torch.randn(5, 3)).backward()
    print("the student's gradient is", model.student.bias.grad)
