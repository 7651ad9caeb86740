# expect: failed, "each sequence ends at its own last step", "differs"

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class LastState(nn.Module):
    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, batch_first=True)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """x: (batch, width, input_size); lengths: (batch,). Returns: (batch, hidden_size)."""
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        _, last = self.gru(packed)
        return last[0, packed.sorted_indices]
