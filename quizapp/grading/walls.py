"""How well this installation must wall in submitted code, by who can reach it."""

from __future__ import annotations

from graders.grader import Level, SandboxError
from graders.sandbox.level import choose
from quizapp.addresses import is_loopback
from quizapp.config import Settings

NOTICE = (
    "This user can wall in submitted code at the level personal only, which is enough for your own code on "
    "this machine; `quizapp doctor` says how to have more."
)


def level_for(settings: Settings) -> Level:
    """The level at which this installation grades.

    Raises: SandboxError if there is none, if the one that the settings ask for cannot be had, or if others
    could send code to an installation that is good for one's own only.
    """
    level = choose(Level(settings.sandbox) if settings.sandbox else None)
    if level is Level.PERSONAL and is_reached_by_others(settings):
        raise SandboxError(
            "the level personal is for one's own code, and others can reach this server (QUIZAPP_HOST is "
            f"{settings.host}, QUIZAPP_TRUSTED_PROXIES is {settings.trusted_proxies})"
        )
    return level


def is_reached_by_others(settings: Settings) -> bool:
    """Whether people on other machines can send code here."""
    return not is_loopback(settings.host) or settings.trusted_proxies > 0
