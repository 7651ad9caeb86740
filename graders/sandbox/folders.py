"""The folders in which jails without a file system of their own may write: one for each, gone with it."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import stat
from typing import Final

DEEPEST: Final = 32  # folders below each other in which is looked; each takes a descriptor meanwhile


class JailFolders:
    """Makes and removes folders below one that it makes its own. Used by any thread."""

    def __init__(self, above: str) -> None:
        self._above = above
        self._numbers = itertools.count()
        os.chmod(above, 0o711)  # a jail's user passes through and cannot list it

    def make(self, uid: int | None) -> str:
        """An empty folder that belongs to this user; None is our own."""
        folder = f"{self._above}/{next(self._numbers)}"
        os.mkdir(folder, 0o700)
        if uid is not None:
            os.chown(folder, uid, uid)
        return folder

    def remove(self, folder: str) -> None:
        """Remove a folder whose jail has ended, and all in it."""
        with contextlib.suppress(FileNotFoundError):
            while inner := _folders_after_removing_files(folder):
                # However deep they are nested, no path gets long: what lies two levels down is moved up.
                for path in inner:
                    for deeper in _folders_after_removing_files(path):
                        os.rename(deeper, f"{folder}/{secrets.token_hex(8)}")
                    os.rmdir(path)
            os.rmdir(folder)

    def remove_all(self) -> None:
        """Remove everything, at the end."""
        for entry in os.listdir(self._above):
            self.remove(f"{self._above}/{entry}")
        os.rmdir(self._above)


class Hidden(Exception):  # noqa: N818 -- a finding about the program, not an error of ours
    """A program has made a folder that cannot be looked into, or one below too many others."""


def used(folder: str, most: int) -> tuple[int, int]:
    """Bytes on disk and number of entries below a folder, counted up to `most` entries. Raises: Hidden."""
    total = count = 0

    def look(name: str, above: int | None, depth: int) -> None:
        # From descriptor to descriptor: a path may grow too long to be opened, and lead elsewhere meanwhile.
        nonlocal total, count
        try:
            here = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
        except (FileNotFoundError, NotADirectoryError):  # removed meanwhile
            return
        except PermissionError:
            raise Hidden from None
        try:
            for entry in os.listdir(here):
                if count >= most:
                    return
                count += 1
                try:
                    about = os.stat(entry, dir_fd=here, follow_symlinks=False)
                except FileNotFoundError:
                    continue
                total += about.st_blocks * 512
                if stat.S_ISDIR(about.st_mode):
                    if depth == DEEPEST:
                        raise Hidden
                    look(entry, here, depth + 1)
        finally:
            os.close(here)

    look(folder, None, 0)
    return total, count


def _folders_after_removing_files(folder: str) -> list[str]:
    inner = []
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        if stat.S_ISDIR(os.lstat(path).st_mode):
            os.chmod(path, 0o700)  # a program may have made it without any rights, even to be moved
            inner.append(path)
        else:
            os.unlink(path)
    return inner
