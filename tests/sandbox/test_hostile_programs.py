"""Each file in escapes/ is run as a learner's program and must end as its first line says; none of those in
forgeries/ may pass. After each, an honest answer is graded as if nothing had happened.
"""

from __future__ import annotations

import gc
import os
import re
import secrets
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from graders.exercise import Exercise, Limits
from graders.grader import Grader, Level
from graders.verdict import Status

HERE = Path(__file__).parent
ESCAPES = sorted((HERE / "escapes").glob("*.py"))
FORGERIES = sorted((HERE / "forgeries").glob("*.py"))

pytestmark = pytest.mark.sandbox


def expected_status(source: str, level: Level) -> Status:
    """What its first line says. "alone": at the levels without namespaces, where a jail is one process."""
    first = source.split("\n", 1)[0]
    found = re.fullmatch(r"# expect: ([a-z-]+)(?:; alone: ([a-z-]+))?", first)
    assert found, (
        f"the first line must be '# expect: STATUS' or '# expect: STATUS; alone: STATUS', not {first!r}"
    )
    return Status(found[1] if level is Level.FULL else found[2] or found[1])


def children_of_this_process() -> set[str]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"PPid:\t{os.getpid()}\n" in (entry / "status").read_text():
                    found.add(entry.name)
            except OSError:
                continue
    return found


@pytest.mark.parametrize("program", ESCAPES, ids=lambda path: path.stem)
def test_a_hostile_program_ends_as_its_first_line_says(
    program: Path, grader: Grader, branch_gradient: Exercise, tmp_path: Path
) -> None:
    canary, marker = tmp_path / "canary", tmp_path / "marker"
    secret = "CANARY-" + secrets.token_hex(8)
    canary.write_text(secret)
    os.chmod(canary, 0o644)
    os.chmod(tmp_path, 0o777)
    source = program.read_text()
    wanted = expected_status(source, grader.level)
    if "# levels: full" in source and grader.level is not Level.FULL:
        pytest.skip("where there are no namespaces, the names of the host's files are no secret")

    report = grader.run(
        source.replace("@CANARY@", str(canary)).replace("@MARKER@", str(marker)),
        limits=Limits(cpu_seconds=1, wall_seconds=2, memory_mib=128),
    )

    assert report.status is wanted, report
    shown = report.output.stdout + report.output.stderr + report.summary
    assert "ESCAPED" not in shown
    assert secret not in shown
    assert not marker.exists()
    assert canary.read_text() == secret
    assert grader.grade(branch_gradient, branch_gradient.solution).status is Status.PASSED


@pytest.mark.parametrize("program", FORGERIES, ids=lambda path: path.stem)
def test_a_forged_answer_does_not_pass(program: Path, grader: Grader, branch_gradient: Exercise) -> None:
    verdict = grader.grade(branch_gradient, program.read_text())

    assert verdict.status in (Status.FAILED, Status.ERROR, Status.CRASHED), verdict
    assert "ESCAPED" not in verdict.output.stdout
    assert grader.grade(branch_gradient, branch_gradient.solution).status is Status.PASSED


def test_the_limits_own_words_name_their_value(grader: Grader) -> None:
    limits = Limits(cpu_seconds=1, wall_seconds=20, memory_mib=128, processes=8)

    def told(source: str, limits: Limits = limits) -> str:
        return grader.run(source, limits=limits).summary

    assert "1 seconds of processor time" in told("while True: pass")
    assert "1.5 seconds" in told("import time; time.sleep(9)", Limits(cpu_seconds=1, wall_seconds=1.5))
    assert "128 MiB" in told("b'x' * (1 << 30)")
    assert "8 processes" in told(
        "import threading\nwait = threading.Event()\n"
        "for _ in range(9): threading.Thread(target=wait.wait, daemon=True).start()\n"
        "wait.wait(9)"
    )
    assert "1 MiB" in told("while True: print('x' * 1000)")


