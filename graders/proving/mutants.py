"""Solutions with one small mistake each: what learners do wrong in PyTorch, made by machine.

Every kind of mistake is one function that yields the changes which it would make to one node of the syntax
tree. A mutant is the whole solution with one of them applied. Checks that let a mutant through would let the
learner through who makes that mistake.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

MAX_MUTANTS: Final = 120  # of one solution; of a longer list every n-th is taken

# One change: the node that takes the old one's place; None takes a statement out; a list is several of them.
Change = ast.AST | list[ast.stmt] | None

_WITH_DIM: Final = {
    "mean", "sum", "softmax", "log_softmax", "cat", "stack", "argmax", "argmin", "max", "min", "norm", "std",
    "var", "cumsum", "prod", "unbind", "unsqueeze", "squeeze", "split", "chunk", "flatten", "any", "all",
}  # fmt: skip
_OTHER_NAMES: Final = {
    "relu": "tanh", "tanh": "relu", "sigmoid": "tanh", "sum": "mean", "mean": "sum", "max": "min",
    "min": "max", "zeros": "ones", "ones": "zeros", "zeros_like": "ones_like", "ones_like": "zeros_like",
    "argmax": "argmin", "argmin": "argmax", "sin": "cos", "cos": "sin", "eval": "train", "train": "eval",
}  # fmt: skip
_OTHER_DTYPES: Final = {
    "float32": "float64", "float64": "float32", "float": "double", "double": "float", "long": "int32",
    "int64": "int32", "bool": "int64",
}  # fmt: skip
_OTHER_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip
_OTHER_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Gt: ast.Lt, ast.Lt: ast.Gt, ast.GtE: ast.Lt, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_IN_PLACE: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One changed solution.

    kind: of the mistake. line: of the solution, from 1. change: "was → is", as an author reads and excuses
    it. source: of the whole mutant, without comments.
    """

    kind: str
    line: int
    change: str
    source: str


