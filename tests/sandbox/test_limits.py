"""Every limit by a pair of programs: one just under it, which runs to its end, and one just over it, which is
stopped and told the limit's value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from graders.exercise import Exercise, Limits
from graders.grader import Grader, Level
from graders.verdict import CheckStatus, Status

pytestmark = pytest.mark.sandbox

LIMITS = Limits(cpu_seconds=20, wall_seconds=20, memory_mib=128, processes=8, output_kib=64)

_WAIT = "import time\nend = time.monotonic() + {0}\nwhile time.monotonic() < end: time.sleep(0.01)\n"
_SPIN = "import time\nwhile time.process_time() < {0}: pass\n"
_TENSOR = "import torch, time\nx = torch.ones(({0} << 20) // 4)\ntime.sleep(0.3)\n"
_SHARED = "open('/dev/shm/one', 'wb').write(bytes({0} << 20))\n"
_THREADS = (
    "import threading, time\nwait = threading.Event()\n"
    "threads = [threading.Thread(target=wait.wait) for _ in range({0})]\n"
    "for thread in threads: thread.start()\n"
    "time.sleep(0.3)\nwait.set()\nfor thread in threads: thread.join()\n"
)
_PROCESSES = (
    "import os, time\nfor _ in range({0}):\n    if os.fork() == 0:\n"
    "        time.sleep(0.5)\n        os._exit(0)\n"
)
_TOGETHER = (
    "import os, time\nfor _ in range(2):\n    if os.fork() == 0:\n"
    "        held = bytearray({0} << 20)\n        time.sleep(0.5)\n        os._exit(0)\ntime.sleep(0.5)\n"
)
_OUTPUT = "import sys\nfor _ in range({0}): sys.stdout.write('x' * 1023 + '\\n')\n"
_OPEN = "held = [open('/dev/null') for _ in range({0})]\n"
_FILE = "import tempfile\nopen(tempfile.gettempdir() + '/one', 'wb').write(bytes({0} << 20))\n"
_FILES = (
    "import tempfile, time\nfor number in range(3):\n"
    "    open(f'{{tempfile.gettempdir()}}/{{number}}', 'wb').write(bytes({0} << 20))\ntime.sleep(0.3)\n"
)
_COUNT = (
    "import tempfile, time\nfor number in range({0}):\n"
    "    open(f'{{tempfile.gettempdir()}}/{{number}}', 'w').close()\ntime.sleep(0.3)\n"
)


@dataclass(frozen=True)
class Pair:
    """A program with one number in it; with `under` it runs through, with `over` it ends as `status`."""

    program: str
    under: float
    over: float
    status: Status
    says: str
    limits: Limits = LIMITS


PAIRS = {
    "wall clock": Pair(
        _WAIT, 0.7, 1.5, Status.TIMEOUT, "after 1 seconds", replace(LIMITS, cpu_seconds=1, wall_seconds=1)
    ),
    "processor time": Pair(
        _SPIN, 0.5, 1.5, Status.TIMEOUT, "1 seconds of processor time", replace(LIMITS, cpu_seconds=1)
    ),
    "memory": Pair(_TENSOR, 112, 200, Status.MEMORY, "128 MiB of memory"),
    "shared memory": Pair(_SHARED, 15, 17, Status.FORBIDDEN, "16 MiB of shared memory"),
    "memory of several processes": Pair(_TOGETHER, 40, 110, Status.MEMORY, "128 MiB of memory"),
    "threads": Pair(_THREADS, 7, 9, Status.TOO_MANY_PROCESSES, "8 processes and threads"),
    "processes": Pair(_PROCESSES, 6, 9, Status.TOO_MANY_PROCESSES, "8 processes and threads"),
    "output": Pair(_OUTPUT, 1024, 1025, Status.OUTPUT_LIMIT, "1 MiB"),
    "open files": Pair(_OPEN, 250, 257, Status.FORBIDDEN, "256 files open"),
    "one file": Pair(_FILE, 60, 65, Status.FORBIDDEN, "64 MiB, the limit for one file"),
    "all files": Pair(_FILES, 20, 24, Status.FORBIDDEN, "64 MiB of temporary files"),
    "number of files": Pair(_COUNT, 3900, 4100, Status.FORBIDDEN, "4,000 of them"),
}
# What a jail without namespaces cannot even begin: it is one process, and has no /dev/shm.
WITH_NAMESPACES = {"memory of several processes", "processes", "shared memory"}


@pytest.mark.parametrize("limit", PAIRS)
def test_just_under_it_runs_and_just_over_it_is_stopped_and_told(limit: str, grader: Grader) -> None:
    if limit in WITH_NAMESPACES and grader.level is not Level.FULL:
        pytest.skip("where there are no namespaces, a program is one process and has no /dev/shm")
    pair = PAIRS[limit]

    under = grader.run(pair.program.format(pair.under), limits=pair.limits)
    over = grader.run(pair.program.format(pair.over), limits=pair.limits)

    assert under.status is Status.PASSED, under
    assert over.status is pair.status, over
    assert pair.says in over.summary


@pytest.mark.parametrize("limit", ["memory of several processes", "threads"])
def test_a_process_is_counted_whatever_it_calls_itself(limit: str, grader: Grader) -> None:
    if limit in WITH_NAMESPACES and grader.level is not Level.FULL:
        pytest.skip("where there are no namespaces, a program is one process")
    pair = PAIRS[limit]
    odd_name = "import ctypes\nctypes.CDLL(None).prctl(15, b'\\xff\\xfe\\n\\xff', 0, 0, 0)\n"  # PR_SET_NAME
    over = grader.run(odd_name + pair.program.format(pair.over), limits=pair.limits)
    assert over.status is pair.status, over


_DEEP = (
    "import os, tempfile, time\nos.chdir(tempfile.gettempdir())\n"
    "for _ in range({0}):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)\n"
    "open('one', 'wb').write(bytes(30 << 20))\ntime.sleep(0.3)\n"
)
_CLOSED = (
    "import os, tempfile, time\nos.chdir(tempfile.gettempdir())\n"
    "os.mkdir('closed', 0o300)\nopen('closed/one', 'wb').write(bytes(30 << 20))\ntime.sleep(0.3)\n"
)


class TestFilesThatWouldNotBeCounted:
    """At the levels at which we count a jail's files ourselves."""

    def test_in_folders_deeper_than_a_path_can_be_long(self, grader: Grader) -> None:
        assert grader.run(_DEEP.format(31)).status is Status.PASSED
        report = grader.run(_DEEP.format(40))
        if grader.level is Level.FULL:  # there the file system counts
            assert report.status is Status.PASSED
        else:
            assert (report.status, "could not be counted" in report.summary) == (Status.FORBIDDEN, True)

    def test_in_a_folder_that_cannot_be_read(self, grader: Grader) -> None:
        report = grader.run(_CLOSED)
        if grader.level is Level.PERSONAL:  # elsewhere we may look into every folder
            assert (report.status, "could not be counted" in report.summary) == (Status.FORBIDDEN, True)
        else:
            assert report.status is Status.PASSED


