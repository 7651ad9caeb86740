"""Signing in and out, accounts, one-time links, bringing work along, and the teachers' list of people.

Endpoints: accounts.sign_in, .send_sign_in (POST), .sign_out (POST), .new_account, .send_new_account (POST),
.account, .change_password (POST), .work, .bring_work (POST), .remove_text (POST), .people, .make_link (POST),
.link, .use_link (POST).
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from flask import Blueprint, abort, current_app, g, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from quizapp.accounts import current, links, passwords, queries, rules
from quizapp.accounts.current import accounts_only, teachers_only
from quizapp.accounts.forms import AccountForm, read_account, read_new_password
from quizapp.accounts.models import LinkPurpose, OneTimeLink, Person, Role, SignInAttempt
from quizapp.db import begin_write, session

bp = Blueprint("accounts", __name__)

_ADDRESS_TAKEN = "There is already an account with this address. Sign in instead, or use another address."


@bp.get("/sign-in")
def sign_in() -> ResponseReturnValue:
    """The form to sign in with."""
    if g.person is not None and g.person.has_account:
        return redirect(_next(), 303)
    return _sign_in_page()


@bp.post("/sign-in")
def send_sign_in() -> ResponseReturnValue:
    """Sign in, or say why not; unknown addresses and wrong passwords look and last the same."""
    email, password = request.form.get("email", ""), request.form.get("password", "")
    attempt = _begin_attempt(email)
    if isinstance(attempt, datetime):
        return _too_many(_sign_in_page(email=email, problem=_come_back(attempt)), attempt)
    person = _person_by_password(rules.read_email(email) or "", password)
    if person is None:
        return _sign_in_page(email=email, problem="The address and the password do not belong together."), 422
    begin_write(session())
    attempt.succeeded = True
    if passwords.is_outdated(person.password_hash or ""):
        person.password_hash = passwords.hash_password(password)
    session().commit()
    return _welcome(person)


@bp.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End all sessions of the account: a session is a cookie, and a copy of it would let in for a month.

    What a browser did without an account stays with that browser.
    """
    if g.person is not None and g.person.has_account:
        begin_write(session())
        queries.end_sessions(g.person)
        session().commit()
    current.sign_out()
    return redirect("/", 303)


@bp.get("/account/new")
def new_account() -> ResponseReturnValue:
    """The form to make an account with."""
    if g.person is not None and g.person.has_account:
        return redirect(url_for(".account"), 303)
    return _new_account_page(AccountForm())


@bp.post("/account/new")
def send_new_account() -> ResponseReturnValue:
    """Make an account; the work of this browser so far becomes the account's, since it is the same person."""
    if g.person is not None and g.person.has_account:
        return redirect(url_for(".account"), 303)
    form = read_account(request.form)
    if form.problems:
        return _new_account_page(form), 422
    attempt = _begin_attempt(form.email)  # asking which addresses have accounts is as limited as guessing
    if isinstance(attempt, datetime):
        form.problems["email"] = _come_back(attempt)
        return _too_many(_new_account_page(form), attempt)
    owner = _person_by_password(form.email, form.password)
    if owner is not None:  # the same form sent twice; whoever knows the password may come in by this door too
        return _welcome(owner)
    hashed = passwords.hash_password(form.password)
    begin_write(session())
    person = _make_account(form, hashed, person=g.person, role=Role.LEARNER)
    if person is None:
        session().rollback()
        return _new_account_page(form), 422
    attempt.succeeded = True
    session().commit()
    current.forget_anonymous()
    current.sign_in(person)
    return redirect(_next(), 303)


@bp.get("/account")
@accounts_only
def account() -> ResponseReturnValue:
    """One's own account: the password, work to bring along, texts that were set aside."""
    return _account_page({})


@bp.post("/account/password")
@accounts_only
def change_password() -> ResponseReturnValue:
    """Change the password, knowing the old one; all other sessions end."""
    person: Person = g.person
    attempt = _begin_attempt(person.email or "")
    if isinstance(attempt, datetime):
        return _too_many(_account_page({"current": _come_back(attempt)}), attempt)
    if not passwords.matches(person.password_hash, request.form.get("current", "")):
        return _account_page({"current": "This is not your current password."}), 422
    db = session()
    begin_write(db)
    attempt.succeeded = True
    db.commit()
    password, problems = read_new_password(request.form, email=person.email or "", name=person.name)
    if problems:
        return _account_page(problems), 422
    hashed = passwords.hash_password(password)
    begin_write(db)
    queries.set_password(person, hashed)
    queries.void_links(db, LinkPurpose.SET_PASSWORD, person, now=_now())
    db.commit()
    current.sign_in(person)
    return redirect(url_for(".account", saved="password"), 303)


@bp.get("/account/work")
@accounts_only
def work() -> ResponseReturnValue:
    """Offer to bring along what this browser stored before signing in."""
    anonymous = current.anonymous_person()
    found = queries.work_of(session(), anonymous) if anonymous else None
    return render_template("accounts/work.html", work=found, problem="", next=_next())


@bp.post("/account/work")
@accounts_only
def bring_work() -> ResponseReturnValue:
    """Bring it along."""
    db = session()
    anonymous = current.anonymous_person()
    if anonymous is None:
        return redirect(_next(), 303)
    found = queries.work_of(db, anonymous)
    db.commit()
    joined = queries.join_work(db, anonymous, g.person)
    if joined is queries.Joined.IN_FLIGHT:
        problem = "One of your answers is being checked just now. Wait a few seconds, then try again."
        return render_template("accounts/work.html", work=found, problem=problem, next=_next()), 409
    db.commit()
    current.forget_anonymous()
    return redirect(url_for(".account", saved="work"), 303)


