# expect: failed, "padding has no say", "nan times 0 is still nan"

import torch


def masked_mean(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """x: (batch, width, features); lengths: (batch,). Returns: (batch, features)."""
    mask = torch.arange(x.shape[1]) < lengths[:, None]
    kept = x * mask[:, :, None]
    return kept.sum(dim=1) / lengths.clamp(min=1)[:, None]
