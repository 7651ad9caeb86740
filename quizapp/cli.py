"""The command line. Each command's story is in its own module, imported only when it is called."""

# ruff: noqa: PLC0415  # `quizapp --help` answers at once, and `quizapp grade` needs no web framework

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, ParamSpec
from urllib.parse import urlsplit

import click

from quizapp.config import PROJECT, ConfigError, Settings

if TYPE_CHECKING:
    from graders.doctor import Report

P = ParamSpec("P")

CANNOT = 2
"""Exit code where something could not be done at all, as against done with a bad outcome (1)."""

_exercises_option = click.option(
    "--exercises",
    envvar="QUIZAPP_EXERCISES",
    type=click.Path(path_type=Path),
    default=PROJECT / "exercises",
    help="Folder of the content, a folder per topic. [QUIZAPP_EXERCISES; default: our own course]",
)

_verbose_option = click.option(
    "-v", "--verbose", is_flag=True, help="Print the whole tracebacks of checks that break."
)


_junit_option = click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write this file, in JUnit's XML, for continuous integration.",
)


def _stop(problem: object) -> NoReturn:
    click.echo(f"quizapp: {problem}", err=True)
    sys.exit(CANNOT)


def _says_what_is_wrong(command: Callable[P, None]) -> Callable[P, None]:
    """Errors whose text is meant for people become one line and exit code 2."""

    @wraps(command)
    def careful(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except ConfigError as error:
            _stop(error)

    return careful


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="quizapp", prog_name="quizapp")
def main() -> None:
    """Quizzes and exercises for PyTorch that grade themselves.

    \b
    To start:            quizapp serve
    To try an answer:    quizapp grade branch-gradient answer.py
    If grading fails:    quizapp doctor

    What an installation can choose comes from variables: QUIZAPP_DATA (folder for the database and all other
    state; default "var"), PORT, QUIZAPP_HOST, QUIZAPP_EXERCISES, and those in the operators' guide in docs/.
    """


@main.command(short_help="Start web server and grading worker.")
@click.option("--host", help="Address to listen at. [QUIZAPP_HOST; default: 127.0.0.1, this machine alone]")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen at. [PORT; default: 5000]")
@click.option(
    "--author", is_flag=True, help="Show what is wrong with the files, and solutions. [QUIZAPP_AUTHOR]"
)
@_says_what_is_wrong
def serve(host: str | None, port: int | None, author: bool) -> None:
    """Start the web server and the grading worker, until Ctrl-C.

    With --author each page reads itself again when a file is saved, and has a bar with the faults of the
    files, a switch to what learners see, and the wrong answers of an exercise; on this machine alone.

    Makes the data folder and the database on the first start, and brings the database up to date on every
    start. Prints the address and, as long as nobody teaches here, a one-time link for the first teacher.
    """
    from quizapp.serve import serve as run

    settings = Settings.from_environ()
    settings = replace(
        settings,
        host=host or settings.host,
        port=port or settings.port,
        author=author or settings.author,
    )
    # Its children read them there.
    os.environ.update(
        QUIZAPP_HOST=settings.host, PORT=str(settings.port), QUIZAPP_AUTHOR=str(int(settings.author))
    )
    sys.exit(run(settings))


@main.command(short_help="Grade what learners send; serve starts one.")
@_says_what_is_wrong
def worker() -> None:
    """Grade what learners send, until Ctrl-C.

    `quizapp serve` starts one by itself. Start one yourself where the web server runs on its own; a data
    folder has one worker at a time.
    """
    from graders.grader import SandboxError
    from quizapp.grading.worker import Worker, WorkerError
    from quizapp.migrate import MigrationError, upgrade

    settings = Settings.from_environ()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s worker %(levelname)s: %(message)s")
    try:
        upgrade(settings)
        Worker(settings).run_forever()
    except SandboxError as error:
        _stop(f"the sandbox cannot start: {error}. Run `quizapp doctor`: it says what is missing.")
    except (WorkerError, MigrationError) as error:
        _stop(error)


