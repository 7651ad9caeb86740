"""Make the environment of the other graders, or do nothing if it is what the lock says: `make bench-peers`.

They grade with the torch that is installed here, so that all are compared with the same one: their
environment finds it behind their own packages.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from benchmarks.peers.tools import ENVIRONMENT

_LOCK = Path(__file__).with_name("requirements.lock")
_STAMP = ENVIRONMENT / "made-from"


def main() -> int:
    """Make it. Returns the exit code."""
    wanted = f"{hashlib.sha256(_LOCK.read_bytes()).hexdigest()} {sysconfig.get_path('purelib')}\n"
    if _STAMP.exists() and _STAMP.read_text() == wanted:
        return 0
    print("Installing nbgrader, otter-grader and pytest in build/peers-venv.", flush=True)
    venv.create(ENVIRONMENT, clear=True, with_pip=True)
    python = ENVIRONMENT / "bin" / "python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    if subprocess.run([*pip, "--no-deps", "--require-hashes", "-r", str(_LOCK)], check=False).returncode:
        print("The other graders are not installed; what pip said stands above.", file=sys.stderr)
        return 1
    theirs = sysconfig.get_path("purelib", vars={"base": str(ENVIRONMENT), "platbase": str(ENVIRONMENT)})
    (Path(theirs) / "torch-of-the-product.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    _STAMP.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
