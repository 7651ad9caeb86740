"""The script behind `make serve` and `make test` that makes the environment."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
SCRIPT = PROJECT / "scripts" / "make_environment.py"


def load(folder: Path) -> types.ModuleType:
    """The script, as it would run in another checkout of the project."""
    (folder / "scripts").mkdir()
    shutil.copy(SCRIPT, folder / "scripts")
    for name in ("requirements.lock", "requirements-dev.lock", "requirements-torch.txt", "pyproject.toml"):
        shutil.copy(PROJECT / name, folder)
    spec = importlib.util.spec_from_file_location("make_environment", folder / "scripts" / SCRIPT.name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The script in an empty checkout, with the slow and networked steps noted instead of done."""
    module = load(tmp_path)
    module.steps = []
    monkeypatch.setattr(module, "_pip", lambda *arguments: module.steps.append(arguments))
    monkeypatch.setattr(module, "_make_folder", lambda: (tmp_path / ".venv").mkdir(exist_ok=True))
    monkeypatch.setattr(module, "_torch_is_there", lambda: True)
    return module


def make(script: types.ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[tuple[str, ...]]:
    """Run the script; what it asked of pip, in order."""
    script.steps.clear()
    monkeypatch.setattr(sys, "argv", ["make_environment.py", *arguments])
    assert script.main() == 0
    return list(script.steps)


class TestMakingTheEnvironment:
    def test_the_second_time_nothing_is_done(
        self, script: types.ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert make(script, monkeypatch, "dev") != []
        assert make(script, monkeypatch, "dev") == []

    def test_a_changed_lock_is_installed(
        self, script: types.ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        make(script, monkeypatch, "run")
        lock = tmp_path / "requirements.lock"
        lock.write_text(lock.read_text() + "# another version\n")
        assert any("requirements.lock" in step for step in make(script, monkeypatch, "run"))

    def test_a_touched_lock_is_no_change(
        self, script: types.ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        make(script, monkeypatch, "run")
        os.utime(tmp_path / "requirements.lock", (1, 1))
        assert make(script, monkeypatch, "run") == []

    def test_serving_after_testing_keeps_the_test_tools_and_does_nothing(
        self, script: types.ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make(script, monkeypatch, "dev")
        assert make(script, monkeypatch, "run") == []

    def test_a_failed_step_is_tried_again(
        self, script: types.ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(script, "_torch_is_there", lambda: False)
            broken.setattr(script, "_reaches", lambda address: False)
            broken.setattr(sys, "argv", ["make_environment.py", "run"])
            assert script.main() == 1
        assert "cannot be imported" in capsys.readouterr().err
        assert make(script, monkeypatch, "run") != []

    def test_everything_but_torch_must_match_its_hash(
        self, script: types.ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        steps = make(script, monkeypatch, "dev")
        from_files = [step for step in steps if "-r" in step and "requirements-torch.txt" not in step]
        assert from_files
        assert all("--require-hashes" in step for step in from_files)


class TestChoosingTorch:
    @pytest.mark.parametrize("reachable", [True, False])
    def test_the_cpu_index_is_added_only_where_it_answers_and_it_says_so(
        self,
        script: types.ModuleType,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        reachable: bool,
    ) -> None:
        monkeypatch.setattr(script, "_reaches", lambda address: reachable)
        monkeypatch.setattr(script.sys, "platform", "linux")
        script._install_torch("cpu")
        assert ("--extra-index-url" in script.steps[-1]) is reachable
        assert "--no-deps" in script.steps[-1]
        assert ("cannot be reached" in capsys.readouterr().out) is not reachable

    def test_a_cuda_build_brings_its_own_packages(
        self, script: types.ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make(script, monkeypatch, "run", "--torch", "cpu")
        steps = make(script, monkeypatch, "run", "--torch", "cuda")
        assert ("install", "-r", "requirements-torch.txt") in steps
        assert make(script, monkeypatch, "run") == [], "the build that was chosen last stays"


def test_a_python_without_venv_says_which_package_to_install(tmp_path: Path) -> None:
    """As on Debian and Ubuntu, where ensurepip is a package of its own."""
    load(tmp_path)
    hide = (
        "import sys, runpy, importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'ensurepip' else real(name, *rest)\n"
        "sys.argv = ['make_environment.py', 'run']\n"
        "runpy.run_path('scripts/make_environment.py', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", hide], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"apt install python3.{sys.version_info.minor}-venv" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_names_no_address_and_no_graphics_card(lock: str) -> None:
    text = (PROJECT / lock).read_text()
    assert "--hash=sha256:" in text
    assert "://" not in text
    assert "nvidia" not in text