@main.command(short_help="Grade one answer to a code exercise.")
@click.argument("exercise")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as one JSON object.")
@click.option("--seed", help="Seed of an earlier verdict (32 hexadecimal digits): grade exactly as then.")
@_junit_option
@_verbose_option
@_exercises_option
def grade(
    exercise: str,
    file: str,
    as_json: bool,
    seed: str | None,
    junit: Path | None,
    verbose: bool,
    exercises: Path,
) -> None:
    """Grade one answer to a code exercise, in the same sandbox as on the web.

    EXERCISE is an id, such as branch-gradient, or the path of any exercise folder. FILE is the answer; "-"
    reads it from standard input. Nothing is stored.

    \b
    Exit code 0: passed.
              1: not passed (failed, error, timeout, ...).
              2: could not be graded (unreadable or unchanged answer, faulty exercise, no sandbox), or the
                 report could not be written.
    """
    from quizapp.grading.command import grade as run
    from quizapp.junit import ReportError

    if seed is not None and not (len(seed) == 32 and set(seed) <= set("0123456789abcdef")):
        raise click.BadParameter("it must be 32 hexadecimal digits, as in a verdict", param_hint="--seed")
    try:
        sys.exit(
            run(exercise, file, exercises=exercises, seed=seed, as_json=as_json, verbose=verbose, junit=junit)
        )
    except ReportError as error:
        _stop(error)


@main.command(short_help="Prove that all content holds.")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Prove also what has not changed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@_junit_option
@_verbose_option
@_exercises_option
def check(
    path: Path | None, everything: bool, as_json: bool, junit: Path | None, verbose: bool, exercises: Path
) -> None:
    """Prove content: it loads, solutions pass, starters do not, wrong answers fail as they say.

    Small mistakes made in each solution must not pass its checks. Claims about code are run, and the keys of
    questions about code must be those that their proofs show to be right. The key of any other question
    cannot be proved; the check names these questions.

    PATH is a folder of topics, one topic, one exercise folder, listed in topic.toml or not yet, or one file
    of a topic; or the id of an item, a set or a topic. Without PATH, in a work tree of git, what differs from
    the last commit is checked, and elsewhere all content.

    \b
    Exit code 0: everything holds.
              1: something does not; each line names file, place and remedy.
              2: nothing could be run, since the sandbox cannot start, or the report could not be written.
    """
    from graders.grader import Grader, SandboxError
    from quizapp.catalogue.check import check as run
    from quizapp.junit import ReportError

    try:
        sys.exit(
            run(
                path,
                as_json=as_json,
                verbose=verbose,
                everything=everything,
                grader_factory=Grader,
                out=sys.stdout,
                root=exercises,
                junit=junit,
            )
        )
    except SandboxError as error:
        _stop(f"the sandbox cannot start: {error}. Run `quizapp doctor`: it says what is missing.")
    except ReportError as error:
        _stop(error)


@main.command(short_help="Start new content: a topic, an exercise, a file of questions.")
@click.argument(
    "kind", type=click.Choice(["topic", "exercise", "quiz", "cards", "prompts", "experiment", "interview"])
)
@click.argument("place", type=click.Path(path_type=Path))
@click.option("--title", default="", help="How it is headed; made from the name if left out.")
@_exercises_option
def new(kind: str, place: Path, title: str, exercises: Path) -> None:
    """Write new content of a KIND that already holds, but for what says TODO: that is yours to write.

    PLACE is the path of what is to be made, such as exercises/dynamic-graphs/my-exercise, or its name alone
    within the folder of a topic. Beside the topics a folder .schemas is written, by which editors complete
    and check what is typed.
    """
    from quizapp.authoring.new import CannotStart, start

    try:
        started = start(kind, place, root=exercises, title=title)
    except (CannotStart, OSError) as error:
        _stop(error)
    for path in started.files:
        click.echo(f"wrote {path}")
    for sentence in started.next:
        click.echo(sentence)


