# expect: error, "each row gets its own expert", "in place"

import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, size: int, count: int) -> None:
        super().__init__()
        self.gate = nn.Linear(size, count)
        self.experts = nn.ModuleList(nn.Linear(size, size) for _ in range(count))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (batch, size). Returns: (batch, size)."""
        weight, choice = torch.softmax(self.gate(x), dim=1).max(dim=1)
        output = x
        for number, expert in enumerate(self.experts):
            rows = choice == number
            if rows.any():
                output[rows] = weight[rows, None] * expert(x[rows].clone())
        return output
