# expect: error, "each sequence gets what it gets alone", "enforce_sorted=False"

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class PaddedModel(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.rnn_cell = nn.RNNCell(input_size, hidden_size)
        self.fc = nn.Linear(hidden_size, 1)

    def forward(self, x, lengths):
        batch, width, _ = x.shape
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        hidden = x.new_zeros(batch, self.hidden_size)
        start = 0
        for size in packed.batch_sizes.tolist():
            step = self.rnn_cell(packed.data[start : start + size], hidden[:size])
            hidden = torch.cat([step, hidden[size:]])
            start += size
        positive = hidden.mean(dim=1, keepdim=True) > 0
        return self.fc(torch.where(positive, torch.relu(hidden), torch.tanh(hidden)))
