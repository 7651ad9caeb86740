"""Reports in the XML of JUnit, which continuous integration reads from every tool."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from graders.authoring import visible

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class ReportError(Exception):
    """The report cannot be written; the text says why."""


@dataclass(frozen=True)
class Case:
    """One test of a report.

    group: what it belongs to; readers sort by it. end: how it ended; "error" is whatever says nothing about
    what was tested. kind: a word for that. message: one line. details: any more lines.
    """

    group: str
    name: str
    seconds: float = 0
    end: Literal["passed", "failure", "error", "skipped"] = "passed"
    kind: str = ""
    message: str = ""
    details: str = ""


def write(
    file: Path, suite: str, cases: Sequence[Case], *, properties: Mapping[str, str] = _NONE, output: str = ""
) -> None:
    """Write a report with one suite, and the folders to it. output: what was printed.

    Signs that XML cannot hold, and others that nobody can see, are spelled as in Python. Raises: ReportError.
    """
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.end == "failure" for case in cases)),
        "errors": str(sum(case.end == "error" for case in cases)),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }
    root = ET.Element("testsuites", {"name": suite, **counts})
    skipped = str(sum(case.end == "skipped" for case in cases))
    timestamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    element = ET.SubElement(
        root, "testsuite", {"name": suite, **counts, "skipped": skipped, "timestamp": timestamp}
    )
    if properties:
        listed = ET.SubElement(element, "properties")
        for name, value in properties.items():
            ET.SubElement(listed, "property", {"name": name, "value": visible(value)})
    for case in cases:
        _add(element, case)
    if output:
        ET.SubElement(element, "system-out").text = visible(output)
    ET.indent(root)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")
    except OSError as error:
        raise ReportError(f"the report {file} cannot be written ({error.strerror}).") from error


def _add(suite: ET.Element, case: Case) -> None:
    attributes = {"classname": visible(case.group), "name": visible(case.name), "time": f"{case.seconds:.3f}"}
    element = ET.SubElement(suite, "testcase", attributes)
    if case.end == "passed":
        return
    told = ET.SubElement(element, case.end, {"message": visible(case.message)})
    if case.kind and case.end != "skipped":
        told.set("type", case.kind)
    told.text = visible(case.details) or None
