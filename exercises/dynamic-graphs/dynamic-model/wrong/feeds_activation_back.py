# expect: failed, "the values are those of the reference", "if the activation were fed back into the cell"

import torch
from torch import nn


class DynamicModel(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.rnn_cell = nn.RNNCell(input_size, hidden_size)
        self.fc = nn.Linear(hidden_size, 1)

    def forward(self, x):
        batch, seq_len, _ = x.shape
        hidden = x.new_zeros(batch, self.hidden_size)
        outputs = []
        for step in range(seq_len):
            hidden = self.rnn_cell(x[:, step, :], hidden)
            hidden = torch.relu(hidden) if hidden.mean() > 0 else torch.tanh(hidden)
            outputs.append(hidden)
        return self.fc(torch.stack(outputs, dim=1)[:, -1, :])
