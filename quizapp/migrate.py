"""Bring the database to the tables that this version of the application works with."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData

from quizapp.accounts import models as accounts_models
from quizapp.config import PROJECT, Settings
from quizapp.db import WRITES, Base, make_engine
from quizapp.submissions import models as submissions_models

_INSTALLED = Path(__file__).parent / "migrations"
MIGRATIONS = _INSTALLED if _INSTALLED.is_dir() else PROJECT / "migrations"
"""In a wheel they are part of the package; in a checkout they have a folder of their own."""


class MigrationError(Exception):
    """The database cannot be brought up to date; the text says why and what to do."""


def all_tables() -> MetaData:
    """Every table of the application. Naming the models here is what makes their tables known."""
    known = {accounts_models.Person.__table__, submissions_models.Submission.__table__}
    assert known <= set(Base.metadata.sorted_tables)
    return Base.metadata


def upgrade(settings: Settings) -> bool:
    """Migrate the database of `settings`, making it on the first start. True if there was anything to do.

    All of it is one transaction that writes: two processes that start at once do it once, and a migration
    that fails leaves everything as it was. Raises: MigrationError.
    """
    config = _config()
    script = ScriptDirectory.from_config(config)
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = make_engine(f"sqlite:///{settings.database_path}")
    try:
        with engine.connect() as connection:
            if _revision(connection) == script.get_current_head():
                return False
        with engine.connect().execution_options(**WRITES) as connection, connection.begin():
            before = _revision(connection)
            if before is not None and before not in {each.revision for each in script.walk_revisions()}:
                raise MigrationError(
                    f"{settings.database_path} was written by a newer version (revision {before}). Start that"
                    " version, or set QUIZAPP_DATA to another folder."
                )
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        engine.dispose()
    settings.database_path.chmod(0o600)
    return True


def _config() -> Config:
    if not (MIGRATIONS / "env.py").is_file():
        raise MigrationError(f"{MIGRATIONS} holds no migrations; install quizapp again, with that folder.")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()
