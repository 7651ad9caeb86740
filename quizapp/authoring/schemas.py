"""A JSON Schema for each kind of content file, so that editors complete and check what is typed.

Rules that need more than one key to state are left to `quizapp check`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from graders.exercise_files import ItemTable as ExerciseTable
from quizapp.catalogue.question_tables import QUESTION_TABLES
from quizapp.catalogue.tables import (
    CardTable,
    ExperimentTable,
    InterviewTable,
    PromptTable,
    SetHead,
    TopicTable,
)

_SINGLES: Final[dict[str, type[BaseModel]]] = {
    "topic": TopicTable,
    "exercise": ExerciseTable,
    "experiment": ExperimentTable,
    "interview": InterviewTable,
}
_SETS: Final[dict[str, tuple[str, tuple[type[BaseModel], ...]]]] = {
    "quiz": ("question", tuple(table for _kind, table in QUESTION_TABLES.values())),
    "cards": ("card", (CardTable,)),
    "prompts": ("prompt", (PromptTable,)),
}
KINDS: Final = (*_SINGLES, *_SETS)


def schema(kind: str) -> dict[str, Any]:
    """The schema of one kind of file. Raises: KeyError for no kind of ours."""
    made = _SINGLES[kind].model_json_schema() if kind in _SINGLES else _of_set(kind)
    return {"$schema": "http://json-schema.org/draft-07/schema#", **_in_draft_7(made), "title": kind}


def write_schemas(folder: Path) -> None:
    """Write all of them into a folder, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        (folder / f"{kind}.json").write_text(as_text(kind))


def as_text(kind: str) -> str:
    """The file of one schema."""
    return json.dumps(schema(kind), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _of_set(kind: str) -> dict[str, Any]:
    key, tables = _SETS[kind]
    head = SetHead.model_json_schema()
    definitions: dict[str, Any] = {}
    rows = []
    for table in tables:
        row = table.model_json_schema()
        definitions |= row.pop("$defs", {})
        rows.append(row)
    head["properties"]["kind"] = {"const": kind}
    head["properties"][key] = {
        "type": "array",
        "minItems": 1,
        "items": rows[0] if len(rows) == 1 else {"anyOf": rows},
    }
    head["required"] = [*head["required"], key]
    return {**head, "$defs": definitions}


def _in_draft_7(value: Any) -> Any:
    """As the editors' TOML tools read it: `definitions` in place of `$defs`."""
    if isinstance(value, dict):
        return {key.replace("$defs", "definitions"): _in_draft_7(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_in_draft_7(part) for part in value]
    return value.replace("#/$defs/", "#/definitions/") if isinstance(value, str) else value
