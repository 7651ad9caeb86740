"""The proofs of a selection, made side by side and told in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from pathlib import Path

from graders.authoring import shown
from graders.exercise import Exercise
from graders.proving import Claim, Compares, Proof, mutants_attempt, prove_claim, prove_exercise
from quizapp.catalogue.assembly import proofs_of
from quizapp.catalogue.content import (
    CodeProof,
    GapsContent,
    LineContent,
    NumericContent,
    OrderContent,
    OutputContent,
    TextContent,
)
from quizapp.catalogue.items import Item
from quizapp.catalogue.markdown import run_fences
from quizapp.catalogue.selecting import Selection
from quizapp.catalogue.texts import texts_of
from quizapp.catalogue.typed import shown_number

Job = Callable[[Compares], tuple[Proof, ...]]


def jobs(selection: Selection) -> list[Job]:
    """All that there is to do, in the order in which it is told."""
    found: list[Job] = []
    for topic in selection.chapters:
        for fence in topic.fences:
            name = f"{topic.chapter_file.name}, line {fence.line}"
            where = f"{shown(topic.chapter_file)}:{fence.line}"
            found.append(_claimed(topic.id, name, Claim(fence.code, shows=fence.output), where))
    for exercise in selection.exercises:
        found += _of_exercise(exercise)
        where = f"{shown(Path(exercise.folder, 'item.toml'))}:1"
        found += _of_texts(exercise.id, texts_of(exercise), where)
    for item in selection.items:
        if isinstance(item.content, Exercise):
            found += _of_exercise(item.content)
        where = f"{shown(item.file)}:{item.line or 1}" if item.file else ""
        found += [_claimed(item.id, name, claim, where) for name, claim in _keys(item)]
        for number, proof in enumerate(proofs_of(item), start=1):
            name = f"option {proof.option}" if proof.option else "proof"
            found.append(_claimed(item.id, f"{name} ({number})", _claim(proof, selection.solutions), where))
        found += _of_texts(item.id, texts_of(item.content), where)
    return found


def prove(work: list[Job], grader: Compares, *, at_once: int) -> Iterator[tuple[Proof, ...]]:
    """What each job proves, in order, each as soon as it and all before it are done."""
    with ThreadPoolExecutor(at_once, thread_name_prefix="proof") as pool:
        try:
            yield from pool.map(lambda job: job(grader), work)
        finally:
            pool.shutdown(cancel_futures=True)  # what nobody will hear is not begun


def _of_texts(item: str, texts: Iterable[str], where: str) -> list[Job]:
    """The programs in Markdown that are marked as run."""
    found = []
    for text in texts:
        for fence in run_fences(text):
            name = f"fence: {fence.code.strip().splitlines()[-1][:40]}" if fence.code.strip() else "fence"
            found.append(_claimed(item, name, Claim(fence.code, shows=fence.output), where))
    return found


def _keys(item: Item) -> Iterator[tuple[str, Claim]]:
    """What shows a key that is no letter: a program that prints it, or the program that is asked about."""
    content = item.content
    if isinstance(content, OutputContent):
        yield "code prints output", Claim(content.code, prints=content.output)
    elif isinstance(content, NumericContent) and content.program:
        answer = shown_number(Decimal(str(content.answer)))
        yield "program prints answer", Claim(content.program, prints=answer, is_number=True)
    elif isinstance(content, TextContent) and content.program:
        yield "program prints answer", Claim(content.program, prints=content.answers[0])
    elif isinstance(content, LineContent):
        if content.raises is not None:
            yield "code raises in that line", Claim(content.code, raises=content.raises, line=content.line)
        else:
            yield "code prints otherwise", Claim(content.code, prints_not=content.prints)
        yield "code with fixed runs", Claim(content.mended, prints=content.prints)
    elif isinstance(content, GapsContent):
        most = max(len(gap.answers) for gap in content.gaps)
        for number in range(most):  # every answer is in one of them
            typed = [gap.answers[min(number, len(gap.answers) - 1)] for gap in content.gaps]
            yield f"gaps filled: {', '.join(typed)}", Claim(content.filled(typed), prints=content.prints)
    elif isinstance(content, OrderContent):
        for number, order in enumerate(content.right_orders):
            name = f"also {number} prints" if number else "lines print"
            yield name, Claim("\n".join(order), prints=content.prints)


def _of_exercise(exercise: Exercise) -> list[Job]:
    return [partial(prove_exercise, exercise), lambda grader: (mutants_attempt(exercise).make(grader),)]


def _claimed(item: str, name: str, claim: Claim, where: str) -> Job:
    return lambda grader: (prove_claim(item, name, claim, grader, where),)


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
