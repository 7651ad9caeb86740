"""Checks as Python compiles them, with one change: `is None` and `is not None` also work on pictures.

`answer["x"].grad` is a picture even where the learner's gradient is None, so that `.shape` of it explains
itself instead of raising AttributeError. Python's own `is` would call every picture something else than None.
"""

from __future__ import annotations

import ast
import types

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
    tree = _Rewriter().visit(ast.parse(text, filename, mode))
    code: types.CodeType = compile(ast.fix_missing_locations(tree), filename, mode, dont_inherit=True)
    return code


class _Rewriter(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Is | ast.IsNot):
            return node
        right = node.comparators[0]
        if not (isinstance(right, ast.Constant) and right.value is None):
            return node
        call = ast.Call(ast.Name(HELPER, ast.Load()), [node.left], [])
        found: ast.expr = call if isinstance(node.ops[0], ast.Is) else ast.UnaryOp(ast.Not(), call)
        return ast.copy_location(found, node)
