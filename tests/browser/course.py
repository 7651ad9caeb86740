"""What the tests send: the course as its files hold it, and the steps of a person at its pages."""

from __future__ import annotations

from functools import cache

from playwright.sync_api import Locator, Page, expect

from graders.exercise import Exercise
from quizapp.catalogue import Catalogue
from quizapp.catalogue.content import ChoiceContent
from quizapp.config import PROJECT

PRACTICE = ("practice-1", "practice-2", "practice-3", "practice-4", "practice-5")
EXERCISES = ("branch-gradient", "missing-requires-grad", "tracked-addition", "dynamic-model", "padded-batch")
VERDICT_MS = 60_000  # a limit of five seconds and a busy machine; nobody waits as long as this


@cache
def catalogue() -> Catalogue:
    """The course that the server serves."""
    return Catalogue(PROJECT / "exercises")


def choice(item_id: str) -> ChoiceContent:
    """The question of this id."""
    item = catalogue().item(item_id)
    assert item is not None
    assert isinstance(item.content, ChoiceContent)
    return item.content


def exercise(item_id: str) -> Exercise:
    """The exercise of this id."""
    item = catalogue().item(item_id)
    assert item is not None
    assert isinstance(item.content, Exercise)
    return item.content


def wrong_choice(item_id: str) -> str:
    """The letter of an option that is not right."""
    content = choice(item_id)
    return next(option.letter for option in content.options if option.letter != content.key)


def answer_choice(page: Page, item_id: str, letter: str) -> Locator:
    """Choose an option with the mouse, send it. Returns the question's place, which then shows the review."""
    question = page.locator(f"#item-{item_id}")
    question.locator("label", has=page.locator(f"input[value={letter}]")).click()
    question.get_by_role("button", name="Check").click()
    return page.locator(f"#item-{item_id}")


def write_code(page: Page, source: str) -> None:
    """Put the source in the editor's place, as a person does who pastes it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".cm-content").click()
    page.evaluate("text => navigator.clipboard.writeText(text)", source)
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+V")
    expect(page.locator("textarea[name=source]")).to_have_value(source)


def submit_code(page: Page, source: str, status: str) -> Locator:
    """Paste, Submit, and wait until the verdict is this one. Returns its place."""
    write_code(page, source)
    page.get_by_role("button", name="Submit").click()
    return verdict(page, status)


def verdict(page: Page, status: str) -> Locator:
    """The verdict, once it is there; it must have this status."""
    place = page.locator("#verdict:not([data-status=waiting])")
    expect(place).to_have_attribute("data-status", status, timeout=VERDICT_MS)
    return place
