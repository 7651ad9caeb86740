import torch
from torch import nn


class Sandwich(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.bottom = nn.Linear(size, 3)
        self.middle = nn.Linear(3, 3)
        self.top = nn.Linear(3, 1)

    def forward(self, x):
        hidden = torch.tanh(self.bottom(x))
        hidden = torch.tanh(self.middle(hidden))
        return self.top(hidden)

    def freeze_middle(self):
        # This line runs. Does it do anything?
        self.middle.requires_grad = False

    def unfreeze_middle(self):
        self.middle.requires_grad = True

    def trainable_names(self):
        return []


if __name__ == "__main__":
    model = Sandwich(2)
    model.freeze_middle()
    model(torch.ones(1, 2)).sum().backward()
    print("the frozen layer's gradient is", model.middle.bias.grad)
