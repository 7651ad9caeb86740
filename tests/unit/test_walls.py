"""Who can reach an installation decides how well it must wall in what is sent to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graders.grader import Level, SandboxError
from quizapp.config import ConfigError, Settings
from quizapp.grading import walls


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine that grants the level personal and no better one."""
    monkeypatch.setattr(walls, "choose", lambda wanted: wanted or Level.PERSONAL)
    return monkeypatch


@pytest.mark.usefixtures("here")
def test_the_level_personal_is_enough_for_ones_own_machine(settings: Settings) -> None:
    for host in ("127.0.0.1", "localhost", "::1"):
        assert walls.level_for(replace(settings, host=host)) is Level.PERSONAL


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "change", [{"host": "0.0.0.0"}, {"host": "::"}, {"host": "10.1.2.3"}, {"trusted_proxies": 1}], ids=repr
)
def test_where_others_can_send_code_it_is_refused(change: dict[str, object], settings: Settings) -> None:
    with pytest.raises(SandboxError, match="for one's own code"):
        walls.level_for(replace(settings, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [Level.FULL, Level.CONTAINER])
def test_the_better_levels_may_be_reached_by_anybody(
    level: Level, here: pytest.MonkeyPatch, settings: Settings
) -> None:
    here.setattr(walls, "choose", lambda _wanted: level)
    assert walls.level_for(replace(settings, host="0.0.0.0")) is level


@pytest.mark.usefixtures("here")
def test_a_level_can_be_demanded(settings: Settings) -> None:
    assert walls.level_for(replace(settings, sandbox="full")) is Level.FULL


def test_a_level_that_does_not_exist_is_named(settings: Settings) -> None:
    with pytest.raises(
        ConfigError, match=r"QUIZAPP_SANDBOX is 'best'; it must be one of full, container, per"
    ):
        Settings.from_environ({"QUIZAPP_SANDBOX": "best", "QUIZAPP_DATA": str(settings.data)})


def test_the_operators_most_is_read(settings: Settings) -> None:
    found = Settings.from_environ({"QUIZAPP_MAX_MEMORY_MIB": "256", "QUIZAPP_DATA": str(settings.data)})
    assert found.most.memory_mib == 256
    with pytest.raises(ConfigError, match="QUIZAPP_MAX_MEMORY_MIB is 5; it must be from 64"):
        Settings.from_environ({"QUIZAPP_MAX_MEMORY_MIB": "5", "QUIZAPP_DATA": str(settings.data)})
