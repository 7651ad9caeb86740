import torch
from torch import nn


class DynamicModel(nn.Module):
    """A recurrent model that chooses each step's activation while it runs."""

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.rnn_cell = nn.RNNCell(input_size, hidden_size)
        self.fc = nn.Linear(hidden_size, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (batch, seq_len, input_size), seq_len at least 1. Returns: (batch, 1)."""
        batch, seq_len, _ = x.shape
        hidden = x.new_zeros(batch, self.hidden_size)  # the input's dtype and device
        outputs = []
        for step in range(seq_len):
            hidden = self.rnn_cell(x[:, step, :], hidden)
            if hidden.mean() > 0:
                outputs.append(torch.relu(hidden))
            else:
                outputs.append(torch.tanh(hidden))
        return self.fc(torch.stack(outputs, dim=1)[:, -1, :])


if __name__ == "__main__":
    model = DynamicModel(3, 5)
    for shape in ((2, 4, 3), (2, 6, 3)):
        print(shape, "gives", tuple(model(torch.randn(shape)).shape))
