"""What is written is there, what is wrong is named, and what is wrong takes nothing else with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from content_tree import QUESTION, Tree

from graders.exercise import Exercise
from quizapp.catalogue import Item, ItemSet, Kind, item_from_json
from quizapp.catalogue.content import (
    CardContent,
    ChoiceContent,
    ExperimentContent,
    InterviewContent,
    PromptContent,
)

ALL_ITEMS = [
    "practice-1",
    "practice-2",
    "card-1",
    "prompt-1",
    "experiment",
    "interview",
    "branch",
]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "exercises")


def item(tree: Tree, item_id: str) -> Item:
    found = tree.load().item(item_id)
    assert found is not None
    return found


def ids(tree: Tree) -> list[str]:
    return [item.id for item in tree.load().items()]


class TestAWholeTopic:
    def test_loads_without_a_complaint_and_in_order(self, tree: Tree) -> None:
        assert tree.complaints() == []
        (topic,) = tree.load().topics()
        assert [item.id for item in topic.items] == ALL_ITEMS
        assert [one.id for one in topic.sets] == ["practice", "cards", "prompts"]
        assert topic.concepts == {"autograd": "Autograd"}

    def test_a_question_knows_its_set_topic_and_place(self, tree: Tree) -> None:
        question = item(tree, "practice-2")
        assert (question.kind, question.set_id, question.topic_id) == (Kind.CHOICE, "practice", "graphs")
        assert (question.title, question.difficulty, question.concepts) == (
            "Question 2",
            "easy",
            ("autograd",),
        )
        assert question.file == tree.topic / "practice.toml"
        assert question.line == 34
        assert isinstance(question.content, ChoiceContent)
        assert [option.letter for option in question.content.options] == ["A", "B"]

    def test_a_card_is_titled_by_its_front_without_marks(self, tree: Tree) -> None:
        assert item(tree, "card-1").title == "What is grad_fn?"

    def test_points_are_one_for_a_choice_and_one_for_each_key_point(self, tree: Tree) -> None:
        points = {item.id: item.max_centipoints for item in tree.load().items()}
        assert points == {
            "practice-1": 100,
            "practice-2": 100,
            "card-1": 100,
            "prompt-1": 200,
            "experiment": 0,
            "interview": 300,
            "branch": 200,
        }

    def test_each_kind_has_its_own_type_of_content(self, tree: Tree) -> None:
        types = {item.kind: type(item.content) for item in tree.load().items()}
        assert types == {
            Kind.CHOICE: ChoiceContent,
            Kind.CARD: CardContent,
            Kind.PROMPT: PromptContent,
            Kind.EXPERIMENT: ExperimentContent,
            Kind.INTERVIEW: InterviewContent,
            Kind.EXERCISE: Exercise,
        }

    def test_an_unknown_name_finds_nothing(self, tree: Tree) -> None:
        catalogue = tree.load()
        assert catalogue.item("practice") is None
        assert catalogue.item_set("practice-1") is None
        assert catalogue.topic("practice") is None

    def test_content_cannot_be_changed_by_who_reads_it(self, tree: Tree) -> None:
        content = item(tree, "practice-1").content
        with pytest.raises(Exception, match="frozen"):
            content.key = "A"  # type: ignore[union-attr, misc]


class TestAContentVersion:
    @pytest.mark.parametrize("item_id", ALL_ITEMS)
    def test_json_there_and_back_is_the_same_item_with_the_same_version(
        self, tree: Tree, item_id: str
    ) -> None:
        before = item(tree, item_id)
        after = item_from_json(json.loads(json.dumps(before.to_json())))
        assert after == before
        assert after.version == before.version

    def test_it_is_64_hexadecimal_digits_and_the_same_on_every_load(self, tree: Tree, tmp_path: Path) -> None:
        versions = {one.id: one.version for one in tree.load().items()}
        assert all(len(version) == 64 and int(version, 16) for version in versions.values())
        other = Tree(tmp_path / "another" / "place")
        assert {one.id: one.version for one in other.load().items()} == versions

    @pytest.mark.parametrize(
        ("name", "old", "new", "item_id"),
        [
            ("practice.toml", 'why = "Yes."', 'why = "Yes!"', "practice-1"),
            ("practice.toml", 'quick_check = "B."', 'quick_check = "So."', "practice-1"),
            ("branch/solution.py", "x = 2", "x = 1 + 1", "branch"),
            ("branch/item.toml", "points = 2", "points = 3", "branch"),
        ],
    )
    def test_it_changes_with_the_content_and_with_nothing_else(
        self, tree: Tree, name: str, old: str, new: str, item_id: str
    ) -> None:
        before = {one.id: one.version for one in tree.load().items()}
        tree.change(name, old, new)
        after = {one.id: one.version for one in tree.load().items()}
        assert {one for one in before if before[one] != after[one]} == {item_id}

    def test_a_comment_in_the_file_changes_no_version(self, tree: Tree) -> None:
        before = {one.id: one.version for one in tree.load().items()}
        tree.change("practice.toml", "\n[[question]]", "\n# the first\n[[question]]")
        assert {one.id: one.version for one in tree.load().items()} == before

    def test_json_of_another_format_is_refused_by_name(self, tree: Tree) -> None:
        data = item(tree, "card-1").to_json() | {"format": 99}
        with pytest.raises(ValueError, match="format 99"):
            item_from_json(data)

    def test_json_with_a_wrong_type_inside_is_refused(self, tree: Tree) -> None:
        data = item(tree, "card-1").to_json()
        data["content"]["back"] = 5
        with pytest.raises(ValueError, match="back"):
            item_from_json(data)


class TestAFaultInOneQuestion:
    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            ('key = "B"', 'key = "E"', '11: question "practice-1", key: key is "E"; it must be one of A, B'),
            (
                'hint = "Think."',
                'hnt = "Think."',
                '12: question "practice-1", hnt: unknown key "hnt"; did you mean "hint"?',
            ),
            (
                'why = "No."',
                'wy = "No."',
                '21: question "practice-1", options.A.wy: unknown key "wy"; did you',
            ),
            ('why = "No."', "", '19: question "practice-1", options.A.why: "why" is missing; add why = …'),
            (
                "[question.options.B]",
                "[question.options.C]",
                '19: question "practice-1", options: the options are A, C; write A, B',
            ),
            ('text = "that"', 'text = "this"', "options.B.text: options A and B are the same; reword one"),
            (
                'difficulty = "easy"',
                'difficulty = "beginner"',
                '8: question "practice-1", difficulty: the value',
            ),
            (
                'title = "Question 1"',
                "",
                '6: question "practice-1", title: "title" is missing; add title = …',
            ),
            (
                'title = "Question 1"',
                "title = 1",
                '9: question "practice-1", title: the value is 1; it must be',
            ),
            (
                'concepts = ["autograd"]',
                'concepts = ["autogard"]',
                '17: question "practice-1", concepts: unknown concept "autogard"; did you mean "autograd"?',
            ),
            (
                'solution = ["Look.", "Answer."]',
                "",
                'question "practice-1": neither solution nor explanation is there; write at least one',
            ),
            ('option = "B"', 'option = "C"', 'proof 1, option: option is "C"; it must be one of A, B'),
            ('prints = "1"', "", "proof 1: the proof claims nothing; add prints, raises or holds"),
            ('prints = "1"', "line = 1", "proof 1: the proof claims nothing; add prints, raises or holds"),
            (
                'prints = "1"',
                'prints = "1"\nline = 1',
                "proof 1: says and line describe an error; add raises",
            ),
            ('prints = "1"', 'raises = "E"\nline = 2', "proof 1: code has no line 2; count its lines from 1"),
            ('prints = "1"', 'prints = "1"\nafter = "brunch"', 'there is no exercise "brunch" in this topic'),
        ],
    )
    def test_is_named_with_file_line_place_and_remedy(
        self, tree: Tree, old: str, new: str, expected: str
    ) -> None:
        tree.change("practice.toml", old, new)
        found = tree.complaints()
        assert any(line.startswith("graphs/practice.toml:") and expected in line for line in found), found

    def test_takes_out_that_question_alone(self, tree: Tree) -> None:
        tree.change("practice.toml", 'key = "B"', 'key = "E"')
        tree.change("chapter.md", "::item practice-1\n", "")
        assert ids(tree) == [one for one in ALL_ITEMS if one != "practice-1"]
        assert len(tree.complaints()) == 1

    def test_every_fault_of_a_question_is_named_at_once(self, tree: Tree) -> None:
        tree.change("practice.toml", 'hint = "Think."', 'hnt = "Think."')
        tree.change("practice.toml", 'key = "B"', "key = 2")
        assert len([line for line in tree.complaints() if "practice.toml" in line]) == 2

    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            (
                'key = "B"',
                'key = "A"',
                'practice-1", key: key is "A", and proof 1 shows that B is right; find',
            ),
            (
                'shows = "right"',
                'shows = "wrong"',
                'practice-1", key: key is "B", and proof 1 shows that B is wrong; find',
            ),
            ('shows = "right"\n', "", "the proof of option B does not say what it shows; write shows ="),
            (
                'option = "B"\nshows = "right"',
                'option = "A"\nshows = "wrong"',
                'key: no proof shows that "B" is right; add one with option = "B" and shows = "right"',
            ),
            ('option = "B"\n', "", "shows is about an option; name the option"),
        ],
    )
    def test_a_key_that_its_proofs_do_not_bear_out_is_refused(
        self, tree: Tree, old: str, new: str, expected: str
    ) -> None:
        tree.change("practice.toml", old, new)
        assert expected in tree.complaints()[-2]  # the last: the chapter places what is now missing

    def test_nine_options_are_one_too_many_and_eight_are_not(self, tree: Tree) -> None:
        head, tail = QUESTION.format(n=3).split("[question.options.A]")
        proof = tail[tail.index("[[question.proof]]") :]

        def question(letters: str) -> str:
            options = "".join(
                f'[question.options.{letter}]\ntext = "{letter}"\nwhy = "w"\n' for letter in letters
            )
            return 'id = "practice"\ntitle = "P"\nkind = "quiz"\n' + head + options + proof

        tree.change("experiment.toml", 'questions = ["practice-2"]\n', "")
        tree.change("chapter.md", "::item practice-1\n", "::item practice-3\n")
        tree.write("practice.toml", question("ABCDEFGH"))
        assert tree.complaints() == []
        tree.write("practice.toml", question("ABCDEFGHI"))
        assert "two to eight" in tree.complaints()[0]


class TestAFaultInAFile:
    @pytest.mark.parametrize(
        ("name", "old", "new", "expected"),
        [
            (
                "practice.toml",
                'kind = "quiz"',
                'kind = "quizz"',
                'practice.toml:3: kind: kind is "quizz"; did you',
            ),
            (
                "practice.toml",
                'kind = "quiz"\n',
                "",
                "practice.toml: kind: kind is missing; write one of quiz",
            ),
            ("practice.toml", "intro =", "into =", 'practice.toml:4: into: unknown key "into"; did you mean'),
            ("practice.toml", '"quiz"', "quiz", "practice.toml:3: is no TOML: Invalid value; mend the file"),
            ("cards.toml", "[[card]]", "[[cards]]", "cards.toml:5: cards: unknown key"),
            (
                "cards.toml",
                '"beginner"',
                '"easy"',
                'cards.toml:7: card "card-1", difficulty: the value is "easy"',
            ),
            ("cards.toml", "back =", "bck =", 'cards.toml:9: card "card-1", bck: unknown key "bck"; did you'),
            (
                "prompts.toml",
                '["One.", "Two."]',
                "[]",
                'prompts.toml:10: prompt "prompt-1", key_points: key_points',
            ),
            ("experiment.toml", 'task = "t"\n', "", 'experiment.toml: task: "task" is missing; add task = …'),
            (
                "experiment.toml",
                '"branch"',
                '"brnch"',
                'exercise: there is no exercise "brnch" in this topic; did',
            ),
            (
                "experiment.toml",
                '"practice-2"',
                '"card-1"',
                'there is no choice question "card-1" in this topic',
            ),
            (
                "interview.toml",
                'answer = "Then so."',
                "",
                'interview.toml:8: follow_up 1, answer: "answer" is missing',
            ),
            ("branch/item.toml", '"hard"', '"harder"', "branch/item.toml:3: difficulty: the value is"),
            ("branch/item.toml", "\n[[", 'concepts = ["x"]\n[[', 'item.toml: concepts: unknown concept "x"'),
        ],
    )
    def test_is_named(self, tree: Tree, name: str, old: str, new: str, expected: str) -> None:
        tree.change(name, old, new)
        found = tree.complaints()
        assert any(expected in line for line in found), found

    def test_takes_out_that_file_alone(self, tree: Tree) -> None:
        tree.change("cards.toml", '"cards"\n', "cards\n")
        assert ids(tree) == [one for one in ALL_ITEMS if one != "card-1"]

    def test_an_item_that_names_a_broken_one_stays(self, tree: Tree) -> None:
        tree.change("branch/item.toml", '"hard"', '"harder"')
        assert ids(tree) == [one for one in ALL_ITEMS if one != "branch"]

    def test_a_set_of_which_nothing_is_left_is_no_set(self, tree: Tree) -> None:
        tree.change("cards.toml", "back =", "bck =")
        assert tree.load().item_set("cards") is None


class TestTopicToml:
    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            ("title =", "titel =", 'topic.toml:2: titel: unknown key "titel"; did you mean "title"?'),
            ('"cards.toml"', '"card.toml"', "graphs/card.toml: is missing; write it"),
            (
                '"cards.toml"',
                '"../cards.toml"',
                'files 2: "../cards.toml" cannot be listed here; name a .toml',
            ),
            ('"cards.toml"', '"practice.toml"', 'files 2: "practice.toml" is listed twice; keep one'),
            ('["branch"]', '["brunch"]', "graphs/brunch: is no folder; name the folder"),
            ('["branch"]', "[]", "graphs/branch: is not part of the topic; list it under exercises"),
            ('"cards.toml", ', "", "graphs/cards.toml: is not part of the topic; list it under files"),
            (
                'title = "Graphs"',
                'title = "Graphs"\nchapter = "text.md"',
                "graphs/text.md: is missing; write it",
            ),
        ],
    )
    def test_a_fault_is_named(self, tree: Tree, old: str, new: str, expected: str) -> None:
        tree.change("topic.toml", old, new)
        found = tree.complaints()
        assert any(expected in line for line in found), found

    def test_a_file_that_nobody_asked_for_is_named(self, tree: Tree) -> None:
        tree.write("notes.txt", "")
        assert tree.complaints() == [
            "graphs/notes.txt: is not part of the topic; list it under files in topic.toml, or take it out"
        ]

    def test_hidden_files_are_passed_over(self, tree: Tree) -> None:
        tree.write(".practice.toml.swp", "")
        assert tree.complaints() == []

    def test_a_broken_topic_leaves_the_others(self, tree: Tree) -> None:
        tree.add_topic("other", topic_id="other")
        tree.change("topic.toml", "title =", "titel =")
        assert [topic.id for topic in tree.load().topics()] == ["other"]

    def test_a_folder_without_topic_toml_is_named(self, tree: Tree) -> None:
        (tree.root / "empty").mkdir()
        assert tree.complaints() == ["empty/topic.toml: is missing; write it"]

    def test_a_missing_folder_of_content_is_an_empty_catalogue_with_a_problem(self, tmp_path: Path) -> None:
        catalogue = Tree(tmp_path / "x").load().__class__(tmp_path / "nowhere")
        assert catalogue.topics() == ()
        assert "QUIZAPP_EXERCISES" in str(catalogue.problems()[0])


class TestIds:
    def test_the_second_use_in_another_topic_is_refused_naming_both_places(self, tree: Tree) -> None:
        text = 'id = "more"\ntitle = "More"\nkind = "quiz"\n' + QUESTION.format(n=1) + QUESTION.format(n=9)
        tree.add_topic("later", topic_id="later", file="more.toml", text=text)
        tree.write("chapter.md", "::set more\n", "later")
        (complaint,) = tree.complaints()
        assert complaint.startswith('later/more.toml:6: id: the id "practice-1" is already used in ')
        assert "graphs/practice.toml:7; give this one its own id" in complaint
        catalogue = tree.load()
        assert catalogue.item("practice-1") == tree.load().topics()[0].items[0]
        more = catalogue.item_set("more")
        assert isinstance(more, ItemSet)
        assert [one.id for one in more.items] == ["practice-9"]

    def test_the_second_use_in_one_file_is_refused(self, tree: Tree) -> None:
        tree.change("practice.toml", 'id = "practice-2"', 'id = "practice-1"')
        assert any(
            'practice.toml:34: id: the id "practice-1" is already' in line for line in tree.complaints()
        )

    def test_a_set_and_an_item_may_not_share_one(self, tree: Tree) -> None:
        tree.change("cards.toml", 'id = "card-1"', 'id = "practice"')
        assert any('the id "practice" is already used in' in line for line in tree.complaints())

    def test_the_second_topic_of_one_id_is_refused_whole(self, tree: Tree) -> None:
        tree.add_topic("later", topic_id="graphs")
        (complaint,) = tree.complaints()
        assert complaint.startswith('later/topic.toml:1: id: the topic id "graphs" is already used in')
        assert len(tree.load().topics()) == 1
