"""Which files have changed since the last commit, where content stands in a work tree of git."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

_GIT_SECONDS: Final = 20


def changed_files(folder: Path) -> tuple[Path, ...] | None:
    """Files below `folder` that differ from the last commit, new ones too; None outside a work tree."""
    top = _git(folder, "rev-parse", "--show-toplevel")
    head = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    if top is None or head is None:
        return None
    names = _git(folder, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", ".")
    if names is None:
        return None
    return tuple(Path(top.rstrip("\n")) / entry[3:] for entry in names.split("\0") if entry)


def _git(folder: Path, *arguments: str) -> str | None:
    """What git prints, or None where there is no git, no work tree, or no answer."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, timeout=_GIT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="surrogateescape") if done.returncode == 0 else None
