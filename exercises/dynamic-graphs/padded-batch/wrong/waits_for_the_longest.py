# expect: timeout, "seconds"

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
        step = 0
        while (lengths > step).any():
            running = (lengths > step).unsqueeze(1)
            output = torch.where(running, self.rnn_cell(x[:, step, :], hidden), hidden)
        return self.fc(torch.relu(output))
