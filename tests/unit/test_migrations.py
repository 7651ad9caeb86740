"""Models and migrations agree, and migrating is quick and safe to repeat."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text

from quizapp.config import Settings
from quizapp.db import make_engine
from quizapp.migrate import MigrationError, all_tables, upgrade


def test_the_migrations_make_exactly_the_tables_of_the_models(settings: Settings) -> None:
    upgrade(settings)
    engine = make_engine(f"sqlite:///{settings.database_path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, all_tables()) == []


def test_checks_and_their_names_are_in_the_database_too(settings: Settings) -> None:
    # compare_metadata does not look at check constraints, so they are compared here.
    upgrade(settings)
    engine = make_engine(f"sqlite:///{settings.database_path}")
    with engine.connect() as connection:
        for table in all_tables().sorted_tables:
            wanted = {c.name for c in table.constraints if type(c).__name__ == "CheckConstraint"}
            found = {c["name"] for c in inspect(connection).get_check_constraints(table.name)}
            assert found == wanted, table.name


def test_every_foreign_key_starts_an_index() -> None:
    for table in all_tables().sorted_tables:
        starts = {next(iter(index.columns)).name for index in table.indexes}
        starts |= {
            next(iter(c.columns)).name
            for c in table.constraints
            if type(c).__name__ in {"UniqueConstraint", "PrimaryKeyConstraint"} and len(c.columns)
        }
        for key in table.foreign_keys:
            assert key.parent.name in starts or key.parent.name == "made_by_id", key


def test_migrating_again_finds_nothing_to_do(settings: Settings) -> None:
    assert upgrade(settings) is True
    assert upgrade(settings) is False


def test_two_that_migrate_at_once_do_it_once(settings: Settings) -> None:
    outcomes: list[bool] = []
    threads = [threading.Thread(target=lambda: outcomes.append(upgrade(settings))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 4
    assert upgrade(settings) is False


def test_a_database_of_a_newer_version_is_left_alone(settings: Settings) -> None:
    upgrade(settings)
    engine = make_engine(f"sqlite:///{settings.database_path}")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(MigrationError, match="newer version"):
        upgrade(settings)


def test_the_database_can_be_read_by_its_owner_alone(settings: Settings) -> None:
    upgrade(replace(settings, data=settings.data / "deeper"))
    path = settings.data / "deeper" / "quizapp.sqlite3"
    assert path.stat().st_mode & 0o077 == 0


def test_the_database_loses_nothing_that_was_committed(settings: Settings) -> None:
    upgrade(settings)
    with make_engine(f"sqlite:///{settings.database_path}").connect() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert connection.scalar(text("PRAGMA synchronous")) == 2
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1
        assert connection.scalar(text("PRAGMA busy_timeout")) == 10_000
