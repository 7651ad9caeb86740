"""What a jailed program may use: numbers with their unit and reason, no calls."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Final

from graders.exercise import Limits

KIB: Final = 1024
MIB: Final = 1024 * KIB

# What an exercise may ask for at the most, unless the operator grants less.
MOST: Final = Limits(
    cpu_seconds=60,
    wall_seconds=300,
    memory_mib=8192,
    output_kib=1024,
    processes=256,
    disk_mib=1024,
    open_files=1024,
)


def within(limits: Limits, most: Limits) -> Limits:
    """Each limit, or the most that is granted where it asks for more."""
    return Limits(**{name: min(value, getattr(most, name)) for name, value in asdict(limits).items()})


@dataclass(frozen=True)
class Policy:
    """The bounds of one jail. The kernel holds those of `kernel_limits`; we hold the others from outside."""

    cpu_seconds: int = 2  # RLIMIT_CPU counts whole seconds, for each process of the jail
    wall_seconds: float = 5  # 2.5 x CPU: catches sleep(), forgives a busy machine
    memory_mib: int = 512  # on top of what the template had mapped: the learner's own
    processes: int = 32  # threads count too
    open_files: int = 256
    file_mib: int = 64  # one file
    temporary_mib: int = 64  # all files in /tmp
    temporary_files: int = 4000
    shared_memory_mib: int = 16
    kept_output_bytes: int = 64 * KIB  # of each of stdout and stderr; the rest is counted and dropped
    output_bytes: int = 1 * MIB  # of both together: past it the program is stopped

    @classmethod
    def of(cls, limits: Limits) -> Policy:
        """The policy that an exercise's limits ask for."""
        return cls(
            cpu_seconds=max(1, math.ceil(limits.cpu_seconds)),
            wall_seconds=limits.wall_seconds,
            memory_mib=limits.memory_mib,
            processes=limits.processes,
            open_files=limits.open_files,
            file_mib=limits.disk_mib,
            temporary_mib=limits.disk_mib,
            kept_output_bytes=limits.output_kib * KIB,
            output_bytes=max(1 * MIB, 2 * limits.output_kib * KIB),
        )

    def kernel_limits(self) -> dict[str, int]:
        """What the jail puts on itself before the first strange line, as plain numbers for its channel.

        Two policies with the same kernel limits can share a jail that was made ahead.
        """
        return {
            "cpu_seconds": self.cpu_seconds,
            "memory_bytes": self.memory_mib * MIB,
            "processes": self.processes,
            "open_files": self.open_files,
            "file_bytes": self.file_mib * MIB,
            "temporary_bytes": self.temporary_mib * MIB,
            "temporary_files": self.temporary_files,
            "shared_memory_bytes": self.shared_memory_mib * MIB,
        }
