import torch

# 1. Two floats that require gradients.
a = torch.tensor(2)
b = torch.tensor(3)

# 2. Their sum, and 3. the gradient sent back from it.
c = a + b

print("c is", c.item(), "and its grad_fn is", c.grad_fn)


# 4. The same for any two numbers: return the sum, still tracked.
def tracked_sum(first, second):
    return torch.tensor(first + second)
