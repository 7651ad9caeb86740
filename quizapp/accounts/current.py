"""Who is asking: `g.person`, from the session of an account or from the cookie of a browser without one."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import ParamSpec
from uuid import UUID, uuid4

from flask import Flask, Response, abort, current_app, g, request, session
from flask.typing import ResponseReturnValue
from flask_login import LoginManager, current_user, login_user, logout_user
from itsdangerous import BadSignature, URLSafeTimedSerializer

from quizapp import db
from quizapp.accounts import queries
from quizapp.accounts.models import Person

P = ParamSpec("P")

COOKIE = "learner"
_COOKIE_SECONDS = 400 * 24 * 3600  # browsers keep none for longer
_RENEW_AFTER_SECONDS = 30 * 24 * 3600

_logins = LoginManager()
_logins.login_view = "accounts.sign_in"
_logins.login_message = None  # the sign-in page says itself why one is there


def init_app(app: Flask) -> None:
    """Find out who asks before each request, and hand out the cookie that knows them again."""
    _logins.init_app(app)
    app.before_request(_find_person)
    app.after_request(_send_cookie)


def _account_of_session(session_id: str) -> Person | None:
    public_id, _, key = session_id.partition(".")
    person = queries.account(db.session(), _uuid(public_id))
    # A changed password and signing out change the key, and with it every session that was signed in before.
    if person is None or not hmac.compare_digest(person.sign_in_key, key):
        return None
    return person


_logins.user_loader(_account_of_session)


def _find_person() -> None:
    g.person = None
    if request.endpoint == "static":
        return
    g.person = current_user._get_current_object() if current_user.is_authenticated else anonymous_person()
    # Ends the transaction that only read, so that a view can begin one that writes.
    db.session().commit()


def anonymous_person() -> Person | None:
    """The learner without an account whose cookie this browser has, even while somebody is signed in."""
    try:
        public_id, made_at = _signer().loads(request.cookies.get(COOKIE, ""), return_timestamp=True)
    except BadSignature:
        return None
    person = queries.anonymous(db.session(), _uuid(public_id))
    if person is not None and (datetime.now(UTC) - made_at).total_seconds() > _RENEW_AFTER_SECONDS:
        g.learner_cookie = person
    return person


def ensure_person() -> Person:
    """The person who asks; on the first thing to be stored, a new anonymous learner, committed at once.

    It must be called before the view begins a transaction of its own.
    """
    if g.get("person") is not None:
        known: Person = g.person
        return known
    person = queries.add_anonymous(db.session(), _id_for_this_browser(), now=datetime.now(UTC))
    db.session().commit()
    g.person = g.learner_cookie = person
    return person


def _id_for_this_browser() -> UUID:
    """The same id for two first requests of one page, so that a double click does not make two learners."""
    token = session.get("csrf_token")
    if not token:
        return uuid4()
    secret = str(current_app.secret_key).encode()
    digest = hmac.digest(secret, b"anonymous learner:" + str(token).encode(), hashlib.sha256)
    return UUID(bytes=digest[:16], version=4)


def forget_anonymous() -> None:
    """Take the anonymous learner's cookie away with this answer: the row is an account now, or gone."""
    g.learner_cookie = None


def sign_in(person: Person) -> None:
    """Make this session the person's. The token of forms stays: what is open in another tab can be sent."""
    token = session.get("csrf_token")
    session.clear()
    if token:
        session["csrf_token"] = token
    login_user(person)
    g.person = person


def sign_out() -> None:
    """End this session, with the token of all forms that were opened in it."""
    logout_user()
    session.clear()
    g.pop("csrf_token", None)
    g.person = None


def accounts_only(view: Callable[P, ResponseReturnValue]) -> Callable[P, ResponseReturnValue]:
    """Let in who is signed in; ask others to sign in first."""

    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> ResponseReturnValue:
        if g.person is None or not g.person.has_account:
            answer: ResponseReturnValue = _logins.unauthorized()
            return answer
        return view(*args, **kwargs)

    return guarded


def teachers_only(view: Callable[P, ResponseReturnValue]) -> Callable[P, ResponseReturnValue]:
    """Let teachers in; to a learner who is signed in the page does not exist."""

    @wraps(view)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> ResponseReturnValue:
        if not g.person.is_teacher:
            abort(404)
        return view(*args, **kwargs)

    return accounts_only(guarded)


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(str(current_app.secret_key), salt="anonymous learner")


def _send_cookie(response: Response) -> Response:
    if "learner_cookie" not in g:
        return response
    person: Person | None = g.learner_cookie
    if person is None:
        response.delete_cookie(COOKIE, httponly=True, samesite="Lax", secure=request.is_secure)
    else:
        response.set_cookie(
            COOKIE,
            _signer().dumps(person.public_id.hex),
            max_age=_COOKIE_SECONDS,
            httponly=True,
            samesite="Lax",
            secure=request.is_secure,
        )
    return response


def _uuid(text: object) -> UUID:
    """The id in `text`, or one that nobody has."""
    try:
        return UUID(hex=str(text))
    except ValueError:
        return UUID(int=0)
