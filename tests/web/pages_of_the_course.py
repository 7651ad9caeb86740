"""Reading the real course's pages in tests: every address, and what a page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from graders.exercise import Exercise
from quizapp.catalogue import Catalogue, Item
from quizapp.catalogue.content import (
    ChoiceContent,
    ExperimentContent,
    InterviewContent,
    LineContent,
    MultipleContent,
    NumericContent,
    OutputContent,
    PromptContent,
    QuestionTexts,
    TextContent,
)
from quizapp.catalogue.markdown import render

_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}


def addresses(catalogue: Catalogue) -> list[str]:
    """Every page that a learner can open without having answered anything."""
    found = ["/", "/progress", "/sign-in", "/account/new"]
    for topic in catalogue.topics():
        found.append(f"/topics/{topic.id}")
        found += [f"/items/{item.id}" for item in topic.items]
        for item_set in topic.sets:
            found += [f"/sets/{item_set.id}", f"/sets/{item_set.id}?view=all"]
            found += [f"/sets/{item_set.id}?view=one&n={number + 1}" for number in range(len(item_set.items))]
    return found


def secrets_of(item: Item) -> Iterator[str]:
    """Every text of an item that may be seen only after an answer is stored, as a reader would see it."""
    content = item.content
    texts: list[str] = []
    if isinstance(content, QuestionTexts):
        texts += [*content.solution, *content.mistakes, *content.errata, content.explanation]
    if isinstance(content, ChoiceContent | MultipleContent):
        texts += [option.why for option in content.options]
    elif isinstance(content, NumericContent | TextContent | OutputContent | LineContent):
        texts += [known.why for known in content.known]
    elif isinstance(content, PromptContent):
        texts += [*content.key_points, content.model_answer, *content.errata]
    elif isinstance(content, InterviewContent):
        texts += [*content.key_points, content.answer, content.scenario, *content.mistakes, *content.errata]
        texts += [text for follow_up in content.follow_ups for text in (follow_up.question, follow_up.answer)]
    elif isinstance(content, ExperimentContent):
        texts += [content.before, content.after, content.takeaway, content.measurements, *content.errata]
    elif isinstance(content, Exercise):
        texts += [content.explanation, *content.mistakes, *content.errata]
        texts += [f"```python\n{code}\n```" for code in (content.solution, content.checks) if code]
        texts += [f"```python\n{wrong.source}\n```" for wrong in content.wrong]
    yield from (Page(render(text)).text for text in texts if text.strip())


class Element:
    """A start tag with its attributes, its ancestors and, at the end, the text within."""

    def __init__(self, tag: str, attributes: dict[str, str], parents: tuple[Element, ...]) -> None:
        self.tag, self.attributes, self.parents, self.text = tag, attributes, parents, ""

    def within(self, other: Element) -> bool:
        """Whether `other` is around this element."""
        return other in self.parents


class Page(HTMLParser):
    """A page as a list of elements and as the text that a reader sees, blanks made one."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self._texts: list[str] = []
        self.feed(html)
        self.text = squeeze("".join(self._texts))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(self._open))
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}, tuple(self._open)))

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at].tag == tag:
                del self._open[at:]
                break

    def handle_data(self, data: str) -> None:
        self._texts.append(data)
        for element in self._open:
            element.text += data

    def all(self, *tags: str) -> list[Element]:
        """The elements with one of the tags."""
        return [element for element in self.elements if element.tag in tags]

    def attribute(self, name: str) -> list[str]:
        """The values of an attribute, wherever it stands."""
        return [element.attributes[name] for element in self.elements if name in element.attributes]


def squeeze(text: str) -> str:
    """Text with every run of blanks as one."""
    return re.sub(r"\s+", " ", text).strip()
