"""A small course on disk, to be changed by a test and loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quizapp.catalogue import Catalogue

TOPIC = """\
id = "graphs"
title = "Graphs"
files = ["practice.toml", "cards.toml", "prompts.toml", "experiment.toml", "interview.toml"]
exercises = ["branch"]

[concepts]
autograd = "Autograd"
"""
CHAPTER = """\
Before the first heading.

## One *part*

::item practice-1
::set cards

More text.

::set prompts
::item experiment
::item interview
"""
QUESTION = """
[[question]]
id = "practice-{n}"
difficulty = "easy"
title = "Question {n}"
prompt = "What is it?"
key = "B"
hint = "Think."
mistakes = ["Guessing."]
solution = ["Look.", "Answer."]
quick_check = "B."
errata = ["The source says A."]
concepts = ["autograd"]

[question.options.A]
text = "this"
why = "No."

[question.options.B]
text = "that"
why = "Yes."

[[question.proof]]
option = "B"
shows = "right"
code = "print(1)"
prints = "1"
"""
PRACTICE = (
    'id = "practice"\ntitle = "Practice"\nkind = "quiz"\nintro = "Two questions."\n'
    + QUESTION.format(n=1)
    + QUESTION.format(n=2)
)
CARDS = """\
id = "cards"
title = "Cards"
kind = "cards"

[[card]]
id = "card-1"
difficulty = "beginner"
front = "What is `grad_fn`?"
back = "The newest node."
"""
PROMPTS = """\
id = "prompts"
title = "Prompts"
kind = "prompts"

[[prompt]]
id = "prompt-1"
title = "Why"
prompt = "Say why."
cue = "Branches."
key_points = ["One.", "Two."]
model_answer = "Because."
"""
EXPERIMENT = """\
id = "experiment"
kind = "experiment"
title = "Try it"
problem = "p"
metrics = "m"
issue = "i"
task = "t"
exercise = "branch"
before = "b"
after = "a"
takeaway = "t"
questions = ["practice-2"]

[[proof]]
after = "branch"
code = "print(x)"
prints = "2"
"""
INTERVIEW = """\
id = "interview"
kind = "interview"
title = "Asked"
question = "How?"
answer = "So."
key_points = ["One.", "Two.", "Three."]

[[follow_up]]
question = "And then?"
answer = "Then so."
"""
FILES = {
    "topic.toml": TOPIC,
    "chapter.md": CHAPTER,
    "practice.toml": PRACTICE,
    "cards.toml": CARDS,
    "prompts.toml": PROMPTS,
    "experiment.toml": EXPERIMENT,
    "interview.toml": INTERVIEW,
    "branch/item.toml": (
        'id = "branch"\ntitle = "Branch"\ndifficulty = "hard"\nhints = ["Two."]\nexplanation = "So."\n'
        '\n[[expect]]\nexpect = "x == 2"\npoints = 2\n'
    ),
    "branch/prompt.md": "Do it.\n",
    "branch/starter.py": "x = 1\n",
    "branch/solution.py": "x = 2\n",
    "branch/wrong/three.py": '# expect: failed, "x == 2", "3"\nx = 3\n',
}


class Tree:
    """A folder of topics with one whole topic, `graphs`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.topic = root / "graphs"
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str, topic: str = "graphs") -> Path:
        path = self.root / topic / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def change(self, name: str, old: str, new: str) -> None:
        """Replace the first `old` in a file of the topic."""
        text = (self.topic / name).read_text()
        assert old in text, f"{name} does not hold {old!r}"
        self.write(name, text.replace(old, new, 1))

    def questions(self, count: int, *, key: Callable[[int], str], longest: Callable[[int], str]) -> None:
        """So many questions in practice.toml. By number: the key, and which option is the longest."""
        text = PRACTICE.partition("\n[[question]]")[0]
        for number in range(count):
            written = QUESTION.format(n=number + 1).partition("\n[[question.proof]]")[0]
            written = written.replace('key = "B"', f'key = "{key(number)}"')
            short = {"A": "this", "B": "that"}[longest(number)]
            text += written.replace(f'text = "{short}"', f'text = "{short}, at some length"') + "\n"
        self.write("practice.toml", text)

    def add_topic(self, folder: str, *, topic_id: str, file: str = "", text: str = "") -> None:
        """A second topic with at most one file of questions."""
        files = f'files = ["{file}"]\n' if file else ""
        topic = f'id = "{topic_id}"\ntitle = "Other"\n{files}\n[concepts]\nautograd = "Autograd"\n'
        self.write("topic.toml", topic, folder)
        self.write("chapter.md", "Text.\n", folder)
        if file:
            self.write(file, text, folder)

    def load(self) -> Catalogue:
        return Catalogue(self.root)

    def complaints(self) -> list[str]:
        """What is wrong, with paths from the root of the tree."""
        return [str(problem).removeprefix(f"{self.root}/") for problem in self.load().problems()]
