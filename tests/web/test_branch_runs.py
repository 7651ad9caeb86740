"""The graph on the home page shows runs that PyTorch really makes."""

from __future__ import annotations

import json

import pytest

from tests.web import record_branch_runs as recorder

STORED = json.loads(recorder.STORED.read_text())


def test_the_stored_runs_are_of_the_code_that_is_shown() -> None:
    assert STORED["code"] == recorder.CODE
    assert [run["x"] for run in STORED["runs"]] == recorder.XS


@pytest.mark.parametrize("run", STORED["runs"], ids=lambda run: f"x={run['x']}")
def test_running_the_code_again_gives_the_stored_run(run: dict[str, object]) -> None:
    assert recorder.record_one(str(run["x"])) == run


def test_the_branch_flips_just_after_three_quarters() -> None:
    by_x = {run["x"]: run for run in STORED["runs"]}
    assert (by_x["0.75"]["branch"], by_x["0.75"]["grad_x"]) == ("else", "8.0")
    assert (by_x["0.80"]["branch"], by_x["0.80"]["grad_x"]) == ("if", "6.0")
