# expect: timeout, "seconds"

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
        step = 0
        while step < seq_len:
            output = self.rnn_cell(x[:, step, :], hidden)
        return self.fc(torch.relu(output))
