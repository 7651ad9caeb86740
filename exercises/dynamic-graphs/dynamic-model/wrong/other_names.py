# expect: failed, "the values are those of the reference", "rnn_cell.weight_ih is missing"

import torch
from torch import nn


class DynamicModel(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.cell = nn.RNNCell(input_size, hidden_size)
        self.linear = nn.Linear(hidden_size, 1)

    def forward(self, x):
        hidden = x.new_zeros(x.shape[0], self.hidden_size)
        outputs = []
        for step in range(x.shape[1]):
            hidden = self.cell(x[:, step, :], hidden)
            outputs.append(torch.relu(hidden) if hidden.mean() > 0 else torch.tanh(hidden))
        return self.linear(torch.stack(outputs, dim=1)[:, -1, :])