def mutants(solution: str) -> tuple[Mutant, ...]:
    """All mutants of a solution, in the order of its lines, at most MAX_MUTANTS. Raises: SyntaxError."""
    tree = ast.parse(solution)
    shown_only = {
        id(node) for statement in ast.walk(tree) if _is_shown_only(statement) for node in ast.walk(statement)
    }
    unchanged = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in shown_only:
            continue
        for kind, operator in OPERATORS.items():
            for change in operator(node):
                source = _applied(tree, place, change)
                if source != unchanged and source not in found:
                    line = getattr(node, "lineno", 1)
                    found[source] = Mutant(kind, line, _told(node, change, unchanged, source), source)
    listed = sorted(found.values(), key=lambda mutant: mutant.line)
    return tuple(listed[:: -(-len(listed) // MAX_MUTANTS)]) if listed else ()


def _is_shown_only(node: ast.AST) -> bool:
    """Whether a statement only shows something to whoever runs the file: a print, or a script's part."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return isinstance(node.value.func, ast.Name) and node.value.func.id == "print"
    return isinstance(node, ast.If) and "__name__" in {
        name.id for name in ast.walk(node.test) if isinstance(name, ast.Name)
    }


def _applied(tree: ast.Module, place: int, change: Change) -> str:
    """The source with the node at this place of the walk replaced."""
    changed = copy.deepcopy(tree)
    target = next(node for at, node in enumerate(ast.walk(changed)) if at == place)
    _Replacing(target, copy.deepcopy(change)).visit(changed)
    return ast.unparse(ast.fix_missing_locations(changed))


class _Replacing(ast.NodeTransformer):
    def __init__(self, target: ast.AST, change: Change) -> None:
        self._target = target
        self._change = change

    def visit(self, node: ast.AST) -> Change:
        if node is self._target:
            return ast.Pass() if self._change is None else self._change
        result: Change = self.generic_visit(node)
        return result


def _told(node: ast.AST, change: Change, before: str, after: str) -> str:
    """The changed line, was and is; of a function the head."""
    if isinstance(node, ast.FunctionDef):
        return f"def {node.name} → its body under torch.no_grad()"
    if isinstance(change, list):
        return f"{ast.unparse(node)} → twice"
    lines = zip(before.splitlines(), after.splitlines(), strict=False)
    was, now = next((was.strip(), now.strip()) for was, now in lines if was != now)
    return f"{was} → {'left out' if change is None else now}"


def _left_out(node: ast.AST) -> Iterator[Change]:
    """zero_grad(), backward(), step(), an update in place: forgotten."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield None
    if isinstance(node, ast.AugAssign):
        yield None


def _twice(node: ast.AST) -> Iterator[Change]:
    """backward() or step() called again."""
    if isinstance(node, ast.Expr) and _method(node.value) in {"backward", "step"}:
        yield [node, node]


def _values(node: ast.AST) -> ast.expr | None:
    """The value of a statement that names or returns one."""
    if isinstance(node, ast.Assign | ast.Return) or (isinstance(node, ast.AnnAssign) and node.value):
        value = node.value
        return None if isinstance(value, ast.Constant | ast.Lambda) else value
    return None


def _with_value(node: ast.AST, value: ast.expr) -> ast.AST:
    changed = copy.copy(node)
    changed.value = value  # type: ignore[attr-defined]
    return changed


def _detached(node: ast.AST) -> Iterator[Change]:
    """The graph cut behind a value."""
    if (value := _values(node)) is not None:
        yield _with_value(node, _called(value, "detach"))


def _data(node: ast.AST) -> Iterator[Change]:
    """What is returned, taken by .data."""
    if isinstance(node, ast.Return) and (value := _values(node)) is not None:
        yield _with_value(node, ast.Attribute(value, "data", ast.Load()))


def _item_early(node: ast.AST) -> Iterator[Change]:
    """A number where a tensor was."""
    if (value := _values(node)) is not None and _method(value) != "item":
        yield _with_value(node, _called(value, "item"))


def _without_grad(node: ast.AST) -> Iterator[Change]:
    """A function whose body runs under no_grad."""
    if isinstance(node, ast.FunctionDef):
        no_grad = ast.withitem(ast.parse("torch.no_grad()", mode="eval").body)
        changed = copy.copy(node)
        changed.body = [ast.With([no_grad], node.body)]
        yield changed


def _other_branch(node: ast.AST) -> Iterator[Change]:
    """A condition turned round."""
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        changed = copy.copy(node)
        changed.test = ast.UnaryOp(ast.Not(), node.test)
        yield changed
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OTHER_COMPARISONS:
        changed_compare = copy.copy(node)
        changed_compare.ops = [_OTHER_COMPARISONS[type(node.ops[0])](), *node.ops[1:]]
        yield changed_compare
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.BoolOp(other, node.values)


def _other_dim(node: ast.AST) -> Iterator[Change]:
    """Another dimension than the one meant."""
    if (
        isinstance(node, ast.keyword)
        and node.arg in {"dim", "axis"}
        and (dim := _whole(node.value)) is not None
    ):
        yield ast.keyword(node.arg, _number(_another_dim(dim)))
    if isinstance(node, ast.Call) and _method(node) in _WITH_DIM:
        for at, argument in enumerate(node.args):
            if (dim := _whole(argument)) is not None:
                changed = copy.copy(node)
                changed.args = [*node.args[:at], _number(_another_dim(dim)), *node.args[at + 1 :]]
                yield changed


def _another_dim(dim: int) -> int:
    return {0: 1, 1: 0, -1: 0}.get(dim, dim - 1)


def _transposed(node: ast.AST) -> Iterator[Change]:
    """A transposition forgotten, or the factors of a matrix product exchanged."""
    if isinstance(node, ast.Attribute) and node.attr in {"T", "mT"}:
        yield node.value
    if isinstance(node, ast.Call) and _method(node) in {"t", "transpose", "permute"}:
        assert isinstance(node.func, ast.Attribute)
        yield node.func.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield ast.BinOp(node.right, ast.MatMult(), node.left)


def _off_by_one(node: ast.AST) -> Iterator[Change]:
    """One step too few or too many, one place beside."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        for step in (ast.Sub(), ast.Add()):
            changed = copy.copy(node)
            last = min(1, len(node.args) - 1)
            changed.args = [*node.args]
            changed.args[last] = ast.BinOp(node.args[last], step, _number(1))
            yield changed
    if isinstance(node, ast.Slice):
        for bound in ("lower", "upper"):
            if (value := getattr(node, bound)) is not None:
                changed_slice = copy.copy(node)
                setattr(changed_slice, bound, ast.BinOp(value, ast.Sub(), _number(1)))
                yield changed_slice
    if isinstance(node, ast.Subscript) and (index := _whole(node.slice)) is not None:
        yield ast.Subscript(node.value, _number(index - 1 if index < 0 else index + 1), node.ctx)


def _other_constant(node: ast.AST) -> Iterator[Change]:
    """Another number, another truth value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)


def _for_nothing(node: ast.AST) -> Iterator[Change]:
    """Zero in place of what was to be computed."""
    if isinstance(node, ast.Return) and (value := _values(node)) is not None:
        yield _with_value(node, ast.BinOp(value, ast.Mult(), _number(0)))


def _in_place(node: ast.AST) -> Iterator[Change]:
    """An operation that overwrites its operand, which backward may still need."""
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name) and type(node.op) in _IN_PLACE:
        yield ast.Call(ast.Attribute(node.left, _IN_PLACE[type(node.op)], ast.Load()), [node.right], [])


def _not_required(node: ast.AST) -> Iterator[Change]:
    """requires_grad forgotten."""
    if isinstance(node, ast.Call):
        kept = [word for word in node.keywords if word.arg != "requires_grad"]
        if len(kept) < len(node.keywords):
            changed = copy.copy(node)
            changed.keywords = kept
            yield changed
        if _method(node) == "requires_grad_":
            assert isinstance(node.func, ast.Attribute)
            yield node.func.value


def _other_dtype(node: ast.AST) -> Iterator[Change]:
    """A dtype forgotten, or another one."""
    if isinstance(node, ast.Call):
        kept = [word for word in node.keywords if word.arg != "dtype"]
        if len(kept) < len(node.keywords):
            changed = copy.copy(node)
            changed.keywords = kept
            yield changed
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "torch"
        and node.attr in _OTHER_DTYPES
    ):
        yield ast.Attribute(node.value, _OTHER_DTYPES[node.attr], node.ctx)


