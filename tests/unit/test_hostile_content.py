"""No file of content reaches outside its folder, and none takes anything else with it, whatever it holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from content_tree import Tree

from graders.authoring import MAX_FILE_BYTES, Document
from graders.exercise import Exercise
from quizapp.catalogue.chapter import Html
from quizapp.catalogue.told import ToldProblems

SECRET = "the-secret-of-this-installation"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path / "exercises")
    tree.add_topic("other", topic_id="other")
    return tree


def only_complaint(tree: Tree, file: str) -> str:
    """The complaint about one file; the other topic is whole, and the complaint can be logged and printed."""
    catalogue = tree.load()
    assert catalogue.topic("other") is not None
    ToldProblems(catalogue)
    about = [line for line in tree.complaints() if line.startswith(f"graphs/{file}".rstrip("/"))]
    assert len(about) == 1, tree.complaints()
    about[0].encode()
    return about[0]


class TestFilesOutside:
    @pytest.mark.parametrize(
        "name", ["{root}/secret", "../../secret", "..", "deeper/chapter.md", "a\\u0000.md"]
    )
    def test_a_chapter_elsewhere_is_refused_and_not_shown(
        self, tree: Tree, tmp_path: Path, name: str
    ) -> None:
        (tmp_path / "secret").write_text(SECRET)
        named = name.format(root=tmp_path)
        tree.change("topic.toml", 'title = "Graphs"', f'title = "Graphs"\nchapter = "{named}"')
        assert "cannot be the chapter; name a .md file of this folder" in only_complaint(tree, "topic.toml")
        topic = tree.load().topic("graphs")
        assert topic is not None
        assert SECRET not in "".join(str(block.html) for block in topic.chapter if isinstance(block, Html))

    @pytest.mark.parametrize("name", ["..", ".", ".hidden", "../graphs/branch", "a\\nb"])
    def test_an_exercise_elsewhere_is_refused(self, tree: Tree, name: str) -> None:
        tree.change("topic.toml", '["branch"]', f'["branch", "{name}"]')
        assert "cannot be listed here; name a folder of this folder" in only_complaint(tree, "topic.toml")

    @pytest.mark.parametrize("name", ["", "branch", "branch/wrong"])
    def test_a_linked_folder_is_refused(self, tree: Tree, tmp_path: Path, name: str) -> None:
        folder = tree.topic / name
        folder.rename(tmp_path / "away")
        folder.symlink_to(tmp_path / "away")
        assert only_complaint(tree, name).endswith("is a link; put the folder itself here")

    @pytest.mark.parametrize(
        "name", ["chapter.md", "practice.toml", "branch/prompt.md", "branch/wrong/three.py"]
    )
    def test_a_linked_file_is_refused(self, tree: Tree, tmp_path: Path, name: str) -> None:
        (tmp_path / "secret").write_text(SECRET)
        (tree.topic / name).unlink()
        (tree.topic / name).symlink_to(tmp_path / "secret")
        assert only_complaint(tree, name).endswith("is a link; put the file itself here")

    @pytest.mark.parametrize(
        "name", ["chapter.md", "cards.toml", "branch/starter.py", "branch/wrong/three.py"]
    )
    def test_a_pipe_is_refused_without_waiting_for_it(self, tree: Tree, name: str) -> None:
        (tree.topic / name).unlink()
        os.mkfifo(tree.topic / name)
        assert only_complaint(tree, name).endswith("is no file; put a text file here")

    def test_the_size_is_limited(self, tree: Tree) -> None:
        tree.write("chapter.md", "a" * (MAX_FILE_BYTES + 1))
        assert "is larger than 256 KiB" in only_complaint(tree, "chapter.md")


class TestFilesThatNoParserTakes:
    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            (f"x = {'9' * 5000}", "holds a number that is too long; shorten it"),
            (f"x = 0x{'f' * 5000}", "unknown key"),
            (f"id = 0x{'f' * 5000}", "too long"),
            (f"{'.'.join('a' * 3000)} = 1", "is nested too deeply; write it flatter"),
            (f"x = {'[' * 3000}{']' * 3000}", "is nested too deeply; write it flatter"),
            (f"x{'.a' * 100_000} = 1", "is nested too deeply; write it flatter"),
        ],
    )
    @pytest.mark.parametrize("name", ["cards.toml", "topic.toml", "branch/item.toml"])
    def test_toml_beyond_what_can_be_read(self, tree: Tree, name: str, line: str, expected: str) -> None:
        rest = (tree.topic / name).read_text()
        if line.startswith("id"):
            rest = rest.split("\n", 1)[1]
        tree.write(name, f"{line}\n{rest}")
        assert expected in only_complaint(tree, name)

    def test_half_a_sign_in_the_first_line_of_a_wrong_answer(self, tree: Tree) -> None:
        tree.write("branch/wrong/three.py", '# expect: failed, "x == 2", "\\ud800"\nx = 3\n')
        assert "holds half a sign" in only_complaint(tree, "branch/wrong/three.py:1")

    def test_half_a_sign_in_the_name_of_a_check(self, tree: Tree) -> None:
        tree.write("branch/checks.py", '@check("\\ud800")\ndef it(answer): ...\n')
        assert "a check without a plain name" in only_complaint(tree, "branch/checks.py")

    def test_a_file_name_that_is_not_utf_8(self, tree: Tree) -> None:
        path = os.fsencode(tree.topic / "branch" / "wrong") + b"/\xff.py"
        with open(path, "w") as file:
            file.write('# expect: failed, "x == 2", "3"\nx = 3\n')
        expected = "graphs/branch/wrong/\\udcff.py: has a name that cannot be shown; rename it"
        assert only_complaint(tree, "branch/wrong") == expected

    def test_a_stray_whose_name_is_not_utf_8(self, tree: Tree) -> None:
        with open(os.fsencode(tree.topic) + b"/\xff\x1b[2J", "w"):
            pass
        assert "is not part of the topic" in only_complaint(tree, "\\udcff\\x1b[2J")


class TestAFaultOfOurs:
    """A loader that breaks in a way nobody foresaw."""

    @pytest.mark.parametrize("error", [ValueError, RecursionError, KeyError, OSError, MemoryError])
    def test_in_one_file_leaves_the_other_files(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
    ) -> None:
        whole = Document.read

        def broken(path: Path) -> Document:
            if path.name == "cards.toml":
                raise error
            return whole(path)

        monkeypatch.setattr(Document, "read", broken)
        expected = f"graphs/cards.toml: cannot be read ({error.__name__}); mend or remove the file"
        assert only_complaint(tree, "cards.toml") == expected
        assert tree.load().item("practice-1") is not None

    def test_in_one_exercise_leaves_the_questions(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object, **__: object) -> Exercise:
            raise IndexError

        monkeypatch.setattr("graders.exercise.Exercise", broken)
        assert "cannot be read (IndexError); mend or remove the folder" in only_complaint(tree, "branch:")
        assert tree.load().item("practice-1") is not None

    def test_in_putting_one_topic_together_leaves_the_others(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: object) -> None:
            raise KeyError

        monkeypatch.setattr("quizapp.catalogue.assembly._Assembly._check_places", broken)
        catalogue = tree.load()
        assert [str(problem).split(": ")[1] for problem in catalogue.problems()] == [
            "cannot be read (KeyError); mend or remove the folder"
        ] * 2
