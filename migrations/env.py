"""What Alembic runs: on quizapp.migrate's connection, or else on the database of the environment."""

from __future__ import annotations

from typing import Literal

from alembic import context
from sqlalchemy import Connection

from quizapp.config import Settings
from quizapp.db import WRITES, UtcDateTime, make_engine
from quizapp.migrate import all_tables


def plain_types(kind: str, thing: object, _context: object) -> str | Literal[False]:
    """A migration stays as it is while the application changes, so it names no type of ours."""
    return "sa.DateTime()" if kind == "type" and isinstance(thing, UtcDateTime) else False


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=all_tables(),
        render_item=plain_types,
        render_as_batch=connection.dialect.name == "sqlite",  # SQLite alters a table by copying it
    )
    context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if context.is_offline_mode():
    raise SystemExit("Migrations run on a database, not into a file: leave --sql out.")
if given is not None:
    run(given)
else:
    engine = make_engine(f"sqlite:///{Settings.from_environ().database_path}")
    with engine.connect().execution_options(**WRITES) as opened, opened.begin():
        run(opened)
