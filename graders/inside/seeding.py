"""Seeds of one jail: Python's, NumPy's and torch's global generators."""

from __future__ import annotations

import random

import numpy.random  # NumPy would import it on first use, which takes ten milliseconds in every jail
import torch


def seed_everything(seed: int) -> None:
    """Start the three global generators from `seed`; only its low 63 (NumPy: 32) bits count.

    `numpy.random.default_rng()` and `torch.Generator().seed()` ask the operating system and stay random.
    """
    random.seed(seed)
    numpy.random.seed(seed & 0xFFFF_FFFF)
    torch.default_generator.manual_seed(seed & 0x7FFF_FFFF_FFFF_FFFF)
