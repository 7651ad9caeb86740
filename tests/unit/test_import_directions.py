"""Which way imports may point, read from the sources: quizapp -> graders, and nothing of ours into a jail."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Import:
    """One name that one module imports, wherever in the file: at its top, in a function, for types only."""

    module: str
    target: str
    place: str

    def reaches(self, packages: Iterable[str]) -> bool:
        """Whether the target is one of the packages, or lies within one."""
        return any(self.target == package or self.target.startswith(f"{package}.") for package in packages)


def imports_of(package: str, root: Path = PROJECT) -> list[Import]:
    """Every import in every file of a package; new content to start from is data, and none of it."""
    files = sorted(file for file in (root / package).rglob("*.py") if "start" not in file.parts)
    assert files, f"{package} holds no Python file"
    return [found for file in files for found in _imports_in(file, root)]


def _imports_in(file: Path, root: Path) -> Iterator[Import]:
    parts = file.relative_to(root).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    module = ".".join(parts[:-1] if is_package else parts)
    for node in ast.walk(ast.parse(file.read_text(), filename=str(file))):
        for target in _targets(node, module, is_package):
            yield Import(module, target, f"{file.relative_to(root)}:{node.lineno}")  # type: ignore[attr-defined]


def _targets(node: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=source, names=names, level=level):
            base = module.split(".")
            here = base[: len(base) - level + is_package] if level else []
            prefix = ".".join([*here, *([source] if source else [])])
            yield from (f"{prefix}.{alias.name}" for alias in names)
        case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module")):
            yield from (
                a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str)
            )


def offences(found: Iterable[Import]) -> list[str]:
    return [f"{one.place}: {one.module} imports {one.target}" for one in found]


def test_graders_do_not_know_the_web_app_exists() -> None:
    web = ["quizapp", "flask", "flask_login", "flask_wtf", "werkzeug", "sqlalchemy", "alembic", "gunicorn"]
    assert offences(one for one in imports_of("graders") if one.reaches(web)) == []


def test_code_in_a_jail_imports_nothing_of_ours_but_the_wire_and_the_checks() -> None:
    ours = [one for one in imports_of("graders") if one.module.startswith("graders.inside")]
    ours = [one for one in ours if one.reaches(["graders", "quizapp"])]
    assert ours, "nothing was looked at"
    allowed = ["graders.wire", "graders.inside", "graders.checks"]
    assert offences(one for one in ours if not one.reaches(allowed)) == []


def test_what_the_learners_jail_loads_never_leads_to_the_authors_side() -> None:
    everything = imports_of("graders")
    reached, new = set(), {"graders.inside.learner"}
    while new:
        reached |= new
        targets = {one.target for one in everything if one.module in new and one.reaches(["graders"])}
        modules = {one.module for one in everything}
        # `from graders.inside import observer` names a module, `from graders.wire import Channel` a class.
        new = {t if t in modules else t.rpartition(".")[0] for t in targets} - reached
    assert "graders.wire" in reached
    strangers = {
        m for m in reached if not m.startswith(("graders.inside", "graders.wire")) and m != "graders"
    }
    assert strangers == set()


def test_rules_know_neither_flask_nor_the_database() -> None:
    rules = [one for one in imports_of("quizapp") if one.module.split(".")[-1] == "rules"]
    assert rules, "no rules.py was looked at"
    web = ["flask", "flask_login", "flask_wtf", "sqlalchemy", "quizapp.db"]
    assert offences(one for one in rules if one.reaches(web)) == []


def test_only_jailed_code_imports_torch() -> None:
    jailed = ("graders.inside", "graders.checks", "graders.sandbox.template")
    users = [
        one for package in ("graders", "quizapp") for one in imports_of(package) if one.reaches(["torch"])
    ]
    assert users, "nobody imports torch, so nothing was looked at"
    assert offences(one for one in users if not one.module.startswith(jailed)) == []


def test_content_is_data_and_never_imported() -> None:
    everything = imports_of("graders") + imports_of("quizapp")
    assert offences(one for one in everything if one.reaches(["exercises", "tests"])) == []


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("import quizapp.db", "quizapp.db"),
        ("def late():\n    from quizapp import config", "quizapp.config"),
        ("from ..quizapp import db", "quizapp.db"),
        ("from . import wire", "graders.wire"),
        ("import importlib\nimportlib.import_module('quizapp')", "quizapp"),
    ],
)
def test_an_import_is_found_however_it_is_written(tmp_path: Path, source: str, target: str) -> None:
    (tmp_path / "graders").mkdir()
    (tmp_path / "graders" / "grader.py").write_text(source)
    assert target in [one.target for one in imports_of("graders", tmp_path)]
