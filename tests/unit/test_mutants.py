"""Each kind of mistake is made where it can be made, and nowhere else."""

from __future__ import annotations

import ast

import pytest

from graders.proving.mutants import MAX_MUTANTS, OPERATORS, mutants

# By kind: a line, the changes that this kind makes of it, and a line that it leaves alone.
KINDS = {
    "left out": ("opt.zero_grad()", ["opt.zero_grad() → left out"], "loss = model(x)"),
    "twice": ("z.backward()", ["z.backward() → twice"], "opt.zero_grad()"),
    "detach": ("y = x * a", ["y = x * a → y = (x * a).detach()"], "y = 3"),
    ".data": ("def f(x):\n    return x", ["return x → return x.data"], "y = x"),
    ".item() early": ("y = f(x)", ["y = f(x) → y = f(x).item()"], "y = x.item()"),
    "no_grad": ("def f(x):\n    return x", ["def f → its body under torch.no_grad()"], "y = f(x)"),
    "other branch": (
        "y = a if x > 0 else b",
        [
            "y = a if x > 0 else b → y = a if not x > 0 else b",
            "y = a if x > 0 else b → y = a if x < 0 else b",
        ],
        "y = a + b",
    ),
    "other dim": ("y = x.sum(dim=1)", ["y = x.sum(dim=1) → y = x.sum(dim=0)"], "y = torch.zeros(1)"),
    "transposed": ("y = a @ b.T", ["y = a @ b.T → y = b.T @ a", "y = a @ b.T → y = a @ b"], "y = a * b"),
    "off by one": (
        "for i in range(n):\n    pass",
        ["for i in range(n): → for i in range(n - 1):", "for i in range(n): → for i in range(n + 1):"],
        "y = x[i]",
    ),
    "other constant": ("y = x * 2.5", ["y = x * 2.5 → y = x * 3.5"], "y = x * a"),
    "nothing computed": ("def f(x):\n    return g(x)", ["return g(x) → return g(x) * 0"], "y = g(x)"),
    "in place": ("y = x * a", ["y = x * a → y = x.mul_(a)"], "y = f(x) * a"),
    "requires_grad forgotten": (
        "x = torch.ones(n, requires_grad=True)",
        ["x = torch.ones(n, requires_grad=True) → x = torch.ones(n)"],
        "x = torch.ones(n)",
    ),
    "other dtype": (
        "y = x.to(torch.float64)",
        ["y = x.to(torch.float64) → y = x.to(torch.float32)"],
        "y = x.T",
    ),
    "other function": ("y = torch.relu(x)", ["y = torch.relu(x) → y = torch.tanh(x)"], "y = torch.exp(x)"),
    "other operator": ("y = a + b", ["y = a + b → y = a - b"], "y = a"),
}


def of_kind(kind: str, source: str) -> list[str]:
    return [mutant.change for mutant in mutants(source) if mutant.kind == kind]


def test_every_kind_has_its_line_here() -> None:
    assert KINDS.keys() == OPERATORS.keys()


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_mistake_is_made_where_it_can_be_made(kind: str) -> None:
    source, changes, alone = KINDS[kind]
    assert of_kind(kind, source) == changes
    assert of_kind(kind, alone) == []


def test_each_mutant_is_another_program_and_says_which_line_it_changes() -> None:
    source = "import torch\n\n\ndef f(x):\n    # a comment\n    y = x * 2\n    return y.sum(dim=-1)\n"
    found = mutants(source)
    assert len({mutant.source for mutant in found}) == len(found) > 8
    for mutant in found:
        ast.parse(mutant.source)
        assert mutant.source != ast.unparse(ast.parse(source))
    assert {mutant.line for mutant in found} == {4, 6, 7}
    assert [mutant.line for mutant in found] == sorted(mutant.line for mutant in found)


@pytest.mark.parametrize(
    "shown_only", ["print(x.sum(dim=0) + 1)", "if __name__ == '__main__':\n    y = x * 2\n    y.backward()"]
)
def test_what_only_shows_something_is_left_alone(shown_only: str) -> None:
    assert mutants(shown_only) == ()


def test_of_a_long_solution_no_more_are_taken_than_there_is_time_for() -> None:
    many = mutants("\n".join(f"y{number} = x{number} * 2" for number in range(200)))
    assert MAX_MUTANTS / 2 < len(many) <= MAX_MUTANTS
    assert many[-1].line > 190
