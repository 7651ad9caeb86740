import torch
from torch import nn


class TwoBranches(nn.Module):
    """Two layers that move towards each other, each at a strength of its own."""

    def __init__(self, size: int, commitment: float) -> None:
        super().__init__()
        self.student = nn.Linear(size, 2)
        self.teacher = nn.Linear(size, 2)
        self.commitment = commitment

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (batch, size). Returns: the loss, shape ()."""
        student, teacher = self.student(x), self.teacher(x)
        teacher_moves = (teacher - student.detach()).square().mean()
        student_moves = (student - teacher.detach()).square().mean()
        return teacher_moves + self.commitment * student_moves


if __name__ == "__main__":
    model = TwoBranches(3, 0.0)  # at this strength the student should not move at all
    model(torch.randn(5, 3)).backward()
    print("the student's gradient is", model.student.bias.grad)
