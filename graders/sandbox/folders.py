"""The folders in which jails without a file system of their own may write: one for each, gone with it."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import stat


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


def used(folder: str, most: int) -> tuple[int, int]:
    """Bytes on disk and number of entries below a folder. Stops counting at `most` entries."""
    total = count = 0
    waiting = [folder]
    while waiting and count < most:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                with contextlib.suppress(OSError):  # removed meanwhile
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                if count >= most:
                    break
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
