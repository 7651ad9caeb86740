"""Questions about the learner's text, to find the words for what went wrong. Only known mistakes may ask.

A right value is right however it was made, so no check can be decided here.
"""

from __future__ import annotations

import ast
from functools import cached_property

from graders.checks.faults import AuthorError

_PLACED = ast.expr | ast.keyword | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Source:
    """The learner's text. One that is no Python answers every question as an empty text would."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._open = True

    def close(self) -> None:
        """Answer no more: what was to be explained is explained. Later questions raise AuthorError."""
        self._open = False

    def calls(self, name: str) -> int:
        """How often something of this name is called: a function, or a method of anything."""
        return sum(isinstance(node, ast.Call) and last_name(node.func) == name for node in self.nodes)

    def uses(self, name: str) -> bool:
        """Whether the name stands anywhere: alone, after a dot, or as the name of an argument."""
        return self.line_of(name) is not None

    def line_of(self, name: str) -> int | None:
        """The first line, from 1, on which the name stands, also as a function's or a class's; or None."""
        return min(
            (node.lineno for node in self.nodes if isinstance(node, _PLACED) and last_name(node) == name),
            default=None,
        )

    def assigns(self, name: str) -> int:
        """How often the name is given a value, alone or after a dot: by =, := or +=, by for or with."""
        return sum(
            isinstance(node, ast.Name | ast.Attribute)
            and last_name(node) == name
            and isinstance(node.ctx, ast.Store)
            for node in self.nodes
        )

    def literal(self, name: str) -> object:
        """The number, text or the like that the name is given as it stands, the last time; else None.

        `y = 6.0` gives y the literal 6.0; `y = torch.tensor(6.0)` gives it none.
        """
        given = [
            node
            for node in self.nodes
            if isinstance(node, ast.Assign) and any(last_name(target) == name for target in node.targets)
        ]
        if not given:
            return None
        try:
            found: object = ast.literal_eval(max(given, key=lambda node: node.lineno).value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            return None
        return found

    def defines(self, name: str) -> bool:
        """Whether a function or a class of this name is written."""
        return any(
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name
            for node in self.nodes
        )

    @property
    def loops(self) -> int:
        """How many loops are written: for, while and comprehensions."""
        return sum(isinstance(node, ast.For | ast.While | ast.comprehension) for node in self.nodes)

    @property
    def branches(self) -> int:
        """How many branches are written: if and conditional expressions."""
        return sum(isinstance(node, ast.If | ast.IfExp) for node in self.nodes)

    @property
    def nodes(self) -> list[ast.AST]:
        """Every part of the text as Python's own `ast` has it; none if it is no Python."""
        if not self._open:
            raise AuthorError("source was kept and asked later; only a mistake may ask, and only its own")
        return self._walked

    @cached_property
    def _walked(self) -> list[ast.AST]:
        try:
            return list(ast.walk(ast.parse(self.text.removeprefix("\ufeff"))))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []


def last_name(node: ast.AST) -> str | None:
    """The name that stands alone or after the last dot, that of an argument, or that of what is defined."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return None
