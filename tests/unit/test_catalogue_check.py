"""`quizapp check`, without a jail: what is selected, what is printed, how it ends."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from bare_grader import BareGrader
from content_tree import Tree

from graders.verdict import Status, Verdict
from quizapp.catalogue.check import check
from quizapp.catalogue.selecting import select


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "exercises")


def run(path: Path | None, *, as_json: bool = False, root: Path | None = None) -> tuple[int, str]:
    out = io.StringIO()
    more = {} if root is None else {"root": root}
    code = check(path, as_json=as_json, grader_factory=BareGrader, out=out, **more)
    return code, out.getvalue()


def proved(path: Path) -> set[str]:
    _, text = run(path, as_json=True)
    return {proof["item"] for proof in json.loads(text)["proofs"]}


class TestWhatIsChecked:
    def test_without_a_path_it_is_everything(self, tree: Tree) -> None:
        code, text = run(None, root=tree.root)
        assert code == 0, text
        assert text.endswith("12 proofs, 0 of them failed; 0 problems in the files.\n")

    def test_the_folder_of_all_topics_holds_every_topic(self, tree: Tree) -> None:
        question = (tree.topic / "practice.toml").read_text().replace("practice", "more")
        tree.add_topic("other", topic_id="other", file="more.toml", text=question)
        assert proved(tree.root) == {"practice-1", "practice-2", "experiment", "branch", "more-1", "more-2"}

    def test_a_topic_is_all_that_is_in_it(self, tree: Tree) -> None:
        assert proved(tree.topic) == {"practice-1", "practice-2", "experiment", "branch"}

    def test_a_topics_own_file_stands_for_the_topic(self, tree: Tree) -> None:
        assert proved(tree.topic / "topic.toml") == {"practice-1", "practice-2", "experiment", "branch"}

    def test_a_file_of_questions_is_its_questions(self, tree: Tree) -> None:
        assert proved(tree.topic / "practice.toml") == {"practice-1", "practice-2"}

    def test_an_experiment_can_build_on_an_exercise_that_is_not_selected(self, tree: Tree) -> None:
        assert run(tree.topic / "experiment.toml")[0] == 0

    def test_a_chapter_is_its_programs(self, tree: Tree) -> None:
        tree.write("chapter.md", "```python run\nprint(1)\n```\n```output\n1\n```\n")
        assert proved(tree.topic / "chapter.md") == {"graphs"}

    def test_an_exercise_in_a_topic_is_that_exercise(self, tree: Tree) -> None:
        assert proved(tree.topic / "branch") == {"branch"}

    def test_an_exercise_anywhere_is_enough_by_itself(self, tree: Tree, tmp_path: Path) -> None:
        alone = (tree.topic / "branch").rename(tmp_path / "alone")
        assert proved(alone) == {"branch"}

    def test_an_exercise_that_is_not_listed_yet_is_proved_and_that_is_said(self, tree: Tree) -> None:
        tree.change("topic.toml", 'exercises = ["branch"]', "exercises = []")
        code, text = run(tree.topic / "branch")
        assert code == 0, text
        assert "graphs/branch is not listed in topic.toml yet: no learner sees it." in text
        assert "ok  branch" in text
        assert run(tree.topic)[0] == 1

    def test_a_topic_file_that_cannot_be_read_is_told_for_each_of_its_parts(self, tree: Tree) -> None:
        tree.change("topic.toml", 'id = "graphs"', "id = ")
        assert "topic.toml:1: is no TOML" in run(tree.topic / "branch")[1]

    @pytest.mark.parametrize(
        ("name", "items"),
        [
            ("branch", {"branch"}),
            ("practice", {"practice-1", "practice-2"}),
            ("graphs", {"practice-1", "practice-2", "experiment", "branch"}),
        ],
    )
    def test_an_id_will_do(self, tree: Tree, name: str, items: set[str]) -> None:
        _, text = run(Path(name), as_json=True, root=tree.root)
        assert {proof["item"] for proof in json.loads(text)["proofs"]} == items

    def test_an_unknown_id_is_told_what_is_near(self, tree: Tree) -> None:
        code, text = run(Path("brnch"), root=tree.root)
        assert code == 1
        assert "brnch: is neither a path nor the id of sound content; name a path" in text
        assert 'did you mean "branch"?' in text

    def test_problems_elsewhere_do_not_count_against_a_file(self, tree: Tree) -> None:
        tree.change("cards.toml", "back =", "bck =")
        assert run(tree.topic / "practice.toml")[0] == 0
        assert run(tree.topic)[0] == 1

    @pytest.mark.parametrize("name", ["nothing", "empty", "graphs/nothing.toml"])
    def test_a_path_without_content_is_a_problem(self, tree: Tree, name: str) -> None:
        (tree.root / "empty").mkdir()
        (problem,) = select(tree.root / name).problems
        assert "holds no content; name the folder of all topics" in str(problem)


REPLACE = '[[replace]]\nliteral = 2.0\nvariable = "x"\nlow = -3.0\nhigh = 3.0\ncompare = ["x"]\n\n'


class TestHowItEnds:
    def test_a_false_proof_ends_with_1_and_is_explained_below_its_line(self, tree: Tree) -> None:
        tree.change("practice.toml", 'prints = "1"', 'prints = "2"')
        code, text = run(tree.topic)
        assert code == 1
        row = next(number for number, line in enumerate(text.splitlines()) if line.startswith("NO"))
        assert "practice-1" in text.splitlines()[row]
        assert text.splitlines()[row + 1] == f'    {tree.topic}/practice.toml:7: it prints "1", not "2"'

    def test_a_problem_in_a_file_ends_with_1_and_the_rest_is_proved(self, tree: Tree) -> None:
        tree.change("practice.toml", 'key = "B"', 'key = "E"')
        code, text = run(tree.topic)
        assert code == 1
        assert 'practice.toml:11: question "practice-1", key: key is "E"; it must be one of A, B' in text
        assert "ok  practice-2" in text

    def test_a_changed_key_ends_with_1(self, tree: Tree) -> None:
        tree.change("practice.toml", 'key = "B"', 'key = "A"')
        code, text = run(tree.topic)
        assert code == 1
        assert 'practice.toml:11: question "practice-1", key: key is "A", and proof 1 shows that B' in text

    def test_keys_that_cannot_be_proved_are_named(self, tree: Tree) -> None:
        tree.change("practice.toml", 'option = "B"\nshows = "right"\n', "")
        code, text = run(tree.topic)
        assert code == 0, text
        assert (
            "Not proved, since no proof names an option and no program prints it: the keys of practice-1.\n"
            in text
        )

    def test_pairs_are_always_among_them_since_no_proof_is_about_one(self, tree: Tree) -> None:
        tree.change("practice.toml", 'key = "B"', 'kind = "match"')
        text = (tree.topic / "practice.toml").read_text()
        first = text.index("[question.options.A]")
        rest = text.index("[[question]]", first)
        pairs = 'pairs = [{ left = "a", right = "b" }, { left = "c", right = "d" }]\n\n'
        proof = '[[question.proof]]\ncode = "x = 1"\nholds = ["x == 1"]\n\n'
        (tree.topic / "practice.toml").write_text(text[:first] + pairs + proof + text[rest:])
        code, told = run(tree.topic)
        assert code == 0, told
        assert "the keys of practice-1." in told

    def test_an_exercise_that_asks_for_constants_only_is_named(self, tree: Tree) -> None:
        said = run(tree.topic)[1]
        assert "Checked against constants only: branch (" in said
        assert "branch/item.toml). Whoever knows the answer" in said
        tree.change("branch/item.toml", "[[expect]]", REPLACE + "[[expect]]")
        tree.change("branch/solution.py", "x = 2", "x = 2.0")
        assert "constants only" not in run(tree.topic)[1]

    def test_a_false_program_in_a_text_of_an_item_is_found(self, tree: Tree) -> None:
        program = "'''\n```python run\nprint(1)\n```\n```output\n2\n```\n'''"
        tree.change("prompts.toml", '"Because."', program)
        code, text = run(tree.topic)
        assert code == 1
        assert "prompt-1" in text
        assert 'it shows "1", not "2"' in text

    def test_so_is_one_in_an_exercise_that_no_topic_lists_yet(self, tree: Tree) -> None:
        program = "'''\n```python run\nprint(1)\n```\n```output\n2\n```\n'''"
        tree.change("topic.toml", 'exercises = ["branch"]', "exercises = []")
        tree.change("branch/item.toml", '"So."', program)
        code, text = run(tree.topic / "branch")
        assert code == 1
        assert 'branch/item.toml:1: it shows "1", not "2"' in text

    def test_a_wrong_answer_that_ends_otherwise_is_found(self, tree: Tree) -> None:
        tree.write("branch/wrong/three.py", '# expect: failed, "x == 2", "7"\nx = 3\n')
        assert run(tree.topic)[0] == 1

    def test_a_broken_check_is_one_line_and_its_traceback_only_where_it_is_asked_for(
        self, tree: Tree
    ) -> None:
        class Broken(BareGrader):
            def grade(self, *_args: object, **_options: object) -> Verdict:
                log = 'checks.py:3: check "it": NameError: name; mend\nTraceback (most recent\n'
                return Verdict(Status.BROKEN, "Not your fault.", author_log=log)

        def told(**options: bool) -> str:
            out = io.StringIO()
            path = tree.topic / "branch"
            assert check(path, **{"as_json": False, **options}, grader_factory=Broken, out=out) == 1
            return out.getvalue()

        short = told()
        assert f'    {tree.topic}/branch/checks.py:3: check "it": NameError: name; mend\n' in short
        assert short.count("NameError") == 1
        assert "Traceback (most" not in short
        assert "Not your fault" not in short
        assert "quizapp check -v" in short
        assert "Traceback (most" in told(verbose=True)
        assert "Traceback (most" in told(as_json=True)

    def test_json_is_one_object_with_everything_in_it(self, tree: Tree) -> None:
        tree.change("practice.toml", 'key = "B"', 'key = "E"')
        code, text = run(tree.topic, as_json=True)
        assert code == 1
        report = json.loads(text)
        assert report["ok"] is False
        assert report["problems"][0]["line"] == 11
        assert report["problems"][0]["remedy"] == "it must be one of A, B"
        proof = next(proof for proof in report["proofs"] if proof["item"] == "practice-2")
        assert set(proof) == {
            "item",
            "proof",
            "ok",
            "evidence",
            "remedy",
            "milliseconds",
            "log",
            "where",
            "counts",
        }
        assert (proof["proof"], proof["ok"], proof["evidence"]) == ("option B (1)", True, 'prints "1"')

    def test_no_grader_is_started_where_nothing_can_be_run(self, tree: Tree) -> None:
        grader = BareGrader()
        check(tree.root / "nothing", as_json=False, grader_factory=lambda: grader, out=io.StringIO())
        assert grader.started == 0
