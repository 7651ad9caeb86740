"""The doctor tries each layer for real, and a layer that is left out is found missing."""

from __future__ import annotations

import os

import pytest

from graders import doctor
from graders.doctor import TRIALS, examine
from graders.grader import Grader, Level
from graders.sandbox.level import choose
from graders.sandbox.seal import LAYERS

pytestmark = pytest.mark.sandbox


def test_every_attempt_is_stopped_and_the_layer_is_what_stops_it(level: Level | None) -> None:
    report = examine(level)

    assert report.level == choose(level).value, report.problem
    assert report.ok
    assert [wall for wall in report.walls if not wall.ok] == []
    # Without the layer the attempt succeeds, but for the few that this user or machine refuses in any case.
    unproved = {wall.attempt for wall in report.walls if not wall.proved}
    assert unproved <= {
        "make a file beside the interpreter's modules",
        "become root",
        "open a key ring of the kernel",
    }
    assert len(report.walls) >= len(TRIALS[choose(level)]) + 4  # what is held from outside, and residue


@pytest.mark.parametrize("layer", ["system_calls", "files", "rights", "rlimits", "no_other_descriptor"])
def test_a_layer_that_is_left_out_is_found(
    layer: str, level: Level | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = choose(level)
    if layer not in {each.__name__ for each in LAYERS[chosen]}:
        pytest.skip(f"the level {chosen} has no layer {layer}")
    if layer == "rights" and os.geteuid() != 0:
        pytest.skip("an ordinary user's jail has no rights to lose: its user namespace holds by itself")
    through = Grader.attempt
    monkeypatch.setattr(
        Grader,
        "attempt",
        lambda self, name, needs, *, limits, without=frozenset(): through(
            self, name, needs, limits=limits, without=without | {layer}
        ),
    )

    report = examine(level)

    assert report.level == "none"
    assert "were not stopped" in report.problem
    assert not report.ok


def test_every_layer_that_can_be_left_out_exists() -> None:
    for level, trials in TRIALS.items():
        known = {layer.__name__ for at in LAYERS.values() for layer in at}
        here = {layer.__name__ for layer in LAYERS[level]}
        for trial in trials:
            left_out = trial.alone | (trial.control or frozenset())
            assert left_out <= known, trial
            assert trial.control is None or (trial.control - trial.alone) & here, trial


def test_a_level_that_cannot_be_had_is_none_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_wanted: Level | None = None) -> Level:
        raise doctor.SandboxError("namespaces are refused (for the test)")

    monkeypatch.setattr("graders.grader.choose", refuse)
    report = examine()
    assert (report.level, report.ok, report.walls) == ("none", False, ())
    assert "for the test" in report.problem
