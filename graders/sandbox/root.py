"""The jail's file tree: an empty tmpfs with the interpreter and its libraries, read-only, and nothing else.

There is no /proc, no /sys, no shell's configuration, no home. Paths are those of the host, since the template
has imported its modules from there and will look for the lazily imported ones in the same places.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graders.sandbox import syscalls

LIBRARY_FOLDERS: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
SYSTEM_FILES: Final = ("/etc/ld.so.cache",)
DEVICES: Final = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")

_OF_INSTALLED: Final = ("site-packages", "dist-packages")  # folders made for installed packages alone

PRIVATE_FOLDERS: Final = ("/tmp", "/dev/shm")  # each jail mounts its own there

# What programs ask about users and hosts, answered without the host's own files.
_STUBS: Final = {
    "/etc/passwd": "learner:x:65534:65534:learner:/tmp:/nonexistent\n",
    "/etc/group": "learner:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
}


@dataclass(frozen=True)
class Shadowed:
    """A code folder below a private one: `source` shows it too, in a place that stays uncovered."""

    source: str
    folder: str


def code_folders() -> tuple[str, ...]:
    """The folders that hold the interpreter's own modules, the installed ones and ours, outermost only.

    Call it when all that the jails shall find is imported.
    """
    graders = Path(__file__).resolve().parent.parent
    wanted = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), str(graders)}
    for entry in filter(os.path.isdir, sys.path):
        if os.path.basename(entry) in _OF_INSTALLED:
            wanted.add(entry)
        else:  # somebody's checkout, say, with much that is no jail's business: only what comes from there
            wanted |= _loaded_packages(entry)
    wanted |= {folder for folder in LIBRARY_FOLDERS if os.path.isdir(folder)}
    libpython = sysconfig.get_config_var("LIBDIR")
    if libpython and sysconfig.get_config_var("Py_ENABLE_SHARED"):
        wanted.add(libpython)
    outermost: list[str] = []
    for folder in sorted(wanted):
        if not any(folder == kept or folder.startswith(kept + "/") for kept in outermost):
            outermost.append(folder)
    return tuple(outermost)


def _loaded_packages(folder: str) -> set[str]:
    """The packages below a folder that have been imported, without the modules beside them."""
    found = set()
    for name, module in list(sys.modules.items()):
        for path in getattr(module, "__path__", ()) if "." not in name else ():
            if os.path.dirname(os.path.realpath(path)) == os.path.realpath(folder):
                found.add(path)
    return found


def build(at: str) -> tuple[Shadowed, ...]:
    """Make the tree at the empty folder `at` and step into it. The mount namespace must be one's own.

    Returns: the code folders that a jail's own file systems will cover. Raises: SandboxError naming the mount
    that was refused.
    """
    syscalls.mount("none", "/", "none", syscalls.MS_REC | syscalls.MS_PRIVATE)
    syscalls.mount("tmpfs", at, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "size=1m,mode=755")
    shadowed: list[Shadowed] = []
    for folder in code_folders():
        _bind_code(folder, at + folder)
        if folder.startswith(tuple(private + "/" for private in PRIVATE_FOLDERS)):
            again = f"/.code/{len(shadowed)}"
            _bind_code(folder, at + again)
            shadowed.append(Shadowed(again, folder))
        # The folders above it can be passed through and not listed: their names are the host's business.
        for above in list(Path(folder).parents)[:-1]:
            os.chmod(f"{at}{above}", 0o111)
    for file in SYSTEM_FILES:
        if os.path.exists(file):
            _bind_file(at, file, syscalls.MS_RDONLY | syscalls.MS_NOSUID | syscalls.MS_NODEV)
    for device in DEVICES:
        # Writing to a device through a read-only mount is allowed; changing its inode is not.
        _bind_file(at, device, syscalls.MS_RDONLY | syscalls.MS_NOSUID | syscalls.MS_NOEXEC)
    for path, text in _STUBS.items():
        os.makedirs(at + os.path.dirname(path), exist_ok=True)
        Path(at + path).write_text(text)
    for folder in PRIVATE_FOLDERS:
        os.makedirs(at + folder, exist_ok=True)
    os.mkdir(at + "/.host")
    syscalls.pivot_root(at, at + "/.host")
    os.chdir("/")
    syscalls.unmount("/.host")
    os.rmdir("/.host")
    syscalls.set_mount_flags("/", syscalls.MS_RDONLY)
    return tuple(shadowed)


def uncover(shadowed: Shadowed) -> None:
    """Show a code folder again that a jail's own file system, mounted since, has covered."""
    for folder in (*reversed(Path(shadowed.folder).parents), Path(shadowed.folder)):
        if not folder.exists():
            folder.mkdir()
            folder.chmod(0o755)  # whatever the umask: the jail's own uid must be able to pass
    syscalls.mount(shadowed.source, shadowed.folder, "none", syscalls.MS_BIND | syscalls.MS_REC)


def _bind_code(folder: str, place: str) -> None:
    """Show a host folder read-only; /lib, a link on most systems, stays a link."""
    if folder in LIBRARY_FOLDERS and os.path.islink(folder):
        os.symlink(os.readlink(folder), place)
        return
    os.makedirs(place, exist_ok=True)
    syscalls.mount(folder, place, "none", syscalls.MS_BIND | syscalls.MS_REC)
    syscalls.set_mount_flags(place, syscalls.MS_RDONLY | syscalls.MS_NOSUID | syscalls.MS_NODEV)


def _bind_file(root: str, path: str, flags: int) -> None:
    os.makedirs(root + os.path.dirname(path), exist_ok=True)
    Path(root + path).touch()
    syscalls.mount(path, root + path, "none", syscalls.MS_BIND)
    syscalls.set_mount_flags(root + path, flags)
