# expect: memory
import torch

torch.zeros(1 << 36)
