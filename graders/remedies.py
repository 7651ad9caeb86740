"""What a machine lacks, and what its operator can do about it."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graders.sandbox import apparmor, cgroups
from graders.sandbox.level import Machine, probe
from graders.sandbox.numbers import MACHINES
from graders.sandbox.syscalls import SandboxError


@dataclass(frozen=True)
class Missing:
    """One thing that this machine lacks. what: what was found. remedy: what to do, or why nothing need be."""

    name: str
    what: str
    remedy: str


_IN_A_CONTAINER: Final = (
    "Run it in a Linux container or virtual machine: docs/operating.md has the command, under In a container."
)


def missing_here() -> tuple[Missing, ...]:
    """All that this machine lacks for the full level, found by trying."""
    if platform.system() != "Linux":
        return (Missing("Linux", f"this is {platform.system()}", _IN_A_CONTAINER),)
    if platform.machine() not in MACHINES:
        known = " and ".join(MACHINES)
        return (
            Missing(
                "processor",
                f"this is {platform.machine()}; the system calls of {known} are known",
                "Run it on one of these.",
            ),
        )
    try:
        machine = probe()
    except SandboxError as error:
        return (Missing("probe", str(error), "Please report this."),)
    return tuple(_missing(machine, is_root=os.geteuid() == 0))


def _missing(machine: Machine, *, is_root: bool) -> list[Missing]:
    found = []
    if machine.namespaces:
        found.append(Missing("namespaces", machine.namespaces, remedy_for_namespaces(is_root=is_root)))
    if not machine.landlock:
        found.append(
            Missing(
                "Landlock",
                "this kernel has none, or it is switched off",
                "Add landlock to the kernel's lsm= list, or use Linux 5.13 or newer with it built in. "
                "Where namespaces can be had, the read-only root holds alone.",
            )
        )
    if is_root and not machine.ids:
        found.append(
            Missing(
                "users",
                "root may not change to another user here",
                "Leave the container the capabilities SETUID and SETGID.",
            )
        )
    if groups := missing_groups(is_root=is_root):
        found.append(groups)
    return found


def missing_groups(*, is_root: bool) -> Missing | None:
    """What stands in the way of a control group; every jail has its own limits without one, too."""
    if cgroups.find() is not None:
        return None
    versions = cgroups.versions()
    if not versions:
        return Missing(
            "control group",
            "no control groups are mounted",
            "Nothing need be done: each jail is watched and has limits of its own.",
        )
    version = max(versions)
    if not is_root:
        remedy = (
            "To have it, run quizapp as a systemd user service with Delegate=yes."
            if version == 2
            else "Version 1 is for root alone. Nothing need be done: each jail is watched and has its limits."
        )
    else:
        remedy = (
            "To have it, run quizapp as a systemd service with Delegate=yes."
            if version == 2
            else "In a container, its own memory limit does the same: docker run --memory, --pids-limit."
        )
    return Missing("control group", f"version {version} is there and not left to this user", remedy)


def remedy_for_namespaces(*, is_root: bool) -> str:
    """What an operator can do where namespaces are refused."""
    if is_root:
        return (
            "This is usual inside a container. The level container holds without them; for the full level "
            "run quizapp on the host or in a virtual machine."
        )
    if apparmor.is_restricted():
        return (
            "This system's AppArmor refuses what user namespaces are for. `make apparmor` allows it to "
            "quizapp's sandbox alone, once; it asks for your password."
        )
    if _reads("/proc/sys/user/max_user_namespaces") == "0":
        return "User namespaces are switched off. Set user.max_user_namespaces to 1000 with sysctl."
    if _reads("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "User namespaces are for root only. Set kernel.unprivileged_userns_clone to 1 with sysctl."
    return (
        "Run quizapp as root, or on Linux 5.14 or newer with user namespaces allowed. "
        "On Ubuntu `make apparmor` allows them to quizapp's sandbox."
    )


def _reads(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
