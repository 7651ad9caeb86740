"""Records the runs of the home page's graph; `python -m tests.web.record_branch_runs` writes them anew.

The page shows what a real run did: values, gradients, autograd nodes and the lines that ran.
test_branch_runs.py runs the code again and compares, so that the stored file cannot drift from PyTorch.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

STORED = Path(__file__).parents[2] / "quizapp" / "static" / "data" / "branch_runs.json"

CODE = """\
x = torch.tensor({x}, requires_grad=True)
y = x * 2
if y.item() > 1.5:
    z = y * 3
else:
    z = y * 4
z.backward()
"""
# From 0.25 to 1.25 in steps of 0.05; written as text, since that is what stands in the code.
XS = [f"{hundredths / 100:.2f}" for hundredths in range(25, 126, 5)]


def record_one(x: str) -> dict[str, Any]:
    """Run the code with this x: what it computed, which nodes it left, which lines ran."""
    code = compile(CODE.format(x=x), "branch.py", "exec")
    names: dict[str, Any] = {"torch": torch}
    lines = _lines_of_a_run(code, names)
    x_tensor, y, z = names["x"], names["y"], names["z"]
    node, nodes = z.grad_fn, []
    while node is not None:
        nodes.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    (grad_y,) = _gradient_at_y(x)
    return {
        "x": x,
        "y": f"{y.item():.2f}",
        "z": f"{z.item():.2f}",
        "branch": "if" if 4 in lines else "else",
        "grad_y": f"{grad_y.item():.1f}",
        "grad_x": f"{x_tensor.grad.item():.1f}",
        "lines": lines,
        "nodes": nodes,
    }


def record() -> dict[str, Any]:
    """All runs, with the code they are of."""
    return {"code": CODE, "runs": [record_one(x) for x in XS]}


def _gradient_at_y(x: str) -> tuple[torch.Tensor, ...]:
    # The same code again without its last line: backward() keeps the gradients of leaves only.
    names: dict[str, Any] = {"torch": torch}
    exec(CODE.format(x=x).removesuffix("z.backward()\n"), names)
    return torch.autograd.grad(names["z"], names["y"])


def _lines_of_a_run(code: CodeType, names: dict[str, Any]) -> list[int]:
    lines: set[int] = set()

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        if frame.f_code is not code:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        exec(code, names)
    finally:
        sys.settrace(before)
    return sorted(lines)


if __name__ == "__main__":
    rows = ",\n    ".join(json.dumps(run) for run in record()["runs"])
    STORED.write_text(f'{{\n  "code": {json.dumps(CODE)},\n  "runs": [\n    {rows}\n  ]\n}}\n')