class TestJustUnderALimit:
    """The programs that must not be refused."""

    def test_memory(self, grader: Grader) -> None:
        source = "import torch\nx = torch.ones((96 << 20) // 4)\nprint(x.sum().item() > 0)"
        assert grader.run(source, limits=Limits(memory_mib=128)).output.stdout == "True\n"

    def test_threads(self, grader: Grader) -> None:
        source = (
            "import threading\nwait = threading.Event()\n"
            "threads = [threading.Thread(target=wait.wait) for _ in range(7)]\n"
            "for thread in threads: thread.start()\n"
            "wait.set()\nfor thread in threads: thread.join()\nprint(len(threads))"
        )
        assert grader.run(source, limits=Limits(processes=8)).output.stdout == "7\n"

    def test_output_is_kept_up_to_its_limit_and_what_is_cut_is_counted(self, grader: Grader) -> None:
        under = grader.run("print('x' * 1023)", limits=Limits(output_kib=1))
        over = grader.run("print('é' * 600)", limits=Limits(output_kib=1))
        assert (len(under.output.stdout), under.output.stdout_cut) == (1024, 0)
        # 1200 bytes and a line's end were printed; the cut falls between two signs of two bytes each.
        assert over.output.stdout == "é" * 512
        assert over.output.stdout_cut == 177
        assert over.status is Status.PASSED

    def test_a_cut_inside_a_character_shows_no_half_of_it(self, grader: Grader) -> None:
        report = grader.run("print('x' + 'é' * 600)", limits=Limits(output_kib=1))
        assert report.output.stdout == "x" + "é" * 511


def test_bytes_that_are_no_text_are_shown_replaced(grader: Grader) -> None:
    report = grader.run("import os; os.write(1, b'a\\xffb')")
    assert report.output.stdout == "a\ufffdb"


def test_what_was_loaded_lazily_loads_inside(grader: Grader) -> None:
    source = (
        "import torch, json, sqlite3, decimal, unittest, fractions, statistics, dataclasses\n"
        "import numpy.random, numpy.linalg, torch.autograd.forward_ad, torch.utils.checkpoint\n"
        "w = torch.nn.Linear(2, 2)\n"
        "optimizer = torch.optim.AdamW(w.parameters())\n"
        "w(torch.ones(3, 2)).sum().backward(); optimizer.step()\n"
        "print(torch.func.grad(lambda t: t ** 3)(torch.tensor(2.0)).item())\n"
        "print(torch.compile(lambda t: t * 2, backend='eager')(torch.tensor(2.0)).item())\n"
        "print(torch.conv1d(torch.ones(1, 1, 5), torch.ones(1, 1, 2)).sum().item())"
    )
    report = grader.run(source, limits=Limits(cpu_seconds=10, wall_seconds=20))
    assert report.output.stdout == "12.0\n4.0\n8.0\n", report


def test_many_gradings_leave_no_process_and_no_descriptor_behind(
    grader: Grader, branch_gradient: Exercise
) -> None:
    def settled() -> tuple[int, set[str]]:
        gc.collect()
        time.sleep(1)
        return len(os.listdir("/proc/self/fd")), children_of_this_process()

    grader.grade(branch_gradient, branch_gradient.solution)
    before = settled()
    for _ in range(20):
        grader.grade(branch_gradient, branch_gradient.solution)
        grader.run("import os\nif os.fork() == 0:\n    import time; time.sleep(60)")
    assert settled() == before


def test_a_grader_that_is_closed_starts_nothing_anew_for_what_was_under_way(
    branch_gradient: Exercise, level: Level | None
) -> None:
    slow = replace(branch_gradient, limits=Limits(cpu_seconds=60, wall_seconds=60))
    before = children_of_this_process()
    own = Grader(slots=1, level=level)
    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(own.grade, slow, "import time\nprint(1, flush=True)\ntime.sleep(60)\n")
        time.sleep(0.5)
        own.close()
        assert under_way.result(timeout=20).status is Status.FAULT
    assert own.grade(branch_gradient, branch_gradient.solution).status is Status.FAULT
    assert children_of_this_process() == before


