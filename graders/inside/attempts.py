"""What a jail must not be able to do, each tried once. Runs in a sealed child, in place of a learner's code.

Each attempt is a function that raises when it is stopped. What it returns when it is not is a short text for
the report. They come from here alone, never from a message: a child with a layer left out runs nothing else.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import socket
import tempfile
import threading
from collections.abc import Callable
from typing import Any, Final

from graders import wire

_libc = ctypes.CDLL(None, use_errno=True)

# keyctl, unshare, mount and mknodat: calls that the jail's own table does not name.
_NUMBERS: Final = {"x86_64": (250, 272, 165, 259), "aarch64": (219, 97, 40, 33)}
_NEW_USER_NAMESPACE: Final = 0x10000000
_AT_FDCWD: Final = -100
_FIFO: Final = 0o010600


def serve(channel: wire.Channel, first: dict[str, Any]) -> None:
    """Make one attempt: first is {"attempt": its name, and what it needs}. Sends {"held", "told"}."""
    name, needs = first["attempt"], first["needs"]
    try:
        told, held = ATTEMPTS[name](needs), False
    except (OSError, MemoryError, RuntimeError) as error:
        told, held = f"{type(error).__name__}: {error}", True
    channel.send({"held": held, "told": told[:200]})


def _call(place: int, *arguments: Any) -> str:
    done = _libc.syscall(_NUMBERS[platform.machine()][place], *arguments)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"the call returned {done}"


def _read_host_file(needs: dict[str, Any]) -> str:
    with open(needs["host_file"], "rb") as file:
        return f"read {len(file.read(100))} bytes of {needs['host_file']}"


def _write_beside_the_libraries(_needs: dict[str, Any]) -> str:
    path = os.path.join(os.path.dirname(os.__file__), "planted_by_a_jail.py")
    with open(path, "x"):
        pass
    os.unlink(path)
    return "made a file beside the interpreter's modules"


def _connect(needs: dict[str, Any]) -> str:
    with socket.create_connection(("127.0.0.1", needs["port"]), 1):
        return "reached a listener of this machine"


def _connect_to_abstract_socket(needs: dict[str, Any]) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("\0" + needs["unix_name"])
        return "reached an abstract Unix socket of this machine"


def _signal_the_supervisor(needs: dict[str, Any]) -> str:
    os.kill(needs["supervisor"], 0)
    return "could send a signal to the supervisor"


def _become_root(_needs: dict[str, Any]) -> str:
    os.setuid(0)
    return "is root"


def _mount(_needs: dict[str, Any]) -> str:
    return _call(2, b"none", tempfile.gettempdir().encode(), b"tmpfs", 0, None)


def _make_fifo(_needs: dict[str, Any]) -> str:
    return _call(3, _AT_FDCWD, os.path.join(tempfile.gettempdir(), "fifo").encode(), _FIFO, 0)


def _open_key_ring(_needs: dict[str, Any]) -> str:
    return _call(0, 1, None)  # KEYCTL_JOIN_SESSION_KEYRING


def _make_namespace(_needs: dict[str, Any]) -> str:
    return _call(1, _NEW_USER_NAMESPACE)


def _change_mode_of_host_file(needs: dict[str, Any]) -> str:
    os.chmod(needs["own_file"], 0o600)
    return "changed the mode of a file of this machine"


def _take_memory(needs: dict[str, Any]) -> str:
    taken = bytearray(needs["memory_bytes"] + (256 << 20))
    return f"got {len(taken) >> 20} MiB"


def _make_large_file(needs: dict[str, Any]) -> str:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then the call says so instead of ending the process
    with tempfile.TemporaryFile() as file:
        os.posix_fallocate(file.fileno(), 0, needs["file_bytes"] + 4096)
    return "made a larger file"


def _start_threads(needs: dict[str, Any]) -> str:
    stop, threads = threading.Event(), []
    try:
        for _ in range(needs["processes"] + 8):
            threads.append(threading.Thread(target=stop.wait))
            threads[-1].start()
    finally:
        stop.set()
    return f"started {len(threads)} threads"


def _start_process(_needs: dict[str, Any]) -> str:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "started a process"


def _find_descriptor(_needs: dict[str, Any]) -> str:
    for descriptor in range(4, 256):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        return f"descriptor {descriptor} is open"
    raise OSError("no descriptor but its own is open")


ATTEMPTS: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "descriptor": _find_descriptor,
    "host file": _read_host_file,
    "libraries": _write_beside_the_libraries,
    "mode of a file": _change_mode_of_host_file,
    "network": _connect,
    "abstract socket": _connect_to_abstract_socket,
    "signal": _signal_the_supervisor,
    "root": _become_root,
    "mount": _mount,
    "fifo": _make_fifo,
    "key ring": _open_key_ring,
    "namespace": _make_namespace,
    "process": _start_process,
    "memory": _take_memory,
    "file size": _make_large_file,
    "threads": _start_threads,
}
