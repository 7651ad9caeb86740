"""One sealed child, seen from outside: its channel, its output, its end."""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import socket
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graders import wire
from graders.sandbox.policy import Policy
from graders.sandbox.watch import INTERVAL_SECONDS, Excess, Watch
from graders.verdict import Output

if TYPE_CHECKING:
    from graders.sandbox.warm import Template

_CHUNK = 1 << 16


class Flooded(Exception):  # noqa: N818 -- an outcome of the program, not an error of ours
    """The program printed more than its policy allows."""


class Exceeded(Exception):  # noqa: N818 -- the same
    """The program has more of something than its policy allows."""

    def __init__(self, excess: Excess) -> None:
        super().__init__(excess.value)
        self.excess = excess


class Ended(Exception):  # noqa: N818 -- the same
    """The program's process has ended, or has closed its channel."""


@dataclass(frozen=True)
class End:
    """How a jail's first process ended: its exit code, or minus the signal, and the CPU time it used."""

    exit_code: int
    cpu_seconds: float


@dataclass
class _Captured:
    """The first bytes of one stream, and how many more there were."""

    limit: int
    kept: bytearray = field(default_factory=bytearray)
    dropped: int = 0

    def add(self, data: bytes) -> None:
        room = self.limit - len(self.kept)
        self.kept += data[:room]
        self.dropped += max(0, len(data) - room)

    @property
    def total(self) -> int:
        return len(self.kept) + self.dropped

    def text(self) -> str:
        # A cut may fall inside a character; half a character at the cut is no error of the program's.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(bytes(self.kept), final=not self.dropped)


class Jail:
    """A child that has been forked and is sealing or sealed. Used once, by one thread.

    template: which has forked it and can reap it. pid: as the template sees it. folder: the one that it may
    write in.
    """

    def __init__(
        self,
        template: Template,
        pid: int,
        pidfd: int,
        *,
        channel: socket.socket,
        stdout: int,
        stderr: int,
        folder: str,
        watch: Watch,
    ) -> None:
        self.template = template
        self.pid = pid
        self.pidfd = pidfd
        self.folder = folder
        self._watch = watch
        self._policy: Policy | None = None
        self._first_look = self._look_at = 0.0
        self.channel = channel
        self.streams = {stdout: _Captured(0), stderr: _Captured(0)}
        self._stdout, self._stderr = stdout, stderr
        self._closed_streams: set[int] = set()
        self._pending = bytearray()
        self._poll = select.poll()
        self._poll.register(channel, select.POLLIN)
        for stream in self.streams:
            os.set_blocking(stream, False)
            self._poll.register(stream, select.POLLIN)

    def bound(self, policy: Policy) -> None:
        """Set what is kept, and what is borne before the program is stopped. Called before it is sent."""
        for captured in self.streams.values():
            captured.limit = policy.kept_output_bytes
        self._policy = policy
        self._first_look = self._look_at = time.monotonic() + INTERVAL_SECONDS

    def send(self, value: Any, deadline: float) -> None:
        """Send one frame. Raises: Ended if nobody listens, TimeoutError at the deadline (time.monotonic)."""
        data = wire.encode(value)
        self.channel.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            self.channel.sendall(len(data).to_bytes(4, "big") + data)
        except (BrokenPipeError, ConnectionResetError):
            raise Ended from None

    def receive(self, deadline: float) -> Any:
        """The next frame; output is collected meanwhile, and the program watched.

        Raises: TimeoutError at the deadline, Ended, Flooded, Exceeded, and wire.WireError for bytes that are
        no frame.
        """
        while True:
            frame = self._whole_frame()
            if frame is not None:
                return wire.decode(frame)
            now = time.monotonic()
            if now >= deadline:
                raise TimeoutError
            if now >= self._look_at:
                self._look()
                self._look_at = now + INTERVAL_SECONDS
            ready = self._poll.poll(max(1, int((min(deadline, self._look_at) - now) * 1000)))
            for descriptor, _event in ready:
                if descriptor in self.streams:
                    self._drain(descriptor)
            if any(descriptor == self.channel.fileno() for descriptor, _event in ready):
                self._read_channel()

    def _look(self) -> None:
        self._watch.give_way()
        if self._policy is not None and (excess := self._watch.excess(self._policy)):
            raise Exceeded(excess)

    def _whole_frame(self) -> bytes | None:
        if len(self._pending) < 4:
            return None
        length = wire.announced(bytes(self._pending[:4]))
        if len(self._pending) < 4 + length:
            return None
        frame = bytes(self._pending[4 : 4 + length])
        del self._pending[: 4 + length]
        return frame

    def _read_channel(self) -> None:
        try:
            data = self.channel.recv(_CHUNK, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            raise Ended
        self._pending += data

    def _drain(self, stream: int) -> bool:
        """Read once from one stream; whether there was something."""
        try:
            data = os.read(stream, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            if stream not in self._closed_streams:  # closed by the program, which it may
                self._closed_streams.add(stream)
                self._poll.unregister(stream)
            return False
        self.streams[stream].add(data)
        most = self._policy.output_bytes if self._policy else 0
        if sum(captured.total for captured in self.streams.values()) > most:
            raise Flooded
        return True

    def output(self) -> Output:
        """What has been printed up to now."""
        with contextlib.suppress(Flooded):  # it is over anyway: what was kept is shown
            for stream in self.streams:
                while self._drain(stream):
                    pass
        stdout, stderr = self.streams[self._stdout], self.streams[self._stderr]
        return Output(stdout.text(), stderr.text(), stdout.dropped, stderr.dropped)

    def kill(self) -> None:
        """End every process of the jail."""
        self._signal(signal.SIGKILL)

    def halt(self) -> None:
        """Stop a program that was quick; it is ended when there is time. One that took long is ended now.

        Taking a process apart costs some milliseconds, just when its verdict is about to be stored and shown.
        """
        self._signal(signal.SIGSTOP if time.monotonic() < self._first_look else signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, number)

    def wait(self, seconds: float) -> bool:
        """Whether the first process has ended within that time."""
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(int(seconds * 1000)))

    def close(self) -> None:
        """Let go of every descriptor. The process is killed and reaped elsewhere."""
        self.channel.close()
        for descriptor in (*self.streams, self.pidfd):
            os.close(descriptor)
