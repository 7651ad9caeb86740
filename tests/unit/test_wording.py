"""Questions that can be answered without knowing anything, and hints that are worth nothing, are reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from content_tree import Tree

from graders.exercise import Exercise, load_exercise
from quizapp.catalogue.wording import complaints, of_exercise, of_topic


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "exercises")


@pytest.fixture
def exercise(tree: Tree) -> Exercise:
    return load_exercise(tree.topic / "branch")


def told(tree: Tree) -> list[str]:
    return [str(complaint) for complaint in complaints(tree.load().items())]


def test_sound_content_is_not_complained_of(tree: Tree) -> None:
    assert told(tree) == []


@pytest.mark.parametrize(
    "text",
    ["All of the above", "None of these options", "both of the above.", "Options A and B", "neither B nor A"],
)
def test_an_option_that_depends_on_the_order_is(tree: Tree, text: str) -> None:
    tree.change("practice.toml", 'text = "this"', f'text = "{text}"')
    (complaint, *_) = told(tree)
    assert 'practice.toml:7: question "practice-1", options.A: option A says' in complaint
    assert "depends on the order" in complaint


@pytest.mark.parametrize("text", ["All of the gradients", "each of its options is tracked", "option -1"])
def test_an_option_that_only_sounds_so_is_not(tree: Tree, text: str) -> None:
    tree.change("practice.toml", 'text = "this"', f'text = "{text}"')
    assert told(tree) == []


@pytest.mark.parametrize("text", ["that.", " `that` "])
def test_two_options_that_say_the_same_are(tree: Tree, text: str) -> None:
    tree.change("practice.toml", 'text = "this"', f'text = "{text}"')
    assert "options A and B say the same; make them differ" in told(tree)[0]


def test_a_key_that_is_the_longest_in_most_questions_is(tree: Tree) -> None:
    tree.questions(8, key=lambda n: "AB"[n % 2], longest=lambda n: "AB"[n % 2] if n < 6 else "BA"[n % 2])
    assert "the key is the longest option in 6 of 8 questions of this set" in told(tree)[0]
    tree.questions(8, key=lambda n: "AB"[n % 2], longest=lambda n: "A")
    assert told(tree) == []


def test_a_key_that_is_mostly_one_letter_is(tree: Tree) -> None:
    tree.questions(8, key=lambda n: "B" if n < 6 else "A", longest=lambda n: "AB"[n % 2])
    assert "the key is B in 6 of 8 questions of this set; put the right option elsewhere" in told(tree)[0]


def test_a_habit_cannot_be_seen_in_a_few_questions(tree: Tree) -> None:
    tree.questions(5, key=lambda n: "B", longest=lambda n: "B")
    assert told(tree) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "where"),
    [
        ("practice.toml", 'title = "Question 1"', 'title = "TODO: a title"', "practice.toml:9"),
        ("practice.toml", 'intro = "Two questions."', 'intro = "TODO: say what"', "practice.toml:4"),
        ("practice.toml", 'why = "No."', 'why = "TODO: why"', "practice.toml:21"),
        ("chapter.md", "More text.", "TODO: more text.", "chapter.md:8"),
        ("topic.toml", 'title = "Graphs"', 'title = "TODO"', "topic.toml:2"),
        ("branch/prompt.md", "Do it.", "TODO: what to do.", "branch/prompt.md:1"),
        ("branch/item.toml", '"So."', '"TODO: so."', "branch/item.toml:5"),
    ],
)
def test_what_is_not_written_yet_is_named_with_its_file_and_line(
    tree: Tree, name: str, old: str, new: str, where: str
) -> None:
    tree.change(name, old, new)
    topics = [str(found) for topic in tree.load().topics() for found in of_topic(topic)]
    (complaint,) = topics + told(tree)
    assert f"{where}: still says" in complaint
    assert "TODO" in complaint


def test_an_exercise_without_a_hint_is(exercise: Exercise) -> None:
    (complaint,) = of_exercise(replace(exercise, hints=()))
    assert "branch/item.toml:1: hints: there is no hint" in str(complaint)


@pytest.mark.parametrize(
    "second", ["Call backward() before you read x.grad!", "Well: Call backward() before you read x.grad. Do."]
)
def test_hints_that_repeat_each_other_are(exercise: Exercise, second: str) -> None:
    first = "Call backward() before you read x.grad."
    (complaint,) = of_exercise(replace(exercise, hints=(first, "Think of the sign.", second)))
    assert "hint 3 repeats hint 1; let each say what the one before does not" in str(complaint)


def test_a_starter_that_is_the_solution_but_for_comments_is(exercise: Exercise) -> None:
    (complaint,) = of_exercise(replace(exercise, starter=f"# Write your code here.\n{exercise.solution}\n"))
    assert "branch/starter.py:1: starter.py is solution.py but for comments" in str(complaint)
