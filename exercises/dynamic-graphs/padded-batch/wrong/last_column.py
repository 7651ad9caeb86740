# expect: failed, "each sequence gets what it gets alone", "if the last column were taken, padding or not"

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
        for step in range(width):
            hidden = self.rnn_cell(x[:, step, :], hidden)
        positive = hidden.mean(dim=1, keepdim=True) > 0
        return self.fc(torch.where(positive, torch.relu(hidden), torch.tanh(hidden)))
