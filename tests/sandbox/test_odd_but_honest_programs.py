"""Right answers in an unusual style pass."""

from __future__ import annotations

import pytest

from graders.exercise import Exercise
from graders.grader import Grader, Level
from graders.verdict import Status

pytestmark = pytest.mark.sandbox


@pytest.mark.parametrize(
    "extra",
    [
        "type = len = isinstance = None",
        "import builtins\nbuiltins.len = lambda _value: 7",
        "import sys\nsys.stdout.close()",
        "import sys\nsys.stdout = sys.stderr = None",
        "import os\nos.chdir('/')\nos.environ.clear()",
        "import torch\ntorch.set_default_dtype(torch.float64)",
        "import torch\ntorch.set_num_threads(2)\ntorch.randn(2_000_000).exp().sum()",
        "import threading\nthreading.Thread(target=lambda: None).start()",
        "import warnings\nwarnings.warn('a harmless warning')",
        "if __name__ == '__main__':\n    print('as a script: π ≈ 3.14159')",
        "import tempfile, torch\nwith tempfile.TemporaryFile() as file:\n    torch.save(torch.ones(2), file)",
    ],
    ids=lambda source: source.splitlines()[-1].strip()[:40],
)
def test_it_passes(grader: Grader, branch_gradient: Exercise, extra: str) -> None:
    verdict = grader.grade(branch_gradient, f"{branch_gradient.solution}\n\n{extra}\n")
    assert verdict.status is Status.PASSED, verdict


@pytest.mark.parametrize("end", ["print('child')", "raise ValueError('in the child')"])
def test_a_child_that_comes_to_the_programs_end_does_not_answer_for_it(
    end: str, grader: Grader, branch_gradient: Exercise
) -> None:
    if grader.level is not Level.FULL:
        pytest.skip("where there are no namespaces, a program is one process")
    forks = f"import os\nchild = os.fork()\nif child == 0:\n    {end}\nelse:\n    os.waitpid(child, 0)\n"
    for _ in range(5):
        verdict = grader.grade(branch_gradient, f"{forks}\n{branch_gradient.solution}")
        assert verdict.status is Status.PASSED, verdict
        report = grader.run(forks)
        assert report.status is Status.PASSED, report
    told = report.output.stdout + report.output.stderr
    assert told == ("child\n" if "print" in end else "In a child process: ValueError: in the child\n")
