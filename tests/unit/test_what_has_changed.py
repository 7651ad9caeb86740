"""In a work tree of git, `quizapp check` proves what differs from the last commit and what builds on it."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path

import pytest
from bare_grader import BareGrader
from content_tree import Tree

from quizapp.catalogue.check import check
from quizapp.catalogue.worktree import changed_files


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path / "exercises")
    git(tmp_path, "init", "--initial-branch=main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--message=All")
    return tree


def proved(tree: Tree, *, path: Path | None = None, everything: bool = False) -> set[str]:
    out = io.StringIO()
    check(path, as_json=True, everything=everything, grader_factory=BareGrader, out=out, root=tree.root)
    return {proof["item"] for proof in json.loads(out.getvalue())["proofs"]}


ALL = {"branch", "experiment", "practice-1", "practice-2"}


def test_nothing_is_proved_where_nothing_has_changed_and_that_is_said(tree: Tree) -> None:
    out = io.StringIO()
    grader = BareGrader()
    code = check(
        None, as_json=False, everything=False, grader_factory=lambda: grader, out=out, root=tree.root
    )
    assert (code, grader.started) == (0, 0)
    assert "Only what differs from the last commit" in out.getvalue()
    assert "(0 files); --all proves everything.\n0 proofs" in out.getvalue()


def test_everything_is_proved_on_request_and_what_is_named_in_any_case(tree: Tree) -> None:
    assert proved(tree, everything=True) == ALL
    assert proved(tree, path=tree.topic / "practice.toml") == {"practice-1", "practice-2"}


def test_a_changed_file_of_questions_is_proved(tree: Tree) -> None:
    tree.change("practice.toml", "Think.", "Think again.")
    assert proved(tree) == {"practice-1", "practice-2"}


@pytest.mark.parametrize("name", ["branch/solution.py", "branch/wrong/new.py"])
def test_a_changed_exercise_is_proved_with_what_builds_on_it(tree: Tree, name: str) -> None:
    tree.write(name, "x = 1 + 1\n")
    assert proved(tree) == {"branch", "experiment"} or name.endswith("new.py")
    assert "practice-1" not in proved(tree)


def test_a_changed_list_of_a_topic_brings_all_of_it(tree: Tree) -> None:
    tree.change("topic.toml", "Graphs", "All graphs")
    assert proved(tree) == ALL


def test_faults_are_told_wherever_they_are(tree: Tree) -> None:
    tree.change("practice.toml", 'key = "B"', 'key = "E"')
    git(tree.root, "commit", "--all", "--message=A fault")
    out = io.StringIO()
    code = check(None, as_json=False, everything=False, grader_factory=BareGrader, out=out, root=tree.root)
    assert (code, 'key is "E"' in out.getvalue()) == (1, True)


def test_outside_of_a_work_tree_and_before_the_first_commit_nothing_is_known(tmp_path: Path) -> None:
    assert changed_files(tmp_path) is None
    git(tmp_path, "init")
    assert changed_files(tmp_path) is None


def test_odd_names_and_new_and_deleted_files_are_found(tree: Tree) -> None:
    tree.write("ä b.toml", "x")
    (tree.topic / "cards.toml").unlink()
    found = changed_files(tree.root)
    assert found is not None
    assert {path.name for path in found} == {"ä b.toml", "cards.toml"}
