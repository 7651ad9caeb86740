import torch
from torch import nn


class PaddedModel(nn.Module):
    """The experiment's model for padded batches: each sequence is computed as if it were alone."""

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.rnn_cell = nn.RNNCell(input_size, hidden_size)
        self.fc = nn.Linear(hidden_size, 1)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """x: (batch, width, input_size); lengths: (batch,), each from 1 to width. Returns: (batch, 1)."""
        batch, width, _ = x.shape
        hidden = x.new_zeros(batch, self.hidden_size)
        outputs = []
        for step in range(width):
            hidden = self.rnn_cell(x[:, step, :], hidden)
            positive = hidden.mean(dim=1, keepdim=True) > 0  # (batch, 1): each sequence its own
            outputs.append(torch.where(positive, torch.relu(hidden), torch.tanh(hidden)))
        stacked = torch.stack(outputs, dim=1)
        return self.fc(stacked[torch.arange(batch, device=x.device), lengths - 1])


if __name__ == "__main__":
    model = PaddedModel(3, 5)
    x = torch.randn(2, 4, 3)
    alone = model(x[1:, :2], torch.tensor([2]))
    together = model(x, torch.tensor([4, 2]))
    print("alone:", alone[0].item(), "in the batch:", together[1].item())
