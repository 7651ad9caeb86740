# expect: failed, "an empty sequence gets zeros", "nan"

import torch


def masked_mean(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """x: (batch, width, features); lengths: (batch,). Returns: (batch, features)."""
    mask = torch.arange(x.shape[1]) < lengths[:, None]
    kept = torch.where(mask[:, :, None], x, 0)
    return kept.sum(dim=1) / lengths[:, None]
