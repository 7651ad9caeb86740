import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2

# 1. z is y * 3 where y > 1.5, and y * 4 otherwise.
#    Then send the gradient back.
z = y * 3

print("z is", z.item(), "and x.grad is", x.grad)


# 2. The same for any number: return dz/dx at x = value.
def gradient_at(value):
    return 0.0
