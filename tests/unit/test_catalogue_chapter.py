"""A chapter is prose, headings and placed items, in the order of the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from content_tree import Tree

from quizapp.catalogue.chapter import Block, Heading, Html, PlacedItem, PlacedSet


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "exercises")


def blocks(tree: Tree, chapter: str) -> list[Block]:
    tree.write("chapter.md", chapter)
    return list(tree.load().topics()[0].chapter)


def complaints(tree: Tree, chapter: str) -> list[str]:
    tree.write("chapter.md", chapter)
    """What is wrong with the chapter itself; most of these chapters place next to nothing."""
    found = [line.removeprefix("graphs/") for line in tree.complaints()]
    return [line for line in found if "places it nowhere" not in line]


def names(found: list[Block]) -> list[str]:
    return [
        block.item.id
        if isinstance(block, PlacedItem)
        else block.set.id
        if isinstance(block, PlacedSet)
        else "-"
        for block in found
    ]


class TestBlocks:
    def test_come_in_the_order_of_the_file(self, tree: Tree) -> None:
        found = list(tree.load().topics()[0].chapter)
        assert [type(block) for block in found] == [Html, Heading, PlacedItem, PlacedSet, Html, PlacedSet] + [
            PlacedItem
        ] * 2
        assert found[1] == Heading(2, "One part", found[1].html, "one-part")  # type: ignore[union-attr]
        assert found[1].html == "One <em>part</em>"  # type: ignore[union-attr]
        assert names(found) == ["-", "-", "practice-1", "cards", "-", "prompts", "experiment", "interview"]

    def test_headings_of_one_text_get_slugs_of_their_own(self, tree: Tree) -> None:
        found = blocks(tree, "## Why?\n\n### Why?\n\n## !\n")
        assert [(one.level, one.slug) for one in found if isinstance(one, Heading)] == [
            (2, "why"),
            (3, "why-2"),
            (2, "section"),
        ]

    def test_a_placement_inside_code_is_code(self, tree: Tree) -> None:
        (only,) = blocks(tree, "```\n::item practice-1\n```\n")
        assert isinstance(only, Html)
        assert "::item practice-1" in only.html

    def test_a_reference_works_over_a_heading(self, tree: Tree) -> None:
        found = blocks(tree, "[see][docs]\n\n## End\n\n[docs]: https://example.org\n")
        assert 'href="https://example.org"' in found[0].html  # type: ignore[union-attr]

    def test_programs_are_known_with_their_lines(self, tree: Tree) -> None:
        blocks(tree, "x\n\n```python run\nprint(1)\n```\n```output\n1\n```\n\n- ```python run\n  2\n  ```\n")
        fences = tree.load().topics()[0].fences
        assert [(fence.code, fence.output, fence.line) for fence in fences] == [
            ("print(1)\n", "1\n", 3),
            ("2\n", None, 10),
        ]

    def test_output_after_prose_belongs_to_no_program(self, tree: Tree) -> None:
        blocks(tree, "```python run\nprint(1)\n```\n\nThis:\n\n```output\n1\n```\n")
        assert tree.load().topics()[0].fences[0].output is None


class TestFaults:
    @pytest.mark.parametrize(
        ("chapter", "expected"),
        [
            (
                "a\n\n::item practice-11\n",
                'chapter.md:3: there is no item "practice-11" in this topic; did you mean',
            ),
            (
                "::set practice-1\n",
                'chapter.md:1: there is no set "practice-1" in this topic; did you mean "practice"',
            ),
            ("::item cards\n", 'chapter.md:1: there is no item "cards" in this topic'),
            ("::itm practice-1\n", 'chapter.md:1: "::itm" is unknown; did you mean "item"?'),
            ("::item\n", 'chapter.md:1: "::item" names no id; add the id after a space'),
            ("::item branch now\n", "chapter.md:1: text and a :: line in one paragraph"),
            ("Text\n::item branch\n", "chapter.md:1: text and a :: line in one paragraph; put an empty line"),
            ("- a\n\n  ::item branch\n", "chapter.md:3: a :: line inside a list or a quotation; move it to"),
            ("::item branch\n\n::item branch\n", 'chapter.md:3: "branch" is placed twice; keep one place'),
            ("x\n\n# Title\n", "chapter.md:3: a heading with one #; write ##"),
        ],
    )
    def test_are_named_with_their_line(self, tree: Tree, chapter: str, expected: str) -> None:
        (found,) = complaints(tree, chapter)
        assert found.startswith(expected)

    def test_leave_the_rest_of_the_chapter(self, tree: Tree) -> None:
        found = blocks(tree, "a\n\n::item nothing\n::item branch\n\nb\n")
        assert names(found) == ["-", "branch", "-"]

    def test_a_missing_chapter_leaves_the_items(self, tree: Tree) -> None:
        (tree.topic / "chapter.md").unlink()
        assert tree.complaints() == ["graphs/chapter.md: is missing; write it"]
        assert tree.load().item("branch") is not None


class TestWhatNobodyWouldFind:
    def complaints(self, tree: Tree) -> list[str]:
        return [line for line in tree.complaints() if "places it nowhere" in line]

    def test_an_exercise_that_the_chapter_places_nowhere_is_named_with_the_remedy(self, tree: Tree) -> None:
        tree.change("topic.toml", '["branch"]', '["branch", "loop"]')
        for name in ("item.toml", "prompt.md", "starter.py", "solution.py"):
            tree.write(f"loop/{name}", (tree.topic / "branch" / name).read_text())
        tree.change("loop/item.toml", '"branch"', '"loop"')
        assert tree.complaints() == [
            'graphs/loop/item.toml: "loop": the chapter places it nowhere, so that no learner finds it; '
            'put a line "::item loop" into the chapter where it belongs'
        ]
        tree.change("chapter.md", "More text.", "::item loop\n\nMore text.")
        assert tree.complaints() == []

    def test_a_question_is_named_if_others_of_its_set_are_placed_and_it_is_not(self, tree: Tree) -> None:
        tree.change("experiment.toml", 'questions = ["practice-2"]\n', "")
        (found,) = self.complaints(tree)
        assert found.startswith('graphs/practice.toml:34: "practice-2": the chapter places it nowhere')
        tree.change("chapter.md", "More text.", "::item practice-2\n\nMore text.")
        assert tree.complaints() == []

    def test_a_set_of_which_nothing_is_placed_is_named_once(self, tree: Tree) -> None:
        tree.change("chapter.md", "::set prompts\n", "")
        (found,) = self.complaints(tree)
        assert 'prompts.toml:1: "prompts"' in found
        assert 'put a line "::set prompts"' in found

    def test_what_the_experiment_shows_needs_no_place_of_its_own(self, tree: Tree) -> None:
        tree.change("chapter.md", "::item experiment\n", "")
        (found,) = self.complaints(tree)
        assert '"experiment"' in found

    def test_it_stays_in_the_topic(self, tree: Tree) -> None:
        tree.change("chapter.md", "::item interview\n", "")
        assert tree.load().item("interview") is not None
