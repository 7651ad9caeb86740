"""What a jail sees of the folders on Python's path."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import graders
from graders.sandbox.root import code_folders


def test_of_a_folder_that_is_not_for_installed_packages_only_what_was_imported_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("imported_from_a_checkout", "left_in_a_checkout", "tests_of_a_checkout"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "solutions.toml").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__("imported_from_a_checkout")
    try:
        folders = code_folders()
    finally:
        del sys.modules["imported_from_a_checkout"]
    shown = [folder for folder in folders if Path(folder).is_relative_to(tmp_path)]
    assert shown == [str(tmp_path / "imported_from_a_checkout")]
    assert not any(tmp_path.is_relative_to(folder) for folder in folders)


def test_installed_packages_the_interpreters_own_and_ours_are_shown() -> None:
    folders = code_folders()
    for module in (pytest, json, graders):
        assert any(Path(str(module.__file__)).is_relative_to(folder) for folder in folders), module
