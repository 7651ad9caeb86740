"""Every component in every state, for the page that shows them side by side (debug and tests only)."""

from __future__ import annotations

from typing import Any


def samples() -> dict[str, Any]:
    """The context of learning/patterns.html."""
    return {}
