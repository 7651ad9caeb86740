"""Why a gradient is missing or too large, as far as the learner's text shows it.

The value itself does not tell: a leaf whose result went through .detach() looks like one on which nothing was
computed. The text is asked after a check has failed, for one more sentence; it decides nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from graders.checks.seen import Seen
from graders.checks.source import Source, last_name

MAX_NODES = 20_000  # of a text that is looked at; a learner's has some hundreds
MAX_PARTS = 200  # of one expression whose names are looked for, so that no text makes this slow

_METHODS = ("detach", "item", "numpy", "tolist")
_MAKERS = ("tensor", "float", "int", "array", "asarray")  # of a new value from an old one
_UNRECORDED = ("no_grad", "inference_mode")


def about_gradient(value: Seen | None, source: Source, told: str) -> str:
    """One sentence about a gradient that is not what a check asks for; "" if the text shows nothing.

    value: the picture that the check looked at last; nothing is said unless it is some tensor's .grad. told:
    what the check says; nothing is said unless that is of this gradient.
    """
    owner = None if value is None else value.owner
    if value is None or owner is None or value.name not in told or len(source.nodes) > MAX_NODES:
        return ""
    found = re.match(r"\w+", value.name)
    root = found[0] if found else ""
    if value.kind != "none":
        return "" if value.backward_done else _adding_up(source, root)
    if value.backward_done:
        return _cut(source, set())
    if not (owner.requires_grad and owner.is_leaf) or not source.calls("backward"):
        return ""  # what is known of the value says it all
    return _cleared_last(source) or _cut(source, {root})


def _adding_up(source: Source, root: str) -> str:
    """Of backward() called again and again, with nothing between that clears the gradients."""
    if _clearing_lines(source.nodes):
        return ""
    for parts in _scopes(source, root):
        lines = _backward_lines(parts)
        for loop in parts:
            if isinstance(loop, ast.For | ast.While):
                inside = [line for line in lines if loop.lineno < line <= (loop.end_lineno or loop.lineno)]
                if inside:
                    return (
                        f"backward() in line {inside[0]} is in the loop of line {loop.lineno}, "
                        "and nothing in your code clears the gradients between two rounds."
                    )
        if len(lines) > 1:
            return (
                f"backward() stands in lines {lines[0]} and {lines[1]}, "
                "and nothing in your code clears the gradients between."
            )
    return ""


def _scopes(source: Source, root: str) -> Iterator[list[ast.AST]]:
    """The parts of the top level, and of each function that uses this name of the top level."""
    for scope in source.nodes:
        if isinstance(scope, ast.Module):
            yield _own_parts(scope)
        elif isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            parts = _own_parts(scope)
            names = [part for part in parts if isinstance(part, ast.Name) and part.id == root]
            arguments = {part.arg for part in parts if isinstance(part, ast.arg)}
            if names and root not in arguments and all(isinstance(name.ctx, ast.Load) for name in names):
                yield parts


def _own_parts(scope: ast.AST) -> list[ast.AST]:
    """Without those of the functions and classes within it."""
    waiting, found = [*ast.iter_child_nodes(scope)], []
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return found


def _cleared_last(source: Source) -> str:
    lines, clears = _backward_lines(source.nodes), _clearing_lines(source.nodes)
    if lines and clears and clears[-1] > lines[-1]:
        return f"Line {clears[-1]} clears the gradients after the backward() in line {lines[-1]}."
    return ""


def _cut(source: Source, roots: set[str]) -> str:
    """Of the first place where a value that comes from one of these names leaves the graph."""
    given = {node.arg for node in source.nodes if isinstance(node, ast.arg)} - roots
    reached = roots | given
    statements = sorted(
        (node for node in source.nodes if isinstance(node, ast.stmt)), key=lambda node: node.lineno
    )
    for statement in statements:
        if isinstance(statement, ast.With | ast.AsyncWith):
            how = next(filter(None, (_unrecorded(item.context_expr) for item in statement.items)), "")
            if how and any(
                _leads_back(value, reached) for part in statement.body for value in _computed(part)
            ):
                return f"Nothing is recorded in the lines under torch.{how}() in line {statement.lineno}."
        value = _flowing(statement)
        if value is None or not _names(value) & reached:
            continue
        for node in _without_conditions(value):
            if how := _leaving(node, reached, given):
                return (
                    f"Line {getattr(node, 'end_lineno', statement.lineno)} takes a value out of the graph "
                    f"with {how}: no gradient finds back through it."
                )
        reached |= _targets(statement)
    return ""


def _leaving(node: ast.AST, reached: set[str], given: set[str]) -> str:
    """How this takes a value out of the graph, as it is written; "" if it does not.

    given: names of arguments; they may be plain numbers, of which a tensor must be made.
    """
    match node:
        case ast.Attribute(value=value, attr="data") if _leads_back(value, reached):
            return ".data"
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _METHODS:
            return f".{name}()" if _leads_back(value, reached) else ""
        case ast.Call(func=func, args=[first, *_]) if last_name(func) in _MAKERS:
            is_given = isinstance(first, ast.Name) and first.id in given
            return f"{last_name(func)}(...)" if _leads_back(first, reached) and not is_given else ""
    return ""


def _leads_back(value: ast.expr, reached: set[str]) -> bool:
    """Whether it is computed from one of the names, and is no gradient: that may be taken out."""
    parts = list(islice(ast.walk(value), MAX_PARTS))
    is_gradient = any(isinstance(part, ast.Attribute) and part.attr == "grad" for part in parts)
    return not is_gradient and any(isinstance(part, ast.Name) and part.id in reached for part in parts)


def _flowing(statement: ast.stmt) -> ast.expr | None:
    """What a statement hands on: a value that is stored, returned, collected or sent backward from."""
    match statement:
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Return(value=value):
            return value
        case ast.AnnAssign(value=value):
            return value
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="backward" | "append")) as call):
            return call
    return None


def _computed(statement: ast.stmt) -> Iterator[ast.expr]:
    return (
        value
        for part in ast.walk(statement)
        if isinstance(part, ast.Assign | ast.AugAssign | ast.AnnAssign) and (value := part.value) is not None
    )


def _targets(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.Assign(targets=targets):
            return {name for target in targets for name in _names(target)}
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return _names(target)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr="append"))):
            return _names(value)
    return set()


def _without_conditions(value: ast.expr) -> Iterator[ast.AST]:
    """The parts of an expression that its value is made of; a number may well be taken out to compare it."""
    waiting: list[ast.AST] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Compare):
            continue
        yield node
        waiting += [
            part
            for part in ast.iter_child_nodes(node)
            if not (isinstance(node, ast.IfExp) and part is node.test)
        ]


def _unrecorded(context: ast.expr) -> str:
    name = last_name(context.func) if isinstance(context, ast.Call) else None
    return name if name in _UNRECORDED else ""


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _backward_lines(parts: list[ast.AST]) -> list[int]:
    return sorted(
        node.end_lineno or node.lineno
        for node in parts
        if isinstance(node, ast.Call) and last_name(node.func) == "backward"
    )


def _clearing_lines(parts: list[ast.AST]) -> list[int]:
    """Lines with zero_grad(), x.grad.zero_(), or something stored in a .grad."""
    return sorted(
        node.lineno
        for node in parts
        if (isinstance(node, ast.Call) and last_name(node.func) in ("zero_grad", "zero_"))
        or (isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Store))
    )
