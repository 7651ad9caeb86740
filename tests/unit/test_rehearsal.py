"""A rehearsal goes through the whole of a grading: each of its answers is a real one."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

# In a process of its own: a rehearsal takes over the standard streams and the module __main__.
_REHEARSE = """
import json, sys
from graders.inside.rehearsal import rehearse
shown = open({descriptor}, "w")
json.dump(rehearse(sys.argv[1]), shown, default=repr)
"""


def frames_of(role: str) -> list[dict[str, Any]]:
    """What that side would have sent."""
    code = _REHEARSE.replace("{descriptor}", "2")
    done = subprocess.run([sys.executable, "-c", code, role], capture_output=True, text=True, check=True)
    assert done.stdout == "", "a learner must not find our own output in front of theirs"
    frames: list[dict[str, Any]] = json.loads(done.stderr)
    return frames


def test_the_learners_side_loads_and_answers_every_question() -> None:
    loaded, *answers = frames_of("learner")
    assert loaded == {"loaded": True}
    assert len(answers) == 4
    assert all("reply" in answer for answer in answers), answers


def test_the_checkers_side_asks_and_finds_every_check_passed() -> None:
    frames = frames_of("checker")
    assert [frame["check"]["status"] for frame in frames if "check" in frame] == ["passed", "passed"]
    assert sum("ask" in frame for frame in frames) == 6
    assert frames[-1] == {"done": True}


@pytest.mark.parametrize("role", ["learner", "checker"])
def test_it_is_the_same_each_time(role: str) -> None:
    assert frames_of(role) == frames_of(role)
