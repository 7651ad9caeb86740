# expect: failed, "the weighted sums are right", "differs"

import torch


def attend(x: torch.Tensor, query: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """x: (batch, width, features); query: (features,); mask: (batch, width). Returns: (batch, features)."""
    scores = (x @ query).masked_fill(mask, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    return (weights[:, :, None] * x).sum(dim=1)