@pytest.mark.parametrize(("elements", "passes"), [(65_536, True), (65_537, False)])
def test_a_message_is_bounded_and_what_does_not_fit_is_a_failed_check_in_words(
    elements: int, passes: bool, grader: Grader, branch_gradient: Exercise
) -> None:
    asks = replace(
        branch_gradient,
        expects=(),
        checks=(
            "from graders.checks import check\n\n@check('all are ones')\ndef ones(answer):\n"
            "    assert answer['x'].value.numel() == 65536\n"
        ),
    )
    verdict = grader.grade(asks, f"import torch\nx = torch.ones({elements})\n")
    assert verdict.status is (Status.PASSED if passes else Status.FAILED), verdict
    if not passes:
        assert "65,536" in verdict.checks[0].message or "65536" in verdict.checks[0].message


def test_a_reply_of_many_texts_that_fills_no_frame_is_told(grader: Grader, branch_gradient: Exercise) -> None:
    asks = replace(
        branch_gradient,
        expects=(),
        checks=(
            "from graders.checks import check\n\n@check('a list')\ndef a_list(answer):\n"
            "    assert answer['x'] == ['a']\n"
        ),
    )
    verdict = grader.grade(asks, "x = ['a' * 10_000] * 10_000\n")
    assert verdict.status is Status.FAILED
    assert verdict.checks[0].status is CheckStatus.FAILED
    assert verdict.checks[0].message


class TestWhoGrants:
    """An exercise asks, the operator grants."""

    def test_an_exercise_gets_what_it_asks_for(self, grader: Grader) -> None:
        report = grader.run(_TENSOR.format(300), limits=replace(LIMITS, memory_mib=512))
        assert report.status is Status.PASSED

    def test_disk_and_open_files_are_asked_for_as_well(self, grader: Grader) -> None:
        wide = replace(LIMITS, disk_mib=100, open_files=400)
        assert grader.run(_FILES.format(30), limits=wide).status is Status.PASSED
        assert grader.run(_OPEN.format(390), limits=wide).status is Status.PASSED
        over = grader.run(_FILES.format(40), limits=wide)
        assert (over.status, "100 MiB of temporary files" in over.summary) == (Status.FORBIDDEN, True)

    def test_and_no_more_than_the_operator_grants(self, level: Level | None) -> None:
        most = Limits(cpu_seconds=1, wall_seconds=2, memory_mib=128, output_kib=64, processes=4)
        with Grader(slots=1, level=level, most=most) as strict:
            report = strict.run(_TENSOR.format(300), limits=replace(LIMITS, memory_mib=4096))
            assert report.status is Status.MEMORY
            assert "128 MiB" in report.summary
            report = strict.run(_WAIT.format(3), limits=replace(LIMITS, wall_seconds=60))
            assert "after 2 seconds" in report.summary
