"""Settings: the only place that reads the environment."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graders.exercise import Limits
from graders.sandbox.level import Level
from graders.sandbox.policy import MOST

LEVELS = tuple(level.value for level in Level)
PROJECT = Path(__file__).resolve().parent.parent
DATABASE = "quizapp.sqlite3"


class ConfigError(Exception):
    """A setting is missing or wrong; the text names the variable and what to set."""


@dataclass(frozen=True)
class Settings:
    """Everything an installation can choose. Frozen: an app keeps the settings that it was built with.

    data: folder for the database, the application secret and the worker's socket.
    exercises: folder of the content, one folder per topic.
    web_threads: threads per web process; at most half of them may wait for verdicts at once.
    grading_slots: gradings at one time.
    queue_limit: people who may have a Run or Submit in flight before new ones are asked to wait.
    anonymous_in_flight: how many of those may come from one address without an account.
    trusted_proxies: how many reverse proxies in front set X-Forwarded-*; 0 means none is believed.
    author: whether solutions and faults of the files are shown on the pages; on this machine alone.
    sandbox: the level at which answers must be walled in; empty for the best that can be had.
    most: what is granted to any exercise, however much it asks for.
    """

    data: Path
    exercises: Path
    secret_key: str
    host: str = "127.0.0.1"
    port: int = 5000
    web_workers: int = 2
    web_threads: int = 8
    grading_slots: int = 2
    queue_limit: int = 200
    anonymous_in_flight: int = 8
    trusted_proxies: int = 0
    author: bool = False
    sandbox: str = ""
    most: Limits = MOST
    testing: bool = False

    @property
    def database_path(self) -> Path:
        """The SQLite file."""
        return self.data / DATABASE

    @property
    def worker_socket(self) -> Path:
        """Where the grading worker listens for nudges."""
        return self.data / "worker.sock"

    @classmethod
    def from_environ(
        cls,
        environ: Mapping[str, str] | None = None,
        *,
        data: Path | None = None,
        must_exist: bool = False,
    ) -> Settings:
        """Read QUIZAPP_* (and PORT). Makes the data folder and, on the first start, the application secret.

        data: takes the place of QUIZAPP_DATA. must_exist: make nothing where there is no database yet.
        Raises: ConfigError naming the variable and what to set.
        """
        env = os.environ if environ is None else environ
        data = (data or Path(env.get("QUIZAPP_DATA") or "var")).absolute()
        if must_exist and not (data / DATABASE).is_file():
            raise ConfigError(
                f"there is no database in {data}. Name the folder that the server uses: --data FOLDER, or "
                "QUIZAPP_DATA=FOLDER before the command. The first `quizapp serve` makes one."
            )
        return cls(
            data=data,
            exercises=Path(env.get("QUIZAPP_EXERCISES") or PROJECT / "exercises").absolute(),
            secret_key=_secret(data),
            host=env.get("QUIZAPP_HOST") or "127.0.0.1",
            port=_whole_number(env, "PORT", 5000, 1, 65535),
            web_workers=_whole_number(env, "QUIZAPP_WEB_WORKERS", 2, 1, 64),
            web_threads=_whole_number(env, "QUIZAPP_WEB_THREADS", 8, 2, 256),
            # More than cores: a program that loops or sleeps holds its slot, and gives way to the others.
            grading_slots=_whole_number(
                env, "QUIZAPP_GRADING_SLOTS", max(12, 4 * (os.cpu_count() or 1)), 1, 256
            ),
            queue_limit=_whole_number(env, "QUIZAPP_QUEUE_LIMIT", 200, 1, 100_000),
            anonymous_in_flight=_whole_number(env, "QUIZAPP_ANONYMOUS_IN_FLIGHT", 8, 1, 100_000),
            trusted_proxies=_whole_number(env, "QUIZAPP_TRUSTED_PROXIES", 0, 0, 8),
            author=_one_of(env, "QUIZAPP_AUTHOR", ("0", "1")) == "1",
            sandbox=_one_of(env, "QUIZAPP_SANDBOX", LEVELS),
            most=Limits(
                cpu_seconds=_whole_number(env, "QUIZAPP_MAX_CPU_SECONDS", int(MOST.cpu_seconds), 1, 600),
                wall_seconds=_whole_number(env, "QUIZAPP_MAX_WALL_SECONDS", int(MOST.wall_seconds), 1, 3600),
                memory_mib=_whole_number(env, "QUIZAPP_MAX_MEMORY_MIB", MOST.memory_mib, 64, 1 << 20),
                output_kib=MOST.output_kib,
                processes=_whole_number(env, "QUIZAPP_MAX_PROCESSES", MOST.processes, 1, 4096),
                disk_mib=_whole_number(env, "QUIZAPP_MAX_DISK_MIB", MOST.disk_mib, 1, 1 << 20),
                open_files=MOST.open_files,
            ),
        )


def _one_of(env: Mapping[str, str], name: str, known: tuple[str, ...]) -> str:
    text = env.get(name, "")
    if text and text not in known:
        raise ConfigError(f"{name} is {text!r}; it must be one of {', '.join(known)}, or be left out.")
    return text


def _whole_number(env: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = env.get(name, "")
    if not text:
        return default
    try:
        value = int(text)
    except ValueError:
        raise ConfigError(f"{name} is {text!r}; it must be a whole number from {low} to {high}.") from None
    if not low <= value <= high:
        raise ConfigError(f"{name} is {value}; it must be from {low} to {high}.")
    return value


def _secret(data: Path) -> str:
    """The application secret, made on the first start and readable by its owner alone."""
    path = data / "secret"
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        # O_EXCL: of two processes that start at once, one writes and the other reads what it wrote.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if not data.is_dir():
            raise ConfigError(f"QUIZAPP_DATA is {data}, which is no folder; set it to a folder.") from None
    except OSError as error:
        raise ConfigError(
            f"QUIZAPP_DATA is {data}, where nothing can be written ({error.strerror}); "
            "set it to a folder of your own."
        ) from error
    else:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
    try:
        text = path.read_text("utf-8").strip()
    except UnicodeDecodeError:
        raise ConfigError(f"{path} holds no secret; delete it, and the next start makes a new one.") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder; delete it, and the next start makes a secret.") from None
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read ({error.strerror}); start as the user that it belongs to, or set "
            "QUIZAPP_DATA to another folder."
        ) from error
    if len(text) < 32:
        raise ConfigError(f"{path} holds no secret; delete it, and the next start makes a new one.")
    return text
