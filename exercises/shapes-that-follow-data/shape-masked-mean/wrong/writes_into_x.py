# expect: error, "each mean is over the real steps", "in place"

import torch


def masked_mean(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """x: (batch, width, features); lengths: (batch,). Returns: (batch, features)."""
    mask = torch.arange(x.shape[1]) < lengths[:, None]
    kept = x.masked_fill_(~mask[:, :, None], 0)
    return kept.sum(dim=1) / lengths.clamp(min=1)[:, None]
