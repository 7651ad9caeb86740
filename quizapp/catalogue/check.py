"""`quizapp check`: load content, run everything that it claims, and say what does not hold."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import Any, Final, TextIO

from graders.authoring import ContentError, shown, visible
from graders.grader import SandboxError
from graders.proving import Compares, Proof, score
from quizapp.catalogue import proving, wording
from quizapp.catalogue.progress import Progress
from quizapp.catalogue.selecting import Selection, changed, select
from quizapp.catalogue.worktree import changed_files
from quizapp.config import PROJECT
from quizapp.junit import Case, write

LEAST_SCORE_OF_ALL: Final = 0.95  # of the mutants of all solutions together
AT_ONCE: Final = max(2, os.cpu_count() or 2)  # proofs side by side


def check(
    path: Path | None,
    *,
    as_json: bool,
    verbose: bool = False,
    everything: bool = True,
    grader_factory: Callable[[], AbstractContextManager[Compares]],
    out: TextIO,
    root: Path = PROJECT / "exercises",
    junit: Path | None = None,
) -> int:
    """Check all content under `root`, or the topic, exercise folder or single file at `path`.

    everything: also what has not changed since the last commit; it matters only without `path` and in a work
    tree. Writes a table, with `verbose` also the tracebacks of broken checks, or one JSON object; returns 0
    if everything holds and 1 if not. The grader is started only if there is something to run.
    junit: a file for the same in JUnit's XML, also if there is no grader.
    Raises: SandboxError, from the factory; ReportError, if that file cannot be written.
    """
    selection = _selected(path, root, everything)
    proofs: list[Proof] = []
    try:
        work = proving.jobs(selection)
        if work:
            progress = Progress(len(work), sys.stderr)
            with grader_factory() as grader:
                progress.show()
                for made in proving.prove(work, grader, at_once=AT_ONCE):
                    proofs += made
                    progress.clear()
                    if not as_json:
                        for proof in made:
                            _print_proof(proof, verbose, out)
                    progress.step()
                progress.clear()
    except SandboxError as error:
        if junit is not None:
            nothing = Case("quizapp check", "the sandbox", 0, "error", "sandbox", str(error))
            write(junit, "quizapp check", [nothing, *_cases(selection, proofs)])
        raise
    if everything and path is None and (complaint := _too_few_killed(proofs, root)):
        selection = replace(selection, problems=(*selection.problems, complaint))
    ok = not selection.problems and all(proof.ok for proof in proofs)
    if as_json:
        print(json.dumps(_report(ok, selection, proofs), ensure_ascii=False), file=out)
    else:
        _print_end(selection, proofs, verbose, out)
    if junit is not None:
        write(junit, "quizapp check", list(_cases(selection, proofs)))
    return 0 if ok else 1


def _mutants(proofs: list[Proof]) -> Counter[str]:
    """How the mutants of all solutions ended."""
    return sum((Counter(proof.counts) for proof in proofs), Counter())


def _too_few_killed(proofs: list[Proof], root: Path) -> ContentError | None:
    """What is wrong when each exercise is good enough by itself, and all together are not."""
    reached = score(_mutants(proofs))
    if reached is None or reached >= LEAST_SCORE_OF_ALL:
        return None
    problem = f"of all solutions' mutants only {reached:.1%} fail, less than {LEAST_SCORE_OF_ALL:.0%}"
    return ContentError(root, "", problem, "write checks for what is excused")


def _selected(path: Path | None, root: Path, everything: bool) -> Selection:
    """What there is to prove, with what its words alone show to be wrong."""
    selection = select(root) if path is None else select(path, root)
    files = None if everything or path is not None else changed_files(root)
    if files is not None:
        note = (
            f"Only what differs from the last commit under {shown(root)} was proved ({len(files)} files); "
            "--all proves everything."
        )
        selection = replace(changed(selection, files), notes=(*selection.notes, note))
    complaints = [found for topic in selection.chapters for found in wording.of_topic(topic)]
    complaints += wording.complaints(selection.items)
    complaints += [found for exercise in selection.exercises for found in wording.of_exercise(exercise)]
    return replace(selection, problems=(*selection.problems, *complaints))


def _print_proof(proof: Proof, verbose: bool, out: TextIO) -> None:
    mark = "ok" if proof.ok else "NO"
    row = f"{mark}  {proof.item:<22} {proof.proof:<36} {proof.milliseconds:>7.0f} ms  {proof.evidence}"
    print(visible(row), file=out)  # code chose some of these texts, and could steer the terminal
    if not proof.ok:
        where = f"    {proof.where}: " if proof.where else "    "
        print(indent(visible(proof.remedy), where), file=out)
    if proof.log and verbose:
        print(indent(visible(proof.log.rstrip()), "      "), file=out)


def _print_end(selection: Selection, proofs: list[Proof], verbose: bool, out: TextIO) -> None:
    if unproved := selection.unproved_keys:
        print(
            "Not proved, since no proof names an option and no program prints it: "
            f"the keys of {', '.join(unproved)}.",
            file=out,
        )
    if constants := selection.constants_only:
        named = (f"{exercise.id} ({shown(Path(exercise.folder, 'item.toml'))})" for exercise in constants)
        print(
            f"Checked against constants only: {', '.join(named)}. Whoever knows the answer can write it "
            "down: add a check that uses draw to checks.py, or a [[replace]] to item.toml.",
            file=out,
        )
    for line in (*selection.notes, *selection.problems):
        print(line, file=out)
    if any(proof.log for proof in proofs) and not verbose:
        print("The tracebacks of broken checks: quizapp check -v", file=out)
    mutants = _mutants(proofs)
    if (reached := score(mutants)) is not None:
        listed = ", ".join(f"{count} {fate}" for fate, count in sorted(mutants.items()))
        print(f"Of the mutants of all these solutions {reached:.1%} fail: {listed}.", file=out)
    failed = sum(not proof.ok for proof in proofs)
    print(
        f"{_counted(len(proofs), 'proof')}, {failed} of them failed; "
        f"{_counted(len(selection.problems), 'problem')} in the files.",
        file=out,
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _cases(selection: Selection, proofs: list[Proof]) -> Iterator[Case]:
    """Each proof and each problem as a test of a report."""
    for proof in proofs:
        seconds = proof.milliseconds / 1000
        if proof.ok:
            yield Case(proof.item, proof.proof, seconds)
        else:
            details = "\n".join(text for text in (f"seen: {proof.evidence}", proof.remedy, proof.log) if text)
            message = proof.remedy.partition("\n")[0]
            yield Case(proof.item, proof.proof, seconds, "failure", "proof", message, details)
    for problem in selection.problems:
        group = shown(problem.file)
        name = ": ".join(part for part in (problem.place, problem.problem) if part)
        yield Case(group, name, end="failure", kind="content", message=str(problem))


def _report(ok: bool, selection: Selection, proofs: list[Proof]) -> dict[str, Any]:
    return {
        "ok": ok,
        "notes": list(selection.notes),
        "unproved_keys": list(selection.unproved_keys),
        "mutants": dict(_mutants(proofs)),
        "mutation_score": score(_mutants(proofs)),
        "constants_only": [exercise.id for exercise in selection.constants_only],
        "proofs": [proof.to_json() for proof in proofs],
        "problems": [
            {
                "file": shown(problem.file),
                "line": problem.line,
                "place": problem.place,
                "problem": problem.problem,
                "remedy": problem.remedy,
            }
            for problem in selection.problems
        ],
    }
