"""What a program's end is called, from what the kernel says about it."""

from __future__ import annotations

import signal

import pytest

from graders import endings
from graders.sandbox.jail import End
from graders.sandbox.policy import Policy
from graders.verdict import ErrorReport, Status

POLICY = Policy(cpu_seconds=2, memory_mib=512, processes=32)


@pytest.mark.parametrize(
    ("end", "status", "words"),
    [
        (End(-signal.SIGKILL, 2.0), Status.TIMEOUT, "2 seconds of processor time"),
        (End(-signal.SIGKILL, 1.4), Status.TIMEOUT, "processor time"),  # a busy machine's ticks ran ahead
        (End(-signal.SIGKILL, 0.3), Status.MEMORY, "512 MiB"),
        (End(-signal.SIGSEGV, 0.1), Status.CRASHED, "SIGSEGV"),
        (End(-35, 0.1), Status.CRASHED, "the signal number 35"),  # a real-time signal without a name
        (End(0, 0.1), Status.CRASHED, "exit code 0"),
        (End(3, 0.1), Status.CRASHED, "exit code 3"),
    ],
    ids=str,
)
def test_the_end_of_a_process(end: End, status: Status, words: str) -> None:
    named, told = endings.process_ended(end, POLICY)
    assert named is status
    assert words in told


@pytest.mark.parametrize(
    ("kind", "message", "status"),
    [
        ("MemoryError", "", Status.MEMORY),
        (
            "RuntimeError",
            "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried",
            Status.MEMORY,
        ),
        ("RuntimeError", "can't start new thread", Status.TOO_MANY_PROCESSES),
        ("BlockingIOError", "[Errno 11] Resource temporarily unavailable", Status.TOO_MANY_PROCESSES),
        ("OSError", "[Errno 97] Address family not supported by protocol", Status.FORBIDDEN),
        ("OSError", "[Errno 30] Read-only file system: '/usr/x'", Status.FORBIDDEN),
        ("PermissionError", "[Errno 1] Operation not permitted", Status.FORBIDDEN),
        ("ZeroDivisionError", "division by zero", Status.ERROR),
    ],
)
def test_an_exception_that_reached_the_top(kind: str, message: str, status: Status) -> None:
    named, told = endings.raised(ErrorReport(kind, message, line=7), POLICY)
    assert named is status
    if status is Status.ERROR:
        assert told == "Your code stopped at line 7: ZeroDivisionError: division by zero"
