"""What an author sees beside the learner's pages: faults of the files, and any wrong answer at a click.

Only where `quizapp serve --author` runs, on this machine alone: solutions are on these pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from flask import Blueprint, Flask, abort, current_app, jsonify, redirect, request, session
from flask.typing import ResponseReturnValue

from graders.exercise import Exercise
from quizapp.catalogue import Catalogue, Item
from quizapp.config import Settings

bp = Blueprint("authoring", __name__, url_prefix="/author")

_ROLE: Final = "author-role"
_AS_LEARNER: Final = "learner"
_SOLUTION: Final = "solution"


@dataclass(frozen=True)
class Loadable:
    """Code that the editor can be given. name: as the address names it. note: how its grading is to end."""

    name: str
    source: str
    note: str


def init_app(app: Flask) -> None:
    """Tell every template whether, and as what, an author looks."""
    app.register_blueprint(bp)
    app.context_processor(lambda: {"author": _look() if is_on() else None})


def is_on() -> bool:
    """Whether the person in front of this server is the author."""
    settings: Settings = current_app.extensions["settings"]
    return settings.author


def loadable(item: Item) -> tuple[Loadable, ...]:
    """The solution and the known wrong answers of an exercise, for its author; nothing for anybody else."""
    content = item.content
    if not is_on() or not isinstance(content, Exercise):
        return ()
    wrong = (Loadable(f"wrong/{one.filename}", one.source, one.status) for one in content.wrong)
    return (Loadable(_SOLUTION, content.solution, "passed"), *wrong)


@bp.before_request
def only_for_authors() -> None:
    """These pages do not exist anywhere else."""
    if not is_on():
        abort(404)


@bp.get("/stamp")
def stamp() -> ResponseReturnValue:
    """Which state of the files this server shows; a page reads itself again when it has changed."""
    response = jsonify(stamp=_catalogue().stamp)
    response.cache_control.no_store = True
    return response


@bp.post("/role")
def role() -> ResponseReturnValue:
    """Look as a learner, or as the author again, and go back to the page."""
    session[_ROLE] = _AS_LEARNER if request.form.get("as") == _AS_LEARNER else "author"
    path = request.form.get("back", "/")
    return redirect(path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/")


def _look() -> dict[str, Any]:
    return {
        "as_learner": session.get(_ROLE) == _AS_LEARNER,
        "stamp": _catalogue().stamp,
        "problems": [str(problem) for problem in _catalogue().problems()],
        "loadable": loadable,
    }


def _catalogue() -> Catalogue:
    found: Catalogue = current_app.extensions["catalogue"]
    return found
