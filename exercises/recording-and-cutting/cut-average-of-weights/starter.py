import torch
from torch import nn


class Averaged(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.live = nn.Linear(inputs, outputs)
        # 1. This is not a copy: it is the same layer under a second name.
        self.average = self.live

    def update(self, decay):
        # 2. and 3. This is computed, and then forgotten: no parameter has changed.
        for old, new in zip(self.average.parameters(), self.live.parameters(), strict=True):
            old = decay * old + (1 - decay) * new

    def forward(self, x):
        return self.live(x)

    def smooth(self, x):
        return self.average(x)


if __name__ == "__main__":
    model = Averaged(2, 1)
    model.update(0.9)
    print("smooth(x) has the grad_fn", model.smooth(torch.ones(1, 2)).grad_fn)
