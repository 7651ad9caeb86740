"""Checks as Python compiles them, with one change: `is None` and `is not None` also work on pictures.

`answer["x"].grad` is a picture even where the learner's gradient is None, so that `.shape` of it explains
itself instead of raising AttributeError. Python's own `is` would call every picture something else than None.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from graders.checks.pictures import Picture

HELPER = "__is_none__"


def is_none(value: object) -> bool:
    """Whether `value` is None, or the picture of a None; a picture is noted as looked at."""
    if isinstance(value, Picture):
        value.look()
        return value.kind == "none"
    return value is None


def compile_checks(text: str, filename: str, mode: str = "exec") -> types.CodeType:
    """Compile an author's text with the change made. Its globals need `HELPER` bound to `is_none`."""
    if "None" not in text:  # most checks: a tree costs four times as much as plain code
        plain: types.CodeType = compile(text, filename, mode, dont_inherit=True)
        return plain
    tree: Any = ast.parse(text, filename, mode)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Compare)
            and len(node.ops) == 1
            and isinstance(node.ops[0], ast.Is | ast.IsNot)
        ):
            _ask_helper(node)
    code: types.CodeType = compile(tree, filename, mode, dont_inherit=True)
    return code


def _ask_helper(node: ast.Compare) -> None:
    """Turn `left is None` into `HELPER(left) is True`, and `is not` likewise."""
    right = node.comparators[0]
    if isinstance(right, ast.Constant) and right.value is None:
        name = ast.copy_location(ast.Name(HELPER, ast.Load()), node.left)
        node.left = ast.copy_location(ast.Call(name, [node.left], []), node.left)
        right.value = True
