"""`quizapp new` writes where it is meant to, or nothing at all and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from content_tree import Tree

from quizapp.authoring.new import KINDS, CannotStart, start
from quizapp.cli import main


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    monkeypatch.chdir(tmp_path)
    return Tree(tmp_path / "exercises")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_written_below_the_one_topic_there_is(tree: Tree, kind: str) -> None:
    started = start(kind, Path("new-one"), root=tree.root)
    above = tree.root if kind == "topic" else tree.topic
    assert all(file.is_relative_to(above) for file in started.files)
    assert any("new-one" in file.as_posix() for file in started.files)
    text = "".join(file.read_text() for file in started.files)
    assert 'id = "new-one"' in text
    assert 'title = "New one"' in text
    assert "@" not in text.replace("@check", "").replace("@mistake", "")
    assert (tree.root / ".schemas").is_dir() or (tree.root / "new-one" / ".." / ".schemas").is_dir()
    assert len(started.next) >= 2


def test_a_path_says_where(tree: Tree) -> None:
    start("quiz", tree.topic / "warm-up.toml", root=Path("nowhere"), title="Warm up!")
    assert 'title = "Warm up!"' in (tree.topic / "warm-up.toml").read_text()


def test_in_the_folder_of_a_topic_a_name_is_enough(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.add_topic("other", topic_id="other")
    monkeypatch.chdir(tree.root / "other")
    start("exercise", Path("mine"), root=tree.root)
    assert (tree.root / "other" / "mine" / "item.toml").is_file()


def test_an_experiment_is_done_in_an_exercise_of_its_topic(tree: Tree) -> None:
    start("experiment", Path("try-it"), root=tree.root)
    assert 'exercise = "branch"' in (tree.topic / "try-it.toml").read_text()


@pytest.mark.parametrize(
    ("kind", "place", "says"),
    [
        ("exercise", "My Exercise", '"My Exercise" is no id; use small letters'),
        ("exercise", "x" * 61, "is no id"),
        ("exercise", "branch", "is there already; choose another name"),
        ("quiz", "practice", "is there already"),
        ("quiz", "exercises/nothing/warm-up", "is no topic; make one with quizapp new topic"),
        ("topic", "exercises/graphs/inner", "topics do not stand in one another"),
    ],
)
def test_what_cannot_be_started_is_said(tree: Tree, kind: str, place: str, says: str) -> None:
    before = sorted(tree.root.rglob("*"))
    with pytest.raises(CannotStart) as refused:
        start(kind, Path(place), root=tree.root)
    assert says in str(refused.value)
    assert sorted(tree.root.rglob("*")) == before


def test_where_there_are_several_topics_one_must_be_named(tree: Tree) -> None:
    tree.add_topic("other", topic_id="other")
    with pytest.raises(CannotStart, match=r"say in which topic: quizapp new cards .*graphs/mine"):
        start("cards", Path("mine"), root=tree.root)


def test_the_command_tells_what_it_wrote_and_what_comes_next(tree: Tree) -> None:
    done = CliRunner().invoke(main, ["new", "exercise", "exercises/graphs/mine", "--title", "Mine"])
    assert done.exit_code == 0, done.output
    assert "wrote exercises/graphs/mine/solution.py" in done.output
    assert "Prove it: quizapp check exercises/graphs/mine." in done.output
    assert '"mine" under exercises' in done.output
    again = CliRunner().invoke(main, ["new", "exercise", "exercises/graphs/mine"])
    assert again.exit_code == 2
    assert "is there already" in again.output