def test_a_template_that_has_made_its_share_is_replaced_while_it_serves(
    branch_gradient: Exercise, level: Level | None
) -> None:
    with Grader(slots=1, level=level) as own:
        first, own._nursery._renew_after = own._nursery._template, 12
        for _ in range(2000):
            assert own.grade(branch_gradient, branch_gradient.solution).status is Status.PASSED
            if own._nursery._template is not first:
                break
        else:
            pytest.fail("2000 gradings, and the template is still the first one")
        assert own.grade(branch_gradient, branch_gradient.solution).status is Status.PASSED
        own._nursery._renew_after = 1_000_000
        for _ in range(50):
            if not own._nursery._leaving:
                break
            time.sleep(0.1)
            own.grade(branch_gradient, branch_gradient.solution)
        assert own._nursery._leaving == []


def test_a_template_that_was_killed_is_replaced_and_the_grading_done(
    branch_gradient: Exercise, level: Level | None
) -> None:
    with Grader(slots=1, level=level) as own:
        assert own.grade(branch_gradient, branch_gradient.solution).status is Status.PASSED
        pidfd = own._nursery._template.pidfd
        assert pidfd is not None
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        assert own.grade(branch_gradient, branch_gradient.solution).status is Status.PASSED


def test_a_source_of_64_kib_is_read_and_one_byte_more_is_not(grader: Grader) -> None:
    whole = "print('read')\n" + "#" * (65536 - 14)
    assert grader.run(whole).output.stdout == "read\n"
    report = grader.run(whole + "#")
    assert report.status is Status.NOT_GRADABLE
    assert "65,537 bytes; at most 65,536" in report.summary


class TestSeeds:
    """A seed is drawn for each grading, and repeats it."""

    def test_each_grading_draws_its_own(self, grader: Grader, branch_gradient: Exercise) -> None:
        seeds = {grader.grade(branch_gradient, branch_gradient.solution).seed for _ in range(5)}
        assert len(seeds) == 5

    def test_the_same_seed_gives_the_same_randomness_and_the_same_verdict(
        self, grader: Grader, branch_gradient: Exercise
    ) -> None:
        source = branch_gradient.solution + (
            "\nimport random, numpy\nprint(random.random(), numpy.random.rand(), torch.rand(1).item())\n"
        )
        first = grader.grade(branch_gradient, source)
        again = grader.grade(branch_gradient, source, seed=first.seed)
        other = grader.grade(branch_gradient, source)
        assert again.output.stdout == first.output.stdout
        assert again.checks == first.checks
        assert other.output.stdout != first.output.stdout

    def test_a_seed_of_another_form_is_refused(self, grader: Grader, branch_gradient: Exercise) -> None:
        with pytest.raises(ValueError, match="32 hexadecimal digits"):
            grader.grade(branch_gradient, "x = 1", seed="7")


class TestWhoseFault:
    """What the author did wrong costs the learner nothing."""

    @pytest.mark.parametrize(
        "checks",
        [
            "this is no Python",
            "",
            "from graders.checks import check\n@check('it raises')\ndef c(answer):\n    1 / 0",
            "from graders.checks import check\n@check('it hangs')\ndef c(answer):\n    while True: pass",
            "import os\nos._exit(0)",
            "import os\nos.write(3, b'\\xff\\xff\\xff\\xff')",
        ],
        ids=["unreadable", "empty", "raises", "hangs", "exits", "lies"],
    )
    def test_checks_that_do_not_work_are_broken(
        self, grader: Grader, branch_gradient: Exercise, checks: str
    ) -> None:
        data = branch_gradient.to_json()
        data.update(checks=checks, expects=[])
        broken = Exercise.from_json(data)
        verdict = grader.grade(broken, broken.solution)
        assert verdict.status is Status.BROKEN
        assert not verdict.status.costs_attempt
        assert verdict.author_log
        assert "not your fault" in verdict.summary

    def test_the_unchanged_starter_costs_nothing(self, grader: Grader, branch_gradient: Exercise) -> None:
        verdict = grader.grade(branch_gradient, branch_gradient.starter.replace("\n", "\r\n") + "\n\n")
        assert verdict.status is Status.NOT_GRADABLE
        assert "still the code" in verdict.summary

    def test_code_that_cannot_be_parsed_costs_nothing(
        self, grader: Grader, branch_gradient: Exercise
    ) -> None:
        verdict = grader.grade(branch_gradient, "x = (\n")
        assert verdict.status is Status.NOT_GRADABLE
        assert verdict.error is not None
        assert verdict.error.line == 1