@main.command(short_help="Say whether this machine can grade, and why not.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option("--level", help="Examine this level in place of the best one: full, container or personal.")
def doctor(as_json: bool, level: str | None) -> None:
    """Say whether answers can be graded on this machine, how well they are walled in, and what is missing.

    Each layer is tried: an attempt that it must stop is made in a jail, and once more without the layer, to
    show that nothing else stops it.

    Exit code 0: answers can be graded. 1: they cannot. What is missing comes with its remedy.
    """
    if sys.platform == "win32":
        _stop("Windows has nothing to wall in code with. docs/operating.md, In a container, has what to do.")
    from graders.doctor import examine
    from graders.grader import Level

    if level is not None and level not in list(Level):
        raise click.BadParameter(f"it must be one of {', '.join(Level)}", param_hint="--level")
    report = examine(Level(level) if level else None)
    click.echo(json.dumps(report.to_json()) if as_json else "\n".join(_told(report)))
    sys.exit(0 if report.ok else 1)


def _told(report: Report) -> Iterator[str]:
    """The doctor's report, line by line."""
    graded = "Answers can be graded" if report.ok else f"Nothing can be graded: {report.problem}"
    yield f"Level: {report.level}. {graded.rstrip('.')}."
    if report.level == "personal":
        yield "It is for your own code on your own machine; docs/security.md says what the levels are worth."
    if report.walls:
        yield "An attempt to                                     is stopped by    without that layer it"
    for wall in report.walls:
        mark = click.style("ok", fg="green") if wall.ok else click.style("NO", fg="red")
        control = (
            "succeeds" if wall.proved and wall.control else wall.control or "(stopped by the supervisor)"
        )
        yield f"  {mark}  {wall.attempt:44.44}  {wall.layer:15}  {control}"
        if not wall.ok:
            yield f"      it was not stopped: {wall.got}"
    for missing in report.missing:
        yield f"Missing: {missing.name} ({missing.what}). {missing.remedy}"


@main.group(short_help="Make accounts and one-time links.")
def user() -> None:
    """People: make an account, let somebody in again, get the first teacher's link."""


def _web_address(_context: click.Context, _option: click.Parameter, given: str | None) -> str | None:
    if given is None:
        return None
    try:
        parts = urlsplit(given)
        well_formed = parts.scheme in ("http", "https") and parts.hostname and not parts.query
        _ = parts.port  # raises where it is no number
    except ValueError:
        well_formed = False
    if not well_formed:
        raise click.BadParameter(f"{given!r} is no address of a site. Write it like https://quiz.example.org")
    return given


_address_option = click.option(
    "--address",
    callback=_web_address,
    help="Where people reach this site, for the link, such as https://quiz.example.org. "
    "[default: this machine, with QUIZAPP_HOST and PORT]",
)
_data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Data folder of the server. [QUIZAPP_DATA; default: var]",
)


def _user_command(
    settings_to_do: Callable[[Settings], None], data: Path | None, *, must_exist: bool = True
) -> None:
    from sqlalchemy.exc import DBAPIError

    from quizapp.accounts.command import UserError
    from quizapp.migrate import MigrationError

    settings = Settings.from_environ(data=data, must_exist=must_exist)
    try:
        settings_to_do(settings)
    except (OSError, DBAPIError) as error:
        cause = str(getattr(error, "orig", None) or error).splitlines()[0]
        _stop(
            f"the database {settings.database_path} cannot be used ({cause}). Name the folder of the server "
            "with --data, or restore the database from a backup."
        )
    except (UserError, MigrationError) as error:
        _stop(error)


@user.command("add")
@click.option("--email", required=True, help="Email address to sign in with. Nothing is sent there.")
@click.option("--name", required=True, help="Name that others see.")
@click.option("--role", type=click.Choice(["learner", "teacher"]), default="learner", show_default=True)
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of standard input."
)
@_address_option
@_data_option
@_says_what_is_wrong
def user_add(
    email: str, name: str, role: str, password_stdin: bool, address: str | None, data: Path | None
) -> None:
    """Make an account.

    In a data folder without a database one is made. Without --password-stdin a one-time link is printed,
    with which the person chooses a password.
    """
    from quizapp.accounts import command

    _user_command(
        lambda settings: command.add(
            settings,
            address,
            email=email,
            name=name,
            role=role,
            password_stdin=password_stdin,
        ),
        data,
        must_exist=False,
    )


@user.command("reset", short_help="Print a link that sets a new password.")
@click.argument("email")
@_address_option
@_data_option
@_says_what_is_wrong
def user_reset(email: str, address: str | None, data: Path | None) -> None:
    """Print a one-time link with which the person with this EMAIL address chooses a new password."""
    from quizapp.accounts import command

    _user_command(lambda settings: command.reset(settings, address, email=email), data)


@user.command("first-link", short_help="Print the first teacher's link again.")
@_address_option
@_data_option
@_says_what_is_wrong
def user_first_link(address: str | None, data: Path | None) -> None:
    """Print a new one-time link for the first teacher; an older one works no more."""
    from quizapp.accounts import command

    _user_command(lambda settings: command.first_link(settings, address), data)


if __name__ == "__main__":
    main()
