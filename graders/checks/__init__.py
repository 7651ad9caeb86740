"""What an exercise's checks.py imports: `from graders.checks import check, close`. See docs/checks.md."""

from graders.checks.answer import Answer, Model
from graders.checks.compare import close
from graders.checks.draw import Draw
from graders.checks.faults import Disagreement
from graders.checks.graphs import Graph
from graders.checks.known_mistakes import mistake
from graders.checks.pictures import Picture
from graders.checks.raising import raises
from graders.checks.registry import check
from graders.checks.source import Source

__all__ = [
    "Answer",
    "Disagreement",
    "Draw",
    "Graph",
    "Model",
    "Picture",
    "Source",
    "check",
    "close",
    "mistake",
    "raises",
]