@bp.post("/account/texts/<uuid:public_id>/remove")
@accounts_only
def remove_text(public_id: UUID) -> ResponseReturnValue:
    """Remove one of the texts that were set aside."""
    begin_write(session())
    if not queries.remove_set_aside_text(session(), g.person, public_id):
        abort(404)
    session().commit()
    return redirect(url_for(".account"), 303)


@bp.get("/people")
@teachers_only
def people() -> ResponseReturnValue:
    """Who has an account here."""
    search = request.args.get("q", "").strip()
    found = queries.people(session(), g.person, search)
    return render_template(
        "accounts/people.html", people=found, search=search, cut=len(found) == queries.PEOPLE_ON_A_PAGE
    )


@bp.post("/people/<uuid:public_id>/link")
@teachers_only
def make_link(public_id: UUID) -> ResponseReturnValue:
    """Make a one-time link with which a learner sets a new password, and show it this once."""
    db = session()
    begin_write(db)
    person = queries.person_for(db, g.person, public_id) or abort(404)
    if not rules.may_make_link(
        maker_teaches=g.person.is_teacher,
        person_teaches=person.is_teacher,
        person_has_account=person.has_account,
    ):
        abort(403)
    token = links.make_password_link(db, person, made_by=g.person, now=_now())
    db.commit()
    address = url_for(".link", token=token, _external=True)
    return render_template(
        "accounts/people_link.html", person=person, address=address, hours=rules.PASSWORD_LINK_HOURS
    )


@bp.get("/links/<token>")
def link(token: str) -> ResponseReturnValue:
    """What the link is for. It is used only when the form is sent: mail programs open links by themselves."""
    one_time = links.open_link(session(), token, now=_now())
    if one_time is None:
        return render_template("accounts/link_closed.html"), 410
    return _link_page(one_time, token, AccountForm())


@bp.post("/links/<token>")
def use_link(token: str) -> ResponseReturnValue:
    """Use the link up: set the password it was made for, or make the first teacher's account; and sign in."""
    db = session()
    begin_write(db)  # of two that send the form at once, the second finds the link used
    now = _now()
    one_time = links.open_link(db, token, now=now)
    if one_time is None:
        return render_template("accounts/link_closed.html"), 410
    person = queries.person_of_link(db, one_time)
    if person is None:
        form = read_account(request.form)
        if not form.problems:
            hashed = passwords.hash_password(form.password)
            person = _make_account(form, hashed, person=None, role=Role.TEACHER)
    else:
        form = AccountForm()
        form.password, form.problems = read_new_password(
            request.form, email=person.email or "", name=person.name
        )
        if not form.problems:
            queries.set_password(person, passwords.hash_password(form.password))
    if form.problems or person is None:
        db.rollback()
        return _link_page(one_time, token, form), 422
    one_time.used_at = now
    queries.forgive_failures(db, person.email or "")
    db.commit()
    return _welcome(person)


def _now() -> datetime:
    return datetime.now(UTC)


def _next() -> str:
    """Where to go on: a path of our own, or the first page."""
    return rules.own_path(request.values.get("next"))


def _sign_in_page(*, email: str = "", problem: str = "") -> str:
    return render_template("accounts/sign_in.html", email=email, problem=problem, next=_next())


def _new_account_page(form: AccountForm) -> str:
    found = queries.work_of(session(), g.person) if g.person is not None else None
    return render_template("accounts/new_account.html", form=form, work=found, next=_next())


def _account_page(problems: dict[str, str]) -> str:
    anonymous = current.anonymous_person()
    return render_template(
        "accounts/account.html",
        problems=problems,
        saved=request.args.get("saved", ""),
        work=queries.work_of(session(), anonymous) if anonymous else None,
        texts=queries.set_aside_texts(session(), g.person),
        catalogue=current_app.extensions["catalogue"],
    )


def _link_page(one_time: OneTimeLink, token: str, form: AccountForm) -> str:
    person = queries.person_of_link(session(), one_time)
    return render_template("accounts/link.html", person=person, token=token, form=form)


def _person_by_password(email: str, password: str) -> Person | None:
    """Whose account this is, if the password is right, or None; as slow for an unknown address."""
    person = queries.by_email(session(), email)
    session().commit()  # hashing takes a while, in which no transaction stays open
    return person if passwords.matches(person.password_hash if person else None, password) else None


def _make_account(form: AccountForm, hashed: str, *, person: Person | None, role: Role) -> Person | None:
    """Make the account in a transaction that writes; if that cannot be, None, and the form says why."""
    made = queries.make_account(
        session(), person, email=form.email, name=form.name, role=role, password_hash=hashed, now=_now()
    )
    if made is None:
        form.problems["email"] = _ADDRESS_TAKEN
    return made


def _begin_attempt(email: str) -> SignInAttempt | datetime:
    attempt = queries.begin_attempt(session(), email, request.remote_addr, now=_now())
    session().commit()
    return attempt


def _come_back(until: datetime) -> str:
    minutes = rules.minutes_until(until, _now())
    return (
        f"Too many attempts. Try again in {minutes} {'minute' if minutes == 1 else 'minutes'}; until then"
        " even the right password does not get in. A teacher can let you in sooner by a one-time link."
    )


def _too_many(page: str, until: datetime) -> ResponseReturnValue:
    response = make_response(page, 429)
    response.headers["Retry-After"] = str(60 * rules.minutes_until(until, _now()))
    return response


def _welcome(person: Person) -> ResponseReturnValue:
    """Sign in and go on; if this browser has work from before, by the page that offers to bring it along."""
    anonymous = current.anonymous_person()
    offered = anonymous is not None and bool(queries.work_of(session(), anonymous))
    current.sign_in(person)
    return redirect(url_for(".work", next=_next()) if offered else _next(), 303)
