# expect: failed, "the gradient is 18 times x", "is 36.0; expected"

import torch

x = torch.tensor(2.0, requires_grad=True)
z = (x * 3) ** 2
z.backward()


def gradient_at(value):
    return 36.0
