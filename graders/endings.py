"""What each way of ending is called, and how the learner is told: whose limit, its value, what to do next."""

from __future__ import annotations

import re
import signal
from typing import Final

from graders.sandbox.folders import DEEPEST
from graders.sandbox.jail import End
from graders.sandbox.policy import MIB, Policy
from graders.sandbox.watch import Excess
from graders.verdict import ErrorReport, Status

_MAX_LINE: Final = 500  # characters of an exception's message in a summary

Ending = tuple[Status, str]

_NO_MEMORY: Final = re.compile(
    r"can't allocate memory|cannot allocate memory|not enough memory", re.IGNORECASE
)
_NO_THREAD: Final = re.compile(
    r"can't start new thread|unable to start|libgomp: Thread creation failed", re.I
)
_NO_NETWORK: Final = "Address family not supported"
_DISK_FULL: Final = "[Errno 28] No space left on device"
_FILE_TOO_LARGE: Final = "[Errno 27] File too large"
_TOO_MANY_OPEN: Final = "[Errno 24] Too many open files"
_READ_ONLY: Final = "Read-only file system"


def wall_time(policy: Policy) -> Ending:
    """The clock outside ran out."""
    return Status.TIMEOUT, (
        f"Your code was stopped after {policy.wall_seconds:g} seconds, the limit. "
        "Look for a loop that never ends, or for code that waits or sleeps."
    )


def no_time_left(seconds: float) -> Ending:
    """A check was not reached, or not to its end, since another one had met the time limit."""
    unit = "second was" if seconds == 1 else "seconds were"
    return Status.TIMEOUT, (
        f"Not decided: another check met the time limit, {seconds:g} {unit} left for all that followed, "
        "and they are used up."
    )


def started_too_often(times: int) -> Ending:
    """A check was not reached, since those before it had ended the program again and again."""
    return Status.CRASHED, (
        f"Not decided: the checks before this one ended your program, which was started {times} times more."
    )


def run_too_often(times: int) -> Ending:
    """The checks want the program run with other numbers more often than is granted."""
    return Status.TIMEOUT, f"Not decided: your code was run with other numbers {times} times, the most."


def too_much_output(policy: Policy) -> Ending:
    """It printed on and on."""
    return Status.OUTPUT_LIMIT, (
        f"Your code printed more than {policy.output_bytes // MIB} MiB, the limit, and was stopped. "
        "Look for a print inside a loop that never ends."
    )


def broken_connection() -> Ending:
    """It wrote nonsense to the grader's channel, or closed it."""
    return Status.CRASHED, (
        "Your code closed or overwrote the connection to the grader, so that it could not be checked. "
        "Leave file descriptors that you did not open alone."
    )


def met_cpu_limit(end: End, policy: Policy) -> bool:
    """Whether the kernel ended a process for the processor time that it used."""
    # It goes by what its ticks counted, and reports afterwards what really ran: on a busy machine that is
    # less. Whatever else kills a program does so long before, or with hardly any time used.
    return end.exit_code == -signal.SIGKILL and end.cpu_seconds >= policy.cpu_seconds / 2


def process_ended(end: End, policy: Policy) -> Ending:
    """The process was gone before it could be checked."""
    if met_cpu_limit(end, policy):
        return Status.TIMEOUT, (
            f"Your code used {policy.cpu_seconds} seconds of processor time, the limit, and was stopped. "
            "Look for a loop that never ends."
        )
    if end.exit_code == -signal.SIGKILL:
        # Nothing inside can send this signal to the first process; we did not; so the kernel did.
        return out_of_memory(policy)
    if end.exit_code < 0:
        name = _signal_name(-end.exit_code)
        return Status.CRASHED, (
            f"The process of your code was ended by the signal {name} before it could be checked. "
            "Very deep recursion, a fault inside a library, or a signal that it sent itself does this."
        )
    return Status.CRASHED, (
        f"Your code ended its own process (exit code {end.exit_code}) before it could be checked. "
        "Leave out os._exit and the like."
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have no name of their own
        return f"number {number}"


def out_of_memory(policy: Policy) -> Ending:
    """It wanted more than it may have."""
    return Status.MEMORY, (
        f"Your code needed more than {policy.memory_mib} MiB of memory, the limit. "
        "Look for a tensor of enormous size, or for a list that grows without end."
    )


def too_many_processes(policy: Policy) -> Ending:
    """It started more than it may."""
    return Status.TOO_MANY_PROCESSES, (
        f"Your code started more than {policy.processes} processes and threads together, the limit."
    )


def disk_full(policy: Policy) -> Ending:
    """It wrote more than it may."""
    return Status.FORBIDDEN, (
        f"Your code wrote more than {policy.temporary_mib} MiB of temporary files, more than "
        f"{policy.temporary_files:,} of them, or more than {policy.shared_memory_mib} MiB of shared memory, "
        "the limit."
    )


def hidden_files(_policy: Policy) -> Ending:
    """It has folders whose files cannot be counted."""
    return Status.FORBIDDEN, (
        f"Your code made folders more than {DEEPEST} deep, or one that cannot be looked into, "
        "so that its files could not be counted."
    )


def exceeded(excess: Excess, policy: Policy) -> Ending:
    """Looked at from outside, it had too much of something."""
    told = {
        Excess.MEMORY: out_of_memory,
        Excess.PROCESSES: too_many_processes,
        Excess.DISK: disk_full,
        Excess.HIDDEN: hidden_files,
    }
    return told[excess](policy)


def raised(report: ErrorReport, policy: Policy) -> Ending:
    """An exception reached the top. Some say that a limit, or a wall of the sandbox, was met."""
    if report.type == "MemoryError" or _NO_MEMORY.search(report.message):
        return out_of_memory(policy)
    if report.type == "BlockingIOError" or _NO_THREAD.search(report.message):
        return too_many_processes(policy)
    if _DISK_FULL in report.message:
        return disk_full(policy)
    if _FILE_TOO_LARGE in report.message:
        return Status.FORBIDDEN, (
            f"Your code wrote a file of more than {policy.file_mib} MiB, the limit for one file."
        )
    if _TOO_MANY_OPEN in report.message:
        return Status.FORBIDDEN, (
            f"Your code had more than {policy.open_files} files open at once, the limit. "
            "Open them in a `with` block, so that they are closed again."
        )
    if _NO_NETWORK in report.message:
        return Status.FORBIDDEN, "Your code tried to use the network. There is none where it runs."
    if _READ_ONLY in report.message:
        return Status.FORBIDDEN, (
            "Your code tried to write a file where nothing can be written. Only the folder /tmp is yours."
        )
    if report.type == "PermissionError":
        return Status.FORBIDDEN, (
            f"Your code asked the system for something that is not allowed here: {report.message[:_MAX_LINE]}"
        )
    place = f" at line {report.line}" if report.line is not None else ""
    first_line = report.message.strip().split("\n", 1)[0][:_MAX_LINE]
    told = f"{report.type}: {first_line}" if first_line else report.type
    return Status.ERROR, f"Your code stopped{place}: {told}"
