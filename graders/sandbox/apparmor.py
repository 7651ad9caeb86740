"""The way around AppArmor's refusal of user namespaces, where the operator has allowed it to us.

Ubuntu lets ordinary programs make user namespaces and refuses what they are for, unless their profile grants
it. deploy/apparmor-profile is such a profile; a program is put under it by asking for it before its exec.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

RESTRICTED: Final = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")

# Where the profile is not loaded the wish is refused, and the program starts as it would have.
_ENTER: Final = """
import os, sys
try:
    with open("/proc/self/attr/apparmor/exec", "w") as wish:
        wish.write("exec quizapp")
except OSError:
    pass
os.execv(sys.argv[1], sys.argv[1:])
"""


def is_restricted() -> bool:
    """Whether this system's AppArmor refuses user namespaces to ordinary programs."""
    try:
        return RESTRICTED.read_text().strip() == "1"
    except OSError:
        return False


def under_profile(command: list[str]) -> list[str]:
    """The command that starts another one, under our profile where that is needed and loaded."""
    if os.geteuid() == 0 or not is_restricted():
        return command
    return [sys.executable, "-I", "-S", "-c", _ENTER, *command]
