"""The database: one engine, one session per request or job, SQLite set up to lose nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, cast

from flask import Flask, current_app, g
from sqlalchemy import DateTime, Engine, MetaData, Table, TypeDecorator, create_engine, event
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

intpk = Annotated[int, mapped_column(primary_key=True)]

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """All tables. The naming convention lets a migration name what it drops."""

    metadata = MetaData(naming_convention=NAMING)


def table(model: type[Base]) -> Table:
    """The table of a model, for statements that are run for each answer and need no objects of it.

    A statement on the table goes to the database without the rules for objects, which cost more than it.
    """
    return cast(Table, model.__table__)


class UtcDateTime(TypeDecorator[datetime]):
    """An instant: aware datetimes in, aware UTC datetimes out, on databases that keep no zone too."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """To UTC without a zone. Raises: ValueError for a datetime without one."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored instant needs a time zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Back to an aware UTC datetime."""
        return None if value is None else value.replace(tzinfo=UTC)


def make_engine(url: str) -> Engine:
    """An engine whose SQLite connections are durable (WAL, synchronous FULL), strict and patient."""
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves, below
    for pragma in (
        "busy_timeout = 10000",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Any) -> None:
    # A deferred transaction that reads and then writes can meet SQLITE_BUSY in the middle, where waiting
    # does not help. Work that will write says so first: session.connection(execution_options=WRITES).
    immediate = connection.get_execution_options().get("quizapp_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


WRITES = {"quizapp_writes": True}


def begin_write(session: Session) -> None:
    """Open the session's transaction as one that writes. Call it before anything is read."""
    session.connection(execution_options=WRITES)


def init_app(app: Flask, url: str) -> None:
    """Give the app an engine, and each request a session that ends with it, undoing what is uncommitted."""
    app.extensions["quizapp_engine"] = make_engine(url)
    app.teardown_appcontext(_close)


def session() -> Session:
    """The session of this request."""
    if "db" not in g:
        g.db = Session(current_app.extensions["quizapp_engine"], expire_on_commit=False)
    found: Session = g.db
    return found


def _close(_error: BaseException | None) -> None:
    opened = g.pop("db", None)
    if opened is not None:
        opened.close()
