import torch
from torch import nn


class PaddedModel(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.rnn_cell = nn.RNNCell(input_size, hidden_size)
        self.fc = nn.Linear(hidden_size, 1)

    def forward(self, x, lengths):
        batch, width, _ = x.shape
        hidden = x.new_zeros(batch, self.hidden_size)
        outputs = []
        for step in range(width):
            hidden = self.rnn_cell(x[:, step, :], hidden)
            # One condition for the whole batch: let each sequence have its own.
            outputs.append(torch.relu(hidden) if hidden.mean() > 0 else torch.tanh(hidden))
        # The last column, for every sequence: let each have its own last step.
        return self.fc(torch.stack(outputs, dim=1)[:, -1, :])


if __name__ == "__main__":
    model = PaddedModel(3, 5)
    x = torch.randn(2, 4, 3)
    alone = model(x[1:, :2], torch.tensor([2]))
    together = model(x, torch.tensor([4, 2]))
    print("alone:", alone[0].item(), "in the batch:", together[1].item())
