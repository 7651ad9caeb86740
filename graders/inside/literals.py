"""A number in a program's text: where it stands, and the same program with another number in its place.

Knows only the standard library: it is used where an exercise is loaded, and again in the checker's jail.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Literal:
    """A number as it is written. line: from 1. start, end: in bytes of that line's UTF-8, end exclusive."""

    line: int
    start: int
    end: int


def find(source: str, variable: str, number: float) -> Literal | None:
    """The first literal of that value in a statement that gives `variable` its value, or None.

    A minus sign before it belongs to it, and 1 is the same number as 1.0; True is none. None also for a text
    that is no Python.
    """
    try:
        tree = ast.parse(_as_it_is_run(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    makers = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and variable in _given(node)]
    for statement in sorted(makers, key=lambda node: (node.lineno, node.col_offset)):
        for node in _in_order(statement):
            if _number(node) == number and node.lineno == node.end_lineno and node.end_col_offset is not None:
                return Literal(node.lineno, node.col_offset, node.end_col_offset)
    return None


def replace(source: str, literal: Literal, number: float) -> str:
    """The text with another number there."""
    lines = _as_it_is_run(source).split("\n")
    line = lines[literal.line - 1].encode()
    written = repr(number) if number >= 0 else f"({number!r})"
    lines[literal.line - 1] = (line[: literal.start] + written.encode() + line[literal.end :]).decode()
    return "\n".join(lines)


def whole_pieces(low: float, high: float, edges: Sequence[float]) -> list[tuple[int, int]]:
    """The first and the last whole number of each piece that the edges leave of [low, high].

    No edge belongs to a piece; the last is less than the first where a piece holds none.
    """
    cuts = sorted({edge for edge in edges if low < edge < high})
    lowest = math.floor(low) + 1 if low in edges else math.ceil(low)
    highest = math.ceil(high) - 1 if high in edges else math.floor(high)
    firsts = [lowest, *(math.floor(cut) + 1 for cut in cuts)]
    lasts = [*(math.ceil(cut) - 1 for cut in cuts), highest]
    return list(zip(firsts, lasts, strict=True))


def _as_it_is_run(source: str) -> str:
    """Without a byte order mark, and with one kind of line end, as the learner's side reads it."""
    return source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _given(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value."""
    match statement:
        case ast.Assign(targets=targets):
            parts = targets
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            parts = [target]
        case _:
            return set()
    names = (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}  # x.grad = 1.0 makes no x


def _in_order(statement: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement as they are read, an outer one before what it is made of."""
    found = [node for node in ast.walk(statement) if isinstance(node, ast.expr)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset, -(node.end_col_offset or 0)))


def _number(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return None if isinstance(value, bool) else -value
    return None
