"""Changed files are picked up without a restart, at a price that every request can pay."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest
from content_tree import Tree

from quizapp.catalogue import Catalogue
from quizapp.catalogue.told import ToldProblems


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "exercises")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def catalogue(tree: Tree, clock: Clock) -> Catalogue:
    return Catalogue(tree.root, clock=clock)


def hint(catalogue: Catalogue) -> str:
    item = catalogue.item("practice-1")
    assert item is not None
    found: str = item.content.hint  # type: ignore[union-attr]
    return found


class TestRefreshing:
    def test_a_changed_file_is_seen_after_a_second_and_not_before(
        self, tree: Tree, clock: Clock, catalogue: Catalogue
    ) -> None:
        tree.change("practice.toml", "Think.", "Think again.")
        clock.now += 0.99
        catalogue.refresh()
        assert hint(catalogue) == "Think."
        clock.now += 0.01
        catalogue.refresh()
        assert hint(catalogue) == "Think again."

    def test_a_change_of_equal_length_is_seen(self, tree: Tree, clock: Clock, catalogue: Catalogue) -> None:
        tree.change("practice.toml", "Think.", "Count.")
        clock.now += 1
        catalogue.refresh()
        assert hint(catalogue) == "Count."

    def test_a_change_that_hides_its_time_is_seen(
        self, tree: Tree, clock: Clock, catalogue: Catalogue
    ) -> None:
        path = tree.topic / "practice.toml"
        before = path.stat()
        tree.change("practice.toml", "Think.", "Count.")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        clock.now += 1
        catalogue.refresh()
        assert hint(catalogue) == "Count."

    def test_new_and_removed_topics_are_seen(self, tree: Tree, clock: Clock, catalogue: Catalogue) -> None:
        tree.add_topic("another", topic_id="another")
        clock.now += 1
        catalogue.refresh()
        assert [topic.id for topic in catalogue.topics()] == ["another", "graphs"]
        shutil.rmtree(tree.topic)
        clock.now += 1
        catalogue.refresh()
        assert [topic.id for topic in catalogue.topics()] == ["another"]
        assert catalogue.item("practice-1") is None

    def test_a_file_in_a_folder_of_a_folder_is_seen(
        self, tree: Tree, clock: Clock, catalogue: Catalogue
    ) -> None:
        tree.write("branch/wrong/four.py", '# expect: failed, "x == 2", "4"\nx = 4\n')
        clock.now += 1
        catalogue.refresh()
        item = catalogue.item("branch")
        assert item is not None
        assert len(item.content.wrong) == 2  # type: ignore[union-attr]

    def test_a_fault_comes_and_goes_with_the_file(
        self, tree: Tree, clock: Clock, catalogue: Catalogue
    ) -> None:
        tree.change("cards.toml", "back =", "bck =")
        clock.now += 1
        catalogue.refresh()
        assert catalogue.item("card-1") is None
        assert any("bck" in str(problem) for problem in catalogue.problems())
        tree.change("cards.toml", "bck =", "back =")
        clock.now += 1
        catalogue.refresh()
        assert catalogue.item("card-1") is not None
        assert catalogue.problems() == ()

    def test_nothing_is_read_again_while_nothing_changes(self, clock: Clock, catalogue: Catalogue) -> None:
        item = catalogue.item("practice-1")
        clock.now += 1
        catalogue.refresh()
        assert catalogue.item("practice-1") is item

    def test_a_change_in_one_topic_leaves_the_items_of_another(
        self, tree: Tree, clock: Clock, catalogue: Catalogue
    ) -> None:
        item = catalogue.item("practice-1")
        tree.add_topic("another", topic_id="another")
        clock.now += 1
        catalogue.refresh()
        assert catalogue.item("practice-1") is item

    def test_content_stays_while_its_folder_cannot_be_read(
        self, tree: Tree, clock: Clock, catalogue: Catalogue
    ) -> None:
        away = tree.root.rename(tree.root.with_name("away"))
        clock.now += 1
        catalogue.refresh()
        assert catalogue.item("practice-1") is not None
        assert len(catalogue.problems()) == 1
        away.rename(tree.root)
        clock.now += 1
        catalogue.refresh()
        assert catalogue.problems() == ()

    def test_many_threads_see_the_old_or_the_new_and_nothing_between(
        self, tree: Tree, clock: Clock, catalogue: Catalogue
    ) -> None:
        seen: set[tuple[str, ...]] = set()
        failures: list[Exception] = []
        done = threading.Event()

        def read() -> None:
            try:
                while not done.is_set():
                    catalogue.refresh()
                    seen.add(tuple(item.id for item in catalogue.items()))
                    done.wait(0.001)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        old = tuple(item.id for item in Catalogue(tree.root).items())
        renamed = tree.topic / "practice.new"
        renamed.write_text((tree.topic / "practice.toml").read_text().replace("practice-1", "practice-9"))
        renamed.replace(tree.topic / "practice.toml")
        new = tuple(item.id for item in Catalogue(tree.root).items())
        clock.now += 1
        for _ in range(1000):
            if catalogue.item("practice-9") is not None:
                break
            threading.Event().wait(0.01)
        done.set()
        for thread in threads:
            thread.join()
        assert failures == []
        assert catalogue.item("practice-9") is not None
        assert seen <= {old, new}


class TestTheLog:
    def test_has_each_problem_once_and_says_when_it_is_gone(
        self, tree: Tree, clock: Clock, catalogue: Catalogue, caplog: pytest.LogCaptureFixture
    ) -> None:
        told = ToldProblems(catalogue)
        assert caplog.messages == []

        def look() -> list[str]:
            caplog.clear()
            clock.now += 1
            catalogue.refresh()
            told.tell()
            return [message.replace(f"{tree.root}/", "") for message in caplog.messages]

        tree.change("branch/item.toml", "difficulty", "dificulty")
        appeared = look()
        assert any("graphs/branch/item.toml" in line and line.startswith("content: ") for line in appeared)
        assert look() == []
        tree.change("branch/item.toml", "dificulty", "difficulty")
        assert look() == [line.replace("content: ", "content: mended: ") for line in appeared]