def _other_name(node: ast.AST) -> Iterator[Change]:
    """A neighbour of the function that was meant."""
    if isinstance(node, ast.Call):
        changed = copy.copy(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _OTHER_NAMES:
            changed.func = ast.Attribute(node.func.value, _OTHER_NAMES[node.func.attr], node.func.ctx)
            yield changed


def _other_operator(node: ast.AST) -> Iterator[Change]:
    """Another arithmetic."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _OTHER_OPERATORS:
        changed = copy.copy(node)
        changed.op = _OTHER_OPERATORS[type(node.op)]()
        yield changed
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not _is_number(node.operand):
        yield node.operand


OPERATORS: Final[dict[str, Callable[[ast.AST], Iterator[Change]]]] = {
    "left out": _left_out,
    "twice": _twice,
    "detach": _detached,
    ".data": _data,
    ".item() early": _item_early,
    "no_grad": _without_grad,
    "other branch": _other_branch,
    "other dim": _other_dim,
    "transposed": _transposed,
    "off by one": _off_by_one,
    "other constant": _other_constant,
    "nothing computed": _for_nothing,
    "in place": _in_place,
    "requires_grad forgotten": _not_required,
    "other dtype": _other_dtype,
    "other function": _other_name,
    "other operator": _other_operator,
}


def _method(node: ast.AST | None) -> str | None:
    """The name of the method, or of the function of a module, that a call calls."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr
    return None


def _called(value: ast.expr, method: str) -> ast.Call:
    return ast.Call(ast.Attribute(value, method, ast.Load()), [], [])


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _whole(node: ast.expr) -> int | None:
    """The whole number that is written here, if one is."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _whole(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _number(value: int) -> ast.expr:
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0 else ast.Constant(value)
