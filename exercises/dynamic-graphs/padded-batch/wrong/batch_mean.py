# expect: failed, "each sequence gets what it gets alone", "if the mean over the whole batch decided"

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
            outputs.append(torch.relu(hidden) if hidden.mean() > 0 else torch.tanh(hidden))
        stacked = torch.stack(outputs, dim=1)
        return self.fc(stacked[torch.arange(batch), lengths - 1])
