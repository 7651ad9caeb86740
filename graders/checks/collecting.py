"""What the decorators of checks.py share: collecting in the file's order, and asking by parameter name."""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from graders.checks.faults import AuthorError

Item = TypeVar("Item")


class Collector(Generic[Item]):
    """Where a decorator puts what it makes; it has no other way to its file's loader."""

    def __init__(self) -> None:
        self.items: list[Item] | None = None  # None: nobody collects

    @contextmanager
    def collecting(self) -> Iterator[list[Item]]:
        """The list that is filled while a file is run."""
        before, self.items = self.items, []
        try:
            yield self.items
        finally:
            self.items = before


def parameters_of(function: object, who: str) -> tuple[str, ...]:
    """The names that a decorated function takes. Raises: AuthorError, beginning with `who`, if it is none."""
    if not isinstance(function, types.FunctionType):
        raise AuthorError(f"{who}: what is decorated must be a function, not a {type(function).__name__}")
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
