"""`quizapp user …`: people and their one-time links, from the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import click
from sqlalchemy.orm import Session

from quizapp.accounts import links, passwords, queries, rules
from quizapp.accounts.models import Role
from quizapp.addresses import local_address
from quizapp.config import Settings
from quizapp.db import begin_write, make_engine
from quizapp.migrate import upgrade


class UserError(Exception):
    """What was asked for cannot be done; the text says why and what to do."""


def add(
    settings: Settings, address: str | None, *, email: str, name: str, role: str, password_stdin: bool
) -> None:
    """Make an account; with a password from standard input, or print a link with which to choose one.

    address: where people reach the site; None assumes this machine. So too below.
    """
    read_email, read_name = rules.read_email(email), rules.read_name(name)
    if read_email is None:
        raise UserError(f"{email!r} is not an email address. Write it like ada@example.org.")
    if read_name is None:
        raise UserError(f"{name!r} is no name of 1 to {rules.NAME_LENGTH} letters.")
    password_hash = _password_hash(read_email, read_name) if password_stdin else None
    is_new = not settings.database_path.exists()
    with _writing(settings) as db:
        now = datetime.now(UTC)
        person = queries.make_account(
            db, None, email=read_email, name=read_name, role=Role(role), password_hash=password_hash, now=now
        )
        if person is None:
            raise UserError(
                f"{read_email} has an account already. A new password: quizapp user reset {read_email}"
            )
        token = None if password_hash else links.make_password_link(db, person, made_by=None, now=now)
    click.echo(f"{read_name} <{read_email}> is a {role} now.")
    if is_new:
        click.echo(f"The database in {settings.data} is new; `quizapp serve` must use that folder too.")
    if token is not None:
        _print_link(settings, address, token, rules.PASSWORD_LINK_HOURS)


def reset(settings: Settings, address: str | None, *, email: str) -> None:
    """Print a link with which a person chooses a new password. Until it is used the old password works."""
    with _writing(settings) as db:
        person = queries.by_email(db, rules.read_email(email) or "")
        if person is None:
            raise UserError(
                f"Nobody has an account with the address {email} (looked in {settings.data}). "
                "quizapp user add makes one; --data names another folder."
            )
        token = links.make_password_link(db, person, made_by=None, now=datetime.now(UTC))
    _print_link(settings, address, token, rules.PASSWORD_LINK_HOURS)


def first_link(settings: Settings, address: str | None) -> None:
    """Print a new link for the first teacher."""
    with _writing(settings) as db:
        if queries.a_teacher_exists(db):
            raise UserError("There is a teacher already. For another one: quizapp user add --role teacher")
        token = links.make_first_teacher_link(db, now=datetime.now(UTC))
    _print_link(settings, address, token, rules.FIRST_LINK_HOURS)


def _password_hash(email: str, name: str) -> str:
    password = sys.stdin.readline().rstrip("\r\n")
    problem = rules.password_problem(password, email=email, name=name)
    if problem is not None:
        raise UserError(f"The password on standard input will not do. {problem}")
    return passwords.hash_password(password)


def _print_link(settings: Settings, address: str | None, token: str, hours: int) -> None:
    click.echo(f"This link works once, within {hours} hours; one made before works no more:")
    click.echo(f"  {(address or local_address(settings)).rstrip('/')}/links/{token}")
    if address is None:
        click.echo(
            "Its start is an assumption: the server runs on this machine, with the QUIZAPP_HOST and PORT that"
            " are set here. --address says where people reach it."
        )


@contextmanager
def _writing(settings: Settings) -> Iterator[Session]:
    """A transaction that writes, committed at its end."""
    upgrade(settings)
    engine = make_engine(f"sqlite:///{settings.database_path}")
    try:
        with Session(engine, expire_on_commit=False) as db:
            begin_write(db)
            yield db
            db.commit()
    finally:
        engine.dispose()
