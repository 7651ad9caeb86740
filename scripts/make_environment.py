"""Make the environment in .venv from the locks, or do nothing if it is already what the locks say.

Run by the Makefile. Knows only the standard library, since it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import platform
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = PROJECT / ".venv"
PYTHON = FOLDER / "bin" / "python"
STAMP = FOLDER / "made-from.json"
LOCKS = {"run": "requirements.lock", "dev": "requirements-dev.lock"}  # dev holds all of run
TORCH_LOCK = "requirements-torch.txt"
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PROBE_SECONDS = 5  # enough for a slow line; without a network the answer comes at once


class SetUpError(Exception):
    """The environment cannot be made; the text says what is missing and how to get it."""


def main() -> int:
    """Make or refresh .venv. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "level", choices=LOCKS, help="run: what the product needs; dev: the tools and tests too"
    )
    parser.add_argument(
        "--torch",
        choices=["", "cpu", "cuda"],
        default="",
        help="which build of torch; default: the one that is there, else cpu",
    )
    chosen = parser.parse_args()
    made = _read_stamp()
    torch = chosen.torch or made.get("torch", "cpu")
    level = "dev" if made.get("level") == "dev" else chosen.level  # an environment never shrinks
    wanted = {"level": level, "torch": torch, "from": _fingerprint(level)}
    if made == wanted:
        return 0
    try:
        _make(level, torch, switch_torch=made.get("torch", torch) != torch)
    except SetUpError as fault:
        print(f"\n{fault}", file=sys.stderr)
        return 1
    STAMP.write_text(json.dumps(wanted) + "\n")
    print("The environment is ready.", flush=True)
    return 0


def _read_stamp() -> dict[str, str]:
    """What .venv was made from; empty if it was not finished, or is not there."""
    try:
        found = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _fingerprint(level: str) -> str:
    """One hash over what the environment is made from: contents, not times, so a checkout is no change."""
    digest = hashlib.sha256()
    for name in (LOCKS[level], TORCH_LOCK, "pyproject.toml"):
        digest.update((PROJECT / name).read_bytes() + b"\0")
    return digest.hexdigest()


def _make(level: str, torch: str, *, switch_torch: bool) -> None:
    if not PYTHON.exists():
        _say(f"Making an environment in {FOLDER.name} (Python {platform.python_version()}).")
        _make_folder()
    STAMP.unlink(missing_ok=True)
    _say(f"Installing what {LOCKS[level]} lists.")
    _pip("install", "--quiet", "--no-deps", "--require-hashes", "-r", LOCKS[level])
    if switch_torch:
        _pip("uninstall", "--quiet", "--yes", "torch")
    if switch_torch or not _torch_is_there():
        _install_torch(torch)
    # No build isolation: setuptools is in the lock, and isolation would fetch another one, unhashed.
    _pip("install", "--quiet", "--no-deps", "--no-build-isolation", "-e", ".")


def _make_folder() -> None:
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SetUpError(
            f"{sys.executable} cannot make an environment with pip: it has no module venv or ensurepip.\n"
            f"On Debian and Ubuntu: sudo apt install python{version}-venv\n"
            "Elsewhere, choose another Python, for instance: make serve PYTHON=/usr/local/bin/python3"
        )
    # --clear: what is there has no Python that runs, for instance after an upgrade of the system.
    if subprocess.run([sys.executable, "-m", "venv", "--clear", str(FOLDER)], check=False).returncode:
        raise SetUpError(f"{sys.executable} -m venv {FOLDER} failed; what it said stands above.")


def _torch_is_there() -> bool:
    """Whether the locked torch, with or without a label as in 2.13.0+cpu, is there and can be imported."""
    wanted = (PROJECT / TORCH_LOCK).read_text().split("torch==")[1].split()[0]
    answer = subprocess.run(
        [PYTHON, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=False
    )
    return answer.returncode == 0 and answer.stdout.strip().split("+")[0] == wanted


def _install_torch(kind: str) -> None:
    if kind == "cuda":
        _say("Installing torch as pip finds it, with its CUDA packages (several GB on Linux).")
        _pip("install", "-r", TORCH_LOCK)
        return
    index: list[str] = []
    if sys.platform == "linux":
        if _reaches(TORCH_CPU_INDEX):
            _say(f"Installing torch from PyTorch's CPU index, {TORCH_CPU_INDEX}.")
            index = ["--extra-index-url", TORCH_CPU_INDEX]
        else:
            _say("PyTorch's CPU index cannot be reached from here: installing torch as pip finds it.")
    else:
        _say("Installing torch.")
    _pip("install", "--no-deps", *index, "-r", TORCH_LOCK)
    if not _torch_is_there():
        _say("That torch is a CUDA build and needs packages of its own: installing them (several GB).")
        _pip("install", "-r", TORCH_LOCK)
        if not _torch_is_there():
            raise SetUpError(f"torch is installed and cannot be imported. See: {PYTHON} -c 'import torch'")


def _reaches(address: str) -> bool:
    """Whether the address answers. A quick look with a short patience, asked once for each environment."""
    request = urllib.request.Request(f"{address}/torch/", method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=PROBE_SECONDS):
            return True
    except (urllib.error.URLError, OSError, ValueError):
        return False


def _pip(*arguments: str) -> None:
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    if subprocess.run(command, cwd=PROJECT, check=False).returncode:
        raise SetUpError(
            f"The environment is not finished. This failed: {shlex.join(command)}\n"
            "What pip said stands above; without a network nothing can be installed.\n"
            "The same make command tries again."
        )


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
