"""Claims about code in questions and texts, proved by running the code in the jail."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from graders.proving.proof import Found, Grades, Proof, one_line, timed
from graders.verdict import RunReport, Status


@dataclass(frozen=True)
class Claim:
    """What a program is said to do.

    before: code that runs first, in the same namespace; what it prints and its lines do not count.
    prints: the whole output, but for line ends at its end; with is_number, the same number in any form.
    prints_not: what the whole output must not be.
    raises: the error's class; None: it runs through. says: part of the error's message. line: of `code`,
    from 1, where it raises.
    shows: as `prints`, and after a raise the line "Type: message" too; only for texts with an output fence.
    holds: expressions that are true afterwards, also after a raise.
    """

    code: str
    before: str = ""
    prints: str | None = None
    raises: str | None = None
    says: str | None = None
    line: int | None = None
    is_number: bool = False
    prints_not: str | None = None
    shows: str | None = None
    holds: tuple[str, ...] = ()


def prove_claim(item: str, name: str, claim: Claim, grader: Grades, where: str = "") -> Proof:
    """Run the program twice, under other seeds, and once more with its expressions if it has any; compare."""
    return timed(item, name, lambda: _found_twice(claim, grader), where)


def _found_twice(claim: Claim, grader: Grades) -> Found:
    first = _found(claim, grader)
    if first.remedy:
        return first
    second = _found(claim, grader)
    if second.remedy:
        return Found(second.evidence, f"only sometimes: {second.remedy}; set a seed, or claim less")
    return first


def _found(claim: Claim, grader: Grades) -> Found:
    marker = secrets.token_hex(16)
    source, first_line = _program(claim, marker)
    report = grader.run(source)
    printed = report.output.stdout
    if claim.before:
        _, reached, printed = printed.partition(marker + "\n")
        if not reached:
            return Found(_seen(report, ""), f"the code before it does not run: {one_line(report.summary)}")
    if remedy := _difference(claim, report, printed, first_line):
        return Found(_seen(report, printed), remedy)
    if claim.holds:
        return _expressions(claim, grader)
    return Found(_seen(report, printed))


def _program(claim: Claim, marker: str) -> tuple[str, int]:
    """The program, and the line on which the claim's own code starts."""
    if not claim.before:
        return claim.code, 1
    # The marker tells what the code printed from what the code before it printed.
    before = f"{claim.before.rstrip()}\nprint({marker!r})\n"
    return before + claim.code, before.count("\n") + 1


def _difference(claim: Claim, report: RunReport, printed: str, first_line: int) -> str:
    """The first way in which the run is not what the claim says; "" if there is none."""
    error = report.error if report.status is Status.ERROR else None
    if report.status not in {Status.PASSED, Status.ERROR}:
        return f"it ended as {report.status}: {one_line(report.summary)}"
    if claim.shows is not None:
        shown = printed + (f"{error.type}: {error.message}" if error else "")
        return "" if _same(shown, claim.shows) else f"it shows {_quoted(shown)}, not {_quoted(claim.shows)}"
    if error is not None and claim.raises is None:
        return (
            f"it raises {error.type} in line {_own_line(error.line, first_line)}: {one_line(error.message)}"
        )
    if claim.raises is not None and error is None:
        return f"it does not raise {claim.raises}"
    if error is not None and error.type != claim.raises:
        return f"it raises {error.type}, not {claim.raises}"
    if error is not None and claim.says is not None and claim.says not in error.message:
        return f'the error does not say "{claim.says}" but "{one_line(error.message)}"'
    if error is not None and claim.line is not None and _own_line(error.line, first_line) != claim.line:
        return f"it raises in line {_own_line(error.line, first_line)}, not {claim.line}"
    same = _same_number if claim.is_number else _same
    if claim.prints is not None and not same(printed, claim.prints):
        return f"it prints {_quoted(printed)}, not {_quoted(claim.prints)}"
    if claim.prints_not is not None and _same(printed, claim.prints_not):
        return f"it prints {_quoted(printed)}, as if nothing were wrong with it"
    return ""


def _expressions(claim: Claim, grader: Grades) -> Found:
    """Run the program again, let it end as it will, and then judge each expression in its namespace."""
    marker = secrets.token_hex(16)
    whole = f"{claim.before.rstrip()}\n{claim.code}"
    source = (
        f"try:\n    exec(compile({whole!r}, 'claim.py', 'exec'), globals())\n"
        "except Exception:\n    pass\n"
        f"for _expression in {list(claim.holds)!r}:\n"
        "    try:\n        _found = str(bool(eval(_expression)))\n"
        "    except Exception as _error:\n        _found = f'{type(_error).__name__}: {_error}'\n"
        f"    print({marker!r} + ascii(_found))\n"
    )
    report = grader.run(source)
    lines = [line for line in report.output.stdout.splitlines() if line.startswith(marker)]
    if report.status is not Status.PASSED or len(lines) != len(claim.holds):
        return Found(_seen(report, ""), f"the expressions were not reached: {one_line(report.summary)}")
    for expression, line in zip(claim.holds, lines, strict=True):
        found = line.removeprefix(marker)[1:-1]
        if found != "True":
            return Found(f"{expression}: {one_line(found)}", f"{expression} does not hold; mend the claim")
    return Found("holds: " + one_line(", ".join(claim.holds)))


def _same(seen: str, claimed: str) -> bool:
    return seen.rstrip("\n") == claimed.rstrip("\n")


def _same_number(seen: str, claimed: str) -> bool:
    try:
        return Decimal(seen.strip()) == Decimal(claimed.strip())
    except InvalidOperation:
        return False


def _own_line(line: int | None, first_line: int) -> int | str:
    return "unknown" if line is None else line - first_line + 1


def _seen(report: RunReport, printed: str) -> str:
    if report.error is not None:
        return one_line(f"{report.error.type}: {report.error.message}")
    return f"prints {_quoted(printed)}" if printed else str(report.status)


def _quoted(text: str) -> str:
    return one_line(json.dumps(text.rstrip("\n"), ensure_ascii=False), 300)
