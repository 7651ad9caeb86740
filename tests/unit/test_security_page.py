"""What docs/security.md says of layers and limits is what the code does; its text is that of its source."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def page() -> ModuleType:
    """scripts/security_page.py, which is no package's."""
    spec = importlib.util.spec_from_file_location("security_page", PROJECT / "scripts" / "security_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_layers_and_limits_are_those_of_the_code(page: ModuleType) -> None:
    written = page.PAGE.read_text()
    assert page.layers_table() in written
    assert page.limits_table() in written


def test_every_paragraph_comes_from_the_source_of_the_page(page: ModuleType) -> None:
    written = page.PAGE.read_text()
    for line in page.TEXT.read_text().splitlines():
        assert line.startswith("@") or line in written, f"make security-page writes what is missing: {line}"


def test_a_class_that_was_not_contained_differs_from_the_page(page: ModuleType) -> None:
    def found(*, contained: bool) -> list[object]:
        corpus = [{"class": "fs", "program": "a", "status": "failed", "contained": contained}]
        return [page.Found(page.Level.FULL, "root", corpus, {"walls": []})]

    assert page.corpus_table(found(contained=True)).splitlines()[2] == "| fs | 1 | 1 | failed |"
    assert page.corpus_table(found(contained=False)).splitlines()[2] == "| fs | 1 | 0 | failed |"


def test_how_programs_ended_and_what_a_machine_refuses_anyway_may_differ(page: ModuleType) -> None:
    assert page._comparable("| fs | 8 | 8 | failed, forbidden |") == page._comparable(
        "| fs | 8 | 8 | failed |"
    )
    assert page._comparable("| fs | 8 | 7 | failed |") != page._comparable("| fs | 8 | 8 | failed |")
    assert page._comparable("| mount | rights (the machine refuses it anyway) |") == "| mount | rights |"
