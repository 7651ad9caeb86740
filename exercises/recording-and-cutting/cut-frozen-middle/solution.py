import torch
from torch import nn


class Sandwich(nn.Module):
    """Three layers, of which the middle one can be frozen."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.bottom = nn.Linear(size, 3)
        self.middle = nn.Linear(3, 3)
        self.top = nn.Linear(3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.tanh(self.bottom(x))
        hidden = torch.tanh(self.middle(hidden))
        return self.top(hidden)

    def freeze_middle(self) -> None:
        self.middle.requires_grad_(False)

    def unfreeze_middle(self) -> None:
        self.middle.requires_grad_(True)

    def trainable_names(self) -> list[str]:
        return [name for name, parameter in self.named_parameters() if parameter.requires_grad]


if __name__ == "__main__":
    model = Sandwich(2)
    model.freeze_middle()
    model(torch.ones(1, 2)).sum().backward()
    print("the frozen layer's gradient is", model.middle.bias.grad)
