"""A private copy of Python's built-in names, for modules that share a process with a learner's code.

A function looks its built-ins up in the `__builtins__` of its module's globals, as it was when the function
was made. A module that calls `keep_builtins(globals())` before its first `def` keeps the true `len`, `type`
and `isinstance` after a learner has rebound them in the `builtins` module. It raises the bar and is no
boundary: code in the same process can still reach us through frames or memory, and gains nothing but a wrong
picture of itself.
"""

from __future__ import annotations

import builtins
from typing import Any

PLAIN_NAMES = tuple(name for name in vars(builtins) if not name.startswith("_"))


def keep_builtins(namespace: dict[str, Any]) -> None:
    """Give the functions that `namespace` will define the built-ins as they are now."""
    namespace["__builtins__"] = dict(vars(builtins))
