"""What a grader decided about one submission, as plain values that travel as JSON."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final


class Status(StrEnum):
    """How a grading ended. The list is closed: every submission ends with exactly one of these."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT_LIMIT = "output-limit"
    TOO_MANY_PROCESSES = "too-many-processes"
    CRASHED = "crashed"
    FORBIDDEN = "forbidden"
    NOT_GRADABLE = "not-gradable"
    STOPPED = "stopped"
    BROKEN = "broken"
    FAULT = "fault"

    @property
    def costs_attempt(self) -> bool:
        """Whether a submission that ended so counts as one of the learner's attempts."""
        return self not in _FREE

    @property
    def lowers_score(self) -> bool:
        """Whether a submission that ended so may pull a score down."""
        return self.costs_attempt and self is not Status.PASSED

    @property
    def is_final(self) -> bool:
        """Whether a verdict with this status may be stored. A `fault` is ours: it is graded again."""
        return self is not Status.FAULT


_FREE = {Status.NOT_GRADABLE, Status.STOPPED, Status.BROKEN, Status.FAULT}


class CheckStatus(StrEnum):
    """How one check ended."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # the learner's code raised while this check used it
    BROKEN = "broken"  # the check itself raised: the author's fault
    NOT_RUN = "not-run"  # the code never got as far as this check


@dataclass(frozen=True)
class Output:
    """What a program printed, as far as it was kept. `*_cut` counts the bytes that were thrown away."""

    stdout: str = ""
    stderr: str = ""
    stdout_cut: int = 0
    stderr_cut: int = 0


@dataclass(frozen=True)
class Frame:
    """One line of the learner's own code on the way to an error; `line` counts from 1."""

    line: int
    function: str
    text: str


@dataclass(frozen=True)
class ErrorReport:
    """An exception that the learner's code raised.

    type: the exception's class name. message: PyTorch's or Python's own text, unchanged but bounded.
    line, column, end_column: the innermost place in the learner's file, lines counted from 1 and columns
    from 0; None if unknown.
    frames: the learner's own frames, outermost first; frames that are not theirs are only counted.
    what, why, hint: our explanation in three sentences; empty when this error has none.
    """

    type: str
    message: str
    line: int | None = None
    column: int | None = None
    end_column: int | None = None
    frames: tuple[Frame, ...] = ()
    folded_frames: int = 0
    what: str = ""
    why: str = ""
    hint: str = ""

    @classmethod
    def read(cls, data: Any) -> ErrorReport | None:
        """The report that a jail has sent, built anew field by field and bounded; None if it is none."""
        if (
            type(data) is not dict
            or type(data.get("type")) is not str
            or type(data.get("message")) is not str
        ):
            return None
        sent = data.get("frames")
        frames = [frame for frame in sent[:_MAX_FRAMES] if type(frame) is dict] if type(sent) is list else []
        return cls(
            type=_text(data["type"], 100),
            message=_text(data["message"], _MAX_MESSAGE),
            line=_place(data.get("line")),
            column=_place(data.get("column")),
            end_column=_place(data.get("end_column")),
            frames=tuple(
                Frame(
                    _place(frame.get("line")) or 0,
                    _text(frame.get("function"), 100),
                    _text(frame.get("text"), 500),
                )
                for frame in frames
            ),
            folded_frames=_place(data.get("folded_frames")) or 0,
            what=_text(data.get("what"), 1000),
            why=_text(data.get("why"), 1000),
            hint=_text(data.get("hint"), 1000),
        )

    def to_plain(self) -> dict[str, Any]:
        """The report as it travels between processes."""
        return {**asdict(self), "frames": [asdict(frame) for frame in self.frames]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ErrorReport:
        """The report that `dataclasses.asdict` turned into `data`."""
        return cls(**{**data, "frames": tuple(Frame(**frame) for frame in data.get("frames", ()))})


_MAX_FRAMES: Final = 32
_MAX_MESSAGE: Final = 5000  # characters


def _text(value: Any, length: int) -> str:
    """A text without lone surrogates, which no database stores, and at most `length` characters long."""
    return value[:length].encode("utf-8", "replace").decode() if type(value) is str else ""


def _place(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 31 else None


@dataclass(frozen=True)
class CheckResult:
    """One check's part of a verdict. Points are in hundredths, so that sums are exact."""

    name: str
    status: CheckStatus
    centipoints: int
    max_centipoints: int
    message: str = ""
    got: str = ""
    expected: str = ""
    hint: str = ""
    error: ErrorReport | None = None

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CheckResult:
        """The result that `dataclasses.asdict` turned into `data`."""
        error = data.get("error")
        return cls(
            **{
                **data,
                "status": CheckStatus(data["status"]),
                "error": ErrorReport.from_json(error) if error else None,
            }
        )


_WHERE: Final = re.compile(r"(checks\.py|solution\.py|item\.toml)(:\d+)?: ")


@dataclass(frozen=True)
class Verdict:
    """What the grader decided.

    summary: one or two sentences for the learner.
    seed: 32 hexadecimal digits; with the content version it repeats the grading.
    milliseconds: from the door of the grader to the verdict.
    author_log: what only the exercise's author and the operator may read: of each broken check one line that
    says where and what, and its traceback.
    """

    status: Status
    summary: str
    centipoints: int = 0
    max_centipoints: int = 0
    checks: tuple[CheckResult, ...] = ()
    seed: str = ""
    milliseconds: float = 0.0
    output: Output = field(default_factory=Output)
    error: ErrorReport | None = None
    author_log: str = ""

    @property
    def author_lines(self) -> tuple[str, ...]:
        """Of author_log, the lines that say where and what; where it has none, the end of it on one line."""
        lines = tuple(dict.fromkeys(line for line in self.author_log.splitlines() if _WHERE.match(line)))
        log = " ".join(self.author_log.split())
        return lines or ((log[-400:],) if log else ())

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Verdict:
        """The verdict that `to_json` turned into `data`."""
        error = data.get("error")
        return cls(
            **{
                **data,
                "status": Status(data["status"]),
                "checks": tuple(CheckResult.from_json(check) for check in data.get("checks", ())),
                "output": Output(**data.get("output", {})),
                "error": ErrorReport.from_json(error) if error else None,
            }
        )


@dataclass(frozen=True)
class RunReport:
    """What happened when the code was run and not graded. `status` is passed when it ran to its end."""

    status: Status
    summary: str
    output: Output = field(default_factory=Output)
    error: ErrorReport | None = None
    milliseconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RunReport:
        """The report that `to_json` turned into `data`."""
        error = data.get("error")
        return cls(
            **{
                **data,
                "status": Status(data["status"]),
                "output": Output(**data.get("output", {})),
                "error": ErrorReport.from_json(error) if error else None,
            }
        )
