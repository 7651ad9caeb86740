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
        hidden = torch.zeros(batch, self.hidden_size)
        # So far this takes one step only. Take all of them, and choose the activation at each:
        # relu where hidden.mean() > 0, tanh otherwise.
        hidden = self.rnn_cell(x[:, 0, :], hidden)
        return self.fc(hidden)


if __name__ == "__main__":
    model = DynamicModel(3, 5)
    for shape in ((2, 4, 3), (2, 6, 3)):
        print(shape, "gives", tuple(model(torch.randn(shape)).shape))
