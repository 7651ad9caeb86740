"""`quizapp check`: load content, run everything that it claims, and say what does not hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent
from typing import Any, TextIO

from graders.authoring import ContentError, did_you_mean, shown, visible
from graders.exercise import Exercise, ExerciseError, load_exercise
from graders.grader import SandboxError
from graders.proving import Claim, Grades, Proof, prove_claim, prove_exercise
from quizapp.catalogue.assembly import Snapshot, Topic, assemble, proofs_of
from quizapp.catalogue.catalogue import Catalogue
from quizapp.catalogue.content import ChoiceContent, CodeProof
from quizapp.catalogue.items import Item
from quizapp.catalogue.loader import load_topic
from quizapp.catalogue.markdown import run_fences
from quizapp.config import PROJECT
from quizapp.junit import Case, write


@dataclass(frozen=True)
class Selection:
    """What is to be proved.

    solutions: exercise id to the source that proofs with `after` build on. notes: what is worth saying and no
    fault.
    """

    problems: tuple[ContentError, ...] = ()
    chapters: tuple[Topic, ...] = ()
    items: tuple[Item, ...] = ()
    exercises: tuple[Exercise, ...] = ()
    solutions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found, not even a fault."""
        return not (self.problems or self.chapters or self.items or self.exercises)

    @property
    def unproved_keys(self) -> tuple[str, ...]:
        """Questions whose key rests on nothing that can be run: none of their proofs names an option."""
        return tuple(
            item.id
            for item in self.items
            if isinstance(item.content, ChoiceContent)
            and all(proof.option is None for proof in item.content.proofs)
        )

    @property
    def constants_only(self) -> tuple[Exercise, ...]:
        """Exercises that whoever knows the answer can write it down for: nothing that they check is drawn."""
        listed = [item.content for item in self.items if isinstance(item.content, Exercise)]
        return tuple(exercise for exercise in (*self.exercises, *listed) if exercise.constants_only)


def check(
    path: Path | None,
    *,
    as_json: bool,
    verbose: bool = False,
    grader_factory: Callable[[], AbstractContextManager[Grades]],
    out: TextIO,
    root: Path = PROJECT / "exercises",
    junit: Path | None = None,
) -> int:
    """Check all content under `root`, or the topic, exercise folder or single file at `path`.

    Writes a table, with `verbose` also the tracebacks of broken checks, or one JSON object; returns 0 if
    everything holds and 1 if not. The grader is started only if there is something to run.
    junit: a file for the same in JUnit's XML, also if there is no grader.
    Raises: SandboxError, from the factory; ReportError, if that file cannot be written.
    """
    selection = select(root) if path is None else select(path, root)
    proofs: list[Proof] = []
    try:
        if selection.chapters or selection.items or selection.exercises:
            with grader_factory() as grader:
                for proof in prove(selection, grader):
                    proofs.append(proof)
                    if not as_json:
                        _print_proof(proof, verbose, out)
    except SandboxError as error:
        if junit is not None:
            nothing = Case("quizapp check", "the sandbox", 0, "error", "sandbox", str(error))
            write(junit, "quizapp check", [nothing, *_cases(selection, proofs)])
        raise
    ok = not selection.problems and all(proof.ok for proof in proofs)
    if as_json:
        print(json.dumps(_report(ok, selection, proofs), ensure_ascii=False), file=out)
    else:
        _print_end(selection, proofs, verbose, out)
    if junit is not None:
        write(junit, "quizapp check", list(_cases(selection, proofs)))
    return 0 if ok else 1


def select(path: Path, root: Path | None = None) -> Selection:
    """What there is to prove at `path`; a path that is no content is a problem.

    root: where `path` may also be the id of an item, a set or a topic.
    """
    if root is not None and not path.exists():
        return _named(str(path), root)
    if (path / "topic.toml").is_file() or path.name == "topic.toml":
        return _topic(path if path.is_dir() else path.parent)
    if (path.parent / "topic.toml").is_file() and path.exists():
        return _within(_topic(path.parent), path)
    if (path / "item.toml").is_file():
        return _alone(path)
    if path.is_dir():
        catalogue = Catalogue(path)
        items = catalogue.items()
        found = Selection(catalogue.problems(), catalogue.topics(), items, solutions=_solutions(items))
        if not found.is_empty:
            return found
    remedy = "name the folder of all topics, a topic, an exercise folder, or a file of a topic"
    return Selection(problems=(ContentError(path, "", "holds no content", remedy),))


