"""The content as it is on disk now: read again when files change, and swapped as a whole."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from graders.authoring import ContentError, one_file
from quizapp.catalogue.assembly import Snapshot, Topic, assemble
from quizapp.catalogue.items import Item, ItemSet
from quizapp.catalogue.loader import LoadedTopic, load_topic

SECONDS_BETWEEN_SCANS = 1.0
Fingerprint = tuple[tuple[str, int, int, int], ...]
"""Path, inode, size and time of change of every file. While it is equal there is nothing to read again."""
_UNKNOWN: Fingerprint = (("", 0, 0, 0),)
"""Of a folder that could not be looked through."""


@dataclass(frozen=True)
class _Read:
    """What a topic's folder gave, and the state of the files that it was read from."""

    fingerprint: Fingerprint
    topic: LoadedTopic | None
    problems: tuple[ContentError, ...]


class Catalogue:
    """The content under one folder, a folder per topic. Safe to use from many threads."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Load everything. A folder that cannot be read is an empty catalogue with a problem.

        clock: seconds that only go forward.
        """
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._read: dict[Path, _Read] | None = None
        self._snapshot = Snapshot()
        self._stamp = ""
        self._scan()

    def topics(self) -> tuple[Topic, ...]:
        """All topics, by the name of their folder."""
        return tuple(self._snapshot.topics.values())

    def topic(self, topic_id: str) -> Topic | None:
        """The topic, or None."""
        return self._snapshot.topics.get(topic_id)

    def item(self, item_id: str) -> Item | None:
        """The item in its newest version; None if there is none or it is broken at the moment."""
        return self._snapshot.items.get(item_id)

    def items(self) -> tuple[Item, ...]:
        """Every item of every topic, in its newest version."""
        return tuple(self._snapshot.items.values())

    def item_set(self, set_id: str) -> ItemSet | None:
        """The set, or None."""
        return self._snapshot.sets.get(set_id)

    def problems(self) -> tuple[ContentError, ...]:
        """Everything that is wrong with the files at the moment."""
        return self._snapshot.problems

    @property
    def stamp(self) -> str:
        """Which state of the files this is: the same for the same files, in every process."""
        return self._stamp

    def refresh(self) -> None:
        """Read again what has changed. It looks at most once a second, so call it for every request.

        Whoever comes while another thread is looking goes on with the content as it was.
        """
        if self._clock() - self._scanned < SECONDS_BETWEEN_SCANS or not self._lock.acquire(blocking=False):
            return
        try:
            self._scan()
        finally:
            self._lock.release()

    def _scan(self) -> None:
        self._scanned = self._clock()
        try:
            folders = sorted(path for path in self._folder.iterdir() if _is_topic(path))
            read = {folder: self._read_topic(folder) for folder in folders}
        except OSError as error:
            self._could_not_read(error)
            return
        if read == self._read:
            return
        self._read = read
        states = repr(sorted((str(folder), one.fingerprint) for folder, one in read.items()))
        self._stamp = hashlib.sha256(states.encode(errors="surrogateescape")).hexdigest()
        self._snapshot = assemble(
            [one.topic for one in read.values() if one.topic is not None],
            [problem for one in read.values() for problem in one.problems],
        )

    def _read_topic(self, folder: Path) -> _Read:
        """The topic as it was read before, if no file of it has changed since or its folder is unreadable.

        The state of the files is taken before they are read: what changes later is seen by the next scan.
        """
        known = (self._read or {}).get(folder)
        try:
            with one_file(folder):
                if folder.is_symlink():
                    raise ContentError(folder, "", "is a link", "put the folder itself here")
                fingerprint = tuple(sorted(_fingerprint(folder)))
                if known is not None and known.fingerprint == fingerprint:
                    return known
                return _Read(fingerprint, *load_topic(folder))
        except ContentError as error:
            return _Read(_UNKNOWN, known.topic if known else None, (error,))

    def _could_not_read(self, error: OSError) -> None:
        """Go on with the content as it was, and say so. A file may have vanished during the scan."""
        where = Path(error.filename) if error.filename else self._folder
        problem = f"cannot be read ({error.strerror})"
        remedy = "check the folder and its permissions; QUIZAPP_EXERCISES names the folder of all topics"
        before = self._snapshot
        self._read = None
        self._snapshot = Snapshot(
            before.topics, before.items, before.sets, (ContentError(where, "", problem, remedy),)
        )


def _is_topic(path: Path) -> bool:
    """A folder, unless hidden. One without topic.toml is a topic too, and complained about."""
    return path.is_dir() and not path.name.startswith((".", "__"))


def _fingerprint(folder: Path) -> Iterator[tuple[str, int, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _fingerprint(Path(entry.path))
            else:
                state = entry.stat(follow_symlinks=False)
                yield entry.path, state.st_ino, state.st_size, max(state.st_mtime_ns, state.st_ctime_ns)
