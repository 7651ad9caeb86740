"""Content problems in the server's log: each once, when it appears, and again when it is gone."""

from __future__ import annotations

import hashlib
import logging
import mmap

from quizapp.catalogue.catalogue import Catalogue

log = logging.getLogger(__name__)
_DIGEST = 16


class ToldProblems:
    """What has been logged of a catalogue's problems.

    Make it before the server forks: its processes share the digest of what was told last, so that one of them
    logs a change and not each. Two that look in the same moment may both do.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._shared = mmap.mmap(-1, _DIGEST)
        self._problems: object = None
        self._known: frozenset[str] = frozenset()
        self.tell()

    def tell(self) -> None:
        """Log what has changed since this process last looked; cheap where nothing has."""
        problems = self._catalogue.problems()
        if problems is self._problems:
            return
        self._problems = problems
        before, self._known = self._known, frozenset(str(problem) for problem in problems)
        digest = hashlib.blake2b("\n".join(sorted(self._known)).encode(), digest_size=_DIGEST).digest()
        if self._shared[:] == digest:
            return
        self._shared[:] = digest
        for line in sorted(self._known - before):
            log.warning("content: %s", line)
        for line in sorted(before - self._known):
            log.warning("content: mended: %s", line)