def _named(name: str, root: Path) -> Selection:
    """What has this id in the content under `root`."""
    everything = select(root)
    topics = [topic for topic in everything.chapters if topic.id == name]
    if topics:
        return _topic(topics[0].folder)
    items = tuple(item for item in everything.items if name in (item.id, item.set_id))
    if items:
        return Selection(items=items, solutions=everything.solutions)
    known = [topic.id for topic in everything.chapters] + [item.id for item in everything.items]
    remedy = f"name a path, or an id below {shown(root)}: {did_you_mean(name, known)}"
    broken = tuple(problem for problem in everything.problems if f'"{name}"' in problem.place)
    unknown = ContentError(Path(name), "", "is neither a path nor the id of sound content", remedy)
    return Selection(problems=broken or (unknown,))


def _alone(folder: Path, *notes: str) -> Selection:
    """An exercise that no topic lists."""
    try:
        return Selection(exercises=(load_exercise(folder),), notes=notes)
    except ExerciseError as error:
        return Selection(problems=(error,), notes=notes)


def _topic(folder: Path) -> Selection:
    topic, problems = load_topic(folder)
    snapshot: Snapshot = assemble([topic] if topic else [], problems)
    items = tuple(snapshot.items.values())
    return Selection(snapshot.problems, tuple(snapshot.topics.values()), items, solutions=_solutions(items))


def _within(whole: Selection, path: Path) -> Selection:
    """What of the selection stands in the file or folder `path`.

    An exercise that is not listed yet is proved all the same. A topic.toml that cannot be read hides all.
    """
    if not whole.chapters:
        return whole
    listed = {item.file.resolve().parent for item in whole.items if item.file is not None}
    strays = [problem.file for problem in whole.problems if problem.problem == "is not part of the topic"]
    if path in strays and (path / "item.toml").is_file() and path.resolve() not in listed:
        return _alone(path, f"{shown(path)} is not listed in topic.toml yet: no learner sees it.")
    path = path.resolve()

    def inside(file: Path | None) -> bool:
        return file is not None and file.resolve().is_relative_to(path)

    return Selection(
        problems=tuple(problem for problem in whole.problems if inside(problem.file)),
        chapters=tuple(topic for topic in whole.chapters if inside(topic.chapter_file)),
        items=tuple(item for item in whole.items if inside(item.file)),
        solutions=whole.solutions,
    )


def _solutions(items: Iterable[Item]) -> dict[str, str]:
    return {item.id: item.content.solution for item in items if isinstance(item.content, Exercise)}


def prove(selection: Selection, grader: Grades) -> Iterator[Proof]:
    """Every proof of the selection, one after the other."""
    for topic in selection.chapters:
        for fence in topic.fences:
            name = f"{topic.chapter_file.name}, line {fence.line}"
            yield prove_claim(topic.id, name, Claim(fence.code, shows=fence.output), grader)
    for exercise in selection.exercises:
        yield from prove_exercise(exercise, grader)
    for item in selection.items:
        if isinstance(item.content, Exercise):
            yield from prove_exercise(item.content, grader)
        for number, proof in enumerate(proofs_of(item), start=1):
            name = f"option {proof.option}" if proof.option else "proof"
            yield prove_claim(item.id, f"{name} ({number})", _claim(proof, selection.solutions), grader)
        for text in _texts(item):
            for fence in run_fences(text):
                name = f"fence: {fence.code.strip().splitlines()[-1][:40]}" if fence.code.strip() else "fence"
                yield prove_claim(item.id, name, Claim(fence.code, shows=fence.output), grader)


def _claim(proof: CodeProof, solutions: Mapping[str, str]) -> Claim:
    return Claim(
        code=proof.code,
        before=solutions.get(proof.after, "") if proof.after else "",
        prints=proof.prints,
        raises=proof.raises,
        says=proof.says,
        line=proof.line,
        holds=proof.holds,
    )


def _texts(item: Item) -> Iterator[str]:
    """The item's Markdown, wherever it stands in it."""
    content = item.content
    if isinstance(content, Exercise):
        yield from (content.prompt, content.explanation, *content.hints, *content.mistakes, *content.errata)
    else:
        yield from _strings(content.model_dump(exclude={"proofs"}))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _strings(part)


def _print_proof(proof: Proof, verbose: bool, out: TextIO) -> None:
    mark = "ok" if proof.ok else "NO"
    row = f"{mark}  {proof.item:<22} {proof.proof:<36} {proof.milliseconds:>7.0f} ms  {proof.evidence}"
    print(visible(row), file=out)  # code chose some of these texts, and could steer the terminal
    if not proof.ok:
        print(indent(visible(proof.remedy), "    "), file=out)
    if proof.log and verbose:
        print(indent(visible(proof.log.rstrip()), "      "), file=out)


def _print_end(selection: Selection, proofs: list[Proof], verbose: bool, out: TextIO) -> None:
    if unproved := selection.unproved_keys:
        print(f"Not proved, since no proof names an option: the keys of {', '.join(unproved)}.", file=out)
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
    failed = sum(not proof.ok for proof in proofs)
    print(
        f"{len(proofs)} proofs, {failed} of them failed; {len(selection.problems)} problems in the files.",
        file=out,
    )


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
