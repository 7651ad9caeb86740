"""Questions about the learner's text, to find the words for what went wrong. Only known mistakes may ask.

A right value is right however it was made, so no check can be decided here.
"""

from __future__ import annotations

import ast
from functools import cached_property

_PLACED = ast.expr | ast.keyword | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Source:
    """The learner's text. One that is no Python answers every question as an empty text would."""

    def __init__(self, text: str) -> None:
        self.text = text

    def calls(self, name: str) -> int:
        """How often something of this name is called: a function, or a method of anything."""
        return sum(isinstance(node, ast.Call) and _last_name(node.func) == name for node in self._nodes)

    def uses(self, name: str) -> bool:
        """Whether the name stands anywhere: alone, after a dot, or as the name of an argument."""
        return self.line_of(name) is not None

    def line_of(self, name: str) -> int | None:
        """The first line, from 1, on which the name stands, also as a function's or a class's; or None."""
        return min(
            (node.lineno for node in self._nodes if isinstance(node, _PLACED) and _last_name(node) == name),
            default=None,
        )

    def assigns(self, name: str) -> int:
        """How often the name is given a value: by =, by := or by an augmented assignment."""
        return sum(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
            for node in self._nodes
        )

    def defines(self, name: str) -> bool:
        """Whether a function or a class of this name is written."""
        return any(
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name
            for node in self._nodes
        )

    @property
    def loops(self) -> int:
        """How many loops are written: for, while and comprehensions."""
        return sum(isinstance(node, ast.For | ast.While | ast.comprehension) for node in self._nodes)

    @property
    def branches(self) -> int:
        """How many branches are written: if and conditional expressions."""
        return sum(isinstance(node, ast.If | ast.IfExp) for node in self._nodes)

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        try:
            return list(ast.walk(ast.parse(self.text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []


def _last_name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return None
