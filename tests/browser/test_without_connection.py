"""When the server cannot be reached, and when there is nothing to send: the page says so and goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import Site
from .course import answer_choice, choice, verdict, write_code, wrong_choice

NOT_SENT = "Not sent: no connection. What you typed is kept; try again"


@pytest.fixture
def cut_off(browser: Browser, site: Site) -> Iterator[Page]:
    """A page of its own: one that loses its connection complains in its console, as it should."""
    context = browser.new_context(base_url=site.address, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def test_a_check_without_connection_says_so_and_can_be_sent_again(cut_off: Page) -> None:
    cut_off.goto("/sets/practice?n=1")
    cut_off.context.set_offline(True)
    question = answer_choice(cut_off, "practice-1", choice("practice-1").key)
    expect(question.get_by_role("alert")).to_contain_text(NOT_SENT)
    cut_off.context.set_offline(False)
    question.get_by_role("button", name="Check").click()
    expect(question).to_have_attribute("data-state", "passed")


@pytest.mark.parametrize("button", ["Run", "Submit"])
def test_code_without_connection_says_so_and_can_be_sent_again(cut_off: Page, button: str) -> None:
    cut_off.goto("/items/branch-gradient")
    write_code(cut_off, "raise ValueError")
    cut_off.context.set_offline(True)
    cut_off.get_by_role("button", name=button).click()
    notice = cut_off.locator(".workbench").get_by_role("alert")
    expect(notice).to_contain_text(NOT_SENT)
    cut_off.context.set_offline(False)
    cut_off.get_by_role("button", name=button).click()
    verdict(cut_off, "error")
    expect(notice).to_have_count(0)


@pytest.mark.parametrize("button", ["Run", "Submit"])
def test_an_empty_editor_is_told_that_there_is_nothing_to_send(page: Page, button: str) -> None:
    page.goto("/items/branch-gradient")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.get_by_role("button", name=button).click()
    expect(page.locator(".workbench").get_by_role("alert")).to_contain_text("There is nothing to send yet")


def test_a_question_to_answer_again_is_in_view_and_has_the_focus(page: Page) -> None:
    page.goto("/topics/dynamic-graphs")
    question = answer_choice(page, "practice-1", wrong_choice("practice-1"))
    expect(question).to_have_attribute("data-state", "failed")
    question.get_by_role("link", name="Answer again").click()
    expect(question.get_by_role("heading")).to_be_in_viewport()
    expect(question.locator("input[type=radio]").first).to_be_focused()
