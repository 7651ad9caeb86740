"""What `quizapp check` is asked to prove: everything, a topic, a file, an exercise, or what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from graders.authoring import ContentError, did_you_mean, shown
from graders.exercise import Exercise, ExerciseError, load_exercise
from quizapp.catalogue.assembly import Snapshot, Topic, assemble, proofs_of
from quizapp.catalogue.catalogue import Catalogue
from quizapp.catalogue.content import (
    ChoiceContent,
    Content,
    MatchContent,
    MultipleContent,
    NumericContent,
    TextContent,
)
from quizapp.catalogue.items import Item
from quizapp.catalogue.loader import load_topic


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
        """Questions whose key rests on nothing that can be run: a proof of an option, a program."""
        return tuple(item.id for item in self.items if _rests_on_nothing(item.content))

    @property
    def constants_only(self) -> tuple[Exercise, ...]:
        """Exercises that whoever knows the answer can write it down for: nothing that they check is drawn."""
        listed = [item.content for item in self.items if isinstance(item.content, Exercise)]
        return tuple(exercise for exercise in (*self.exercises, *listed) if exercise.constants_only)


def _rests_on_nothing(content: Content) -> bool:
    if isinstance(content, ChoiceContent | MultipleContent):
        return all(proof.option is None for proof in content.proofs)
    if isinstance(content, NumericContent | TextContent):
        return not content.program
    return isinstance(content, MatchContent)  # no proof says of a pair that it belongs together


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


def changed(whole: Selection, paths: Iterable[Path]) -> Selection:
    """What of a selection stands in these files, or builds on what does. All problems stay.

    A topic.toml brings its whole topic with it.
    """
    files = {path.resolve() for path in paths}
    folders = {file.parent for file in files if file.name == "topic.toml"}

    def touched(file: Path | None, *, folder: bool = False) -> bool:
        if file is None:
            return False
        file = file.resolve()
        inside = folder and any(changed.is_relative_to(file.parent) for changed in files)
        return file in files or inside or any(file.is_relative_to(above) for above in folders)

    def named(keep: Callable[[Item], bool]) -> frozenset[str]:
        return frozenset(item.id for item in whole.items if keep(item))

    exercises = named(lambda item: isinstance(item.content, Exercise) and touched(item.file, folder=True))
    others = named(lambda item: not isinstance(item.content, Exercise) and touched(item.file))
    built_on = named(lambda item: any(proof.after in exercises for proof in proofs_of(item)))
    return replace(
        whole,
        chapters=tuple(topic for topic in whole.chapters if touched(topic.chapter_file)),
        items=tuple(item for item in whole.items if item.id in exercises | others | built_on),
    )
