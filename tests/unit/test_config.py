"""Settings: what the environment may say, and the secret that is made once."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from quizapp.addresses import is_loopback, local_address
from quizapp.children import FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, STEADY_SECONDS, pause_before_restart
from quizapp.cli import main
from quizapp.config import ConfigError, Settings


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"QUIZAPP_DATA": str(tmp_path / "var")}


class TestTheSecret:
    def test_it_is_made_on_the_first_start_for_its_owner_alone(self, environ: dict[str, str]) -> None:
        settings = Settings.from_environ(environ)
        file = settings.data / "secret"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(settings.data.stat().st_mode) == 0o700
        assert len(settings.secret_key) == 64

    def test_it_stays_the_same_and_differs_between_installations(
        self, environ: dict[str, str], tmp_path: Path
    ) -> None:
        first = Settings.from_environ(environ).secret_key
        assert Settings.from_environ(environ).secret_key == first
        assert Settings.from_environ({"QUIZAPP_DATA": str(tmp_path / "other")}).secret_key != first

    def test_an_empty_one_is_refused_by_name(self, environ: dict[str, str]) -> None:
        file = Settings.from_environ(environ).data / "secret"
        file.write_text("")
        with pytest.raises(ConfigError, match="secret holds no secret; delete it"):
            Settings.from_environ(environ)

    def test_one_that_is_no_text_is_refused_by_name(self, environ: dict[str, str]) -> None:
        (Settings.from_environ(environ).data / "secret").write_bytes(b"\xff" * 64)
        with pytest.raises(ConfigError, match="secret holds no secret; delete it"):
            Settings.from_environ(environ)

    def test_a_folder_in_its_place_is_refused_by_name(self, environ: dict[str, str], tmp_path: Path) -> None:
        (tmp_path / "var" / "secret").mkdir(parents=True)
        with pytest.raises(ConfigError, match="secret is a folder; delete it"):
            Settings.from_environ(environ)


class TestTheEnvironment:
    def test_an_empty_variable_is_as_none_at_all(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        names = ("QUIZAPP_DATA", "QUIZAPP_EXERCISES", "QUIZAPP_HOST", "PORT")
        assert Settings.from_environ(dict.fromkeys(names, "")) == Settings.from_environ({})
        assert [path.name for path in tmp_path.iterdir()] == ["var"]
        assert Settings.from_environ({}, data=Path()).data == tmp_path

    def test_a_file_in_place_of_the_data_folder_is_refused_by_name(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(ConfigError, match="which is no folder; set it to a folder"):
            Settings.from_environ({"QUIZAPP_DATA": str(tmp_path / "file")})

    @pytest.mark.parametrize(
        "command", [["add", "--email", "ada@example.org", "--name", "Ada"], ["first-link"]]
    )
    def test_a_database_that_is_none_is_one_line(self, tmp_path: Path, command: list[str]) -> None:
        (tmp_path / "quizapp.sqlite3").write_bytes(b"no database " * 1000)
        told = CliRunner().invoke(main, ["user", *command, "--data", str(tmp_path)])
        assert told.exit_code == 2
        assert "cannot be used (file is not a database)" in told.output
        assert told.output.count("\n") == 1

    def test_without_it_we_listen_on_this_machine_alone(self, environ: dict[str, str]) -> None:
        settings = Settings.from_environ(environ)
        assert (settings.host, settings.port, settings.trusted_proxies) == ("127.0.0.1", 5000, 0)

    @pytest.mark.parametrize("port", ["1", "65535"])
    def test_a_port_within_range_is_taken(self, environ: dict[str, str], port: str) -> None:
        assert Settings.from_environ({**environ, "PORT": port}).port == int(port)

    @pytest.mark.parametrize("port", ["0", "65536", "five", "5000.0"])
    def test_a_port_out_of_range_is_refused_by_name(self, environ: dict[str, str], port: str) -> None:
        with pytest.raises(ConfigError, match=r"PORT is .*; it must be .*from 1 to 65535"):
            Settings.from_environ({**environ, "PORT": port})

    def test_a_folder_that_cannot_be_made_is_refused_by_name(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(ConfigError, match=r"QUIZAPP_DATA is .*/file/var, where nothing can be written"):
            Settings.from_environ({"QUIZAPP_DATA": str(tmp_path / "file" / "var")})

    def test_a_file_in_place_of_the_folder_is_refused_by_name(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(ConfigError, match=r"QUIZAPP_DATA is .*/file, which is no folder"):
            Settings.from_environ({"QUIZAPP_DATA": str(tmp_path / "file")})

    def test_who_only_looks_something_up_makes_nothing(self, environ: dict[str, str], tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"there is no database in .*/var\. Name the folder .*--data"):
            Settings.from_environ(environ, must_exist=True)
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_is_given_wins_over_the_variable(
        self, environ: dict[str, str], tmp_path: Path
    ) -> None:
        assert Settings.from_environ(environ, data=tmp_path / "given").data == tmp_path / "given"


class TestTheAddress:
    @pytest.mark.parametrize(
        ("host", "address", "alone"),
        [
            ("127.0.0.1", "http://127.0.0.1:5000", True),
            ("localhost", "http://localhost:5000", True),
            ("::1", "http://[::1]:5000", True),
            ("0.0.0.0", "http://127.0.0.1:5000", False),
            ("192.0.2.7", "http://192.0.2.7:5000", False),
        ],
    )
    def test_it_can_be_opened_here_and_we_know_whether_elsewhere(
        self, environ: dict[str, str], host: str, address: str, alone: bool
    ) -> None:
        settings = Settings.from_environ({**environ, "QUIZAPP_HOST": host})
        assert local_address(settings) == address
        assert is_loopback(host) is alone


class TestPausesBeforeRestarts:
    def test_they_double_up_to_the_longest(self) -> None:
        pauses = [0.0]
        for _ in range(10):
            pauses.append(pause_before_restart(pauses[-1], lived=1))
        assert pauses[1:4] == [FIRST_PAUSE_SECONDS, 2 * FIRST_PAUSE_SECONDS, 4 * FIRST_PAUSE_SECONDS]
        assert pauses[-1] == LONGEST_PAUSE_SECONDS

    def test_a_child_that_lived_long_enough_is_started_at_once_again(self) -> None:
        assert pause_before_restart(LONGEST_PAUSE_SECONDS, lived=STEADY_SECONDS) == FIRST_PAUSE_SECONDS
        assert pause_before_restart(LONGEST_PAUSE_SECONDS, lived=STEADY_SECONDS - 1) == LONGEST_PAUSE_SECONDS
