"""The main job from the keyboard alone: no test here touches a mouse."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from .course import choice, verdict

# One line each, so that the editor's own indenting and closing of brackets has nothing to add.
ANSWER = [
    "import torch",
    "f = lambda x: x * 2 * 3 if x.item() * 2 > 1.5 else x * 2 * 4",
    "x = torch.tensor(1.0, requires_grad=True)",
    "z = f(x)",
    "z.backward()",
    "gradient_at = lambda v: torch.autograd.grad(f(leaf := torch.tensor(v, requires_grad=True)), leaf)[0]",
]
MOST_STOPS = 80


def has_focus(place: Locator) -> bool:
    return place.count() == 1 and bool(place.evaluate("element => element === document.activeElement"))


def tab_to(page: Page, place: Locator) -> None:
    """Press Tab until this has the focus."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        if has_focus(place):
            return
    raise AssertionError(f"{MOST_STOPS} times Tab did not lead to {place}")


def test_the_first_tab_offers_the_way_past_the_header(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    assert has_focus(skip)
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_question_is_answered_and_the_next_one_reached(page: Page) -> None:
    page.goto("/sets/practice?n=1")
    question = page.locator("#item-practice-1")
    tab_to(page, question.locator("input[type=radio]").first)
    for _ in range("ABCD".index(choice("practice-1").key)):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    tab_to(page, question.get_by_role("button", name="Check"))
    page.keyboard.press("Enter")
    expect(question).to_have_attribute("data-state", "passed")
    assert has_focus(question), "focus goes to the review, so that it is read out"
    tab_to(page, page.get_by_role("link", name="Next question"))
    page.keyboard.press("Enter")
    expect(page.locator("#item-practice-2")).to_be_visible()


def test_code_is_written_and_sent_with_the_keys_that_are_printed(page: Page) -> None:
    page.goto("/items/branch-gradient")
    tab_to(page, page.locator(".cm-content"))
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    for line in ANSWER:
        page.keyboard.type(line)
        page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    verdict(page, "ran")
    page.keyboard.press("Control+Shift+Enter")
    verdict(page, "passed")


def test_tab_passes_through_the_editor_indents_while_typing_and_escape_gives_it_back(page: Page) -> None:
    page.goto("/items/branch-gradient")
    editor = page.locator(".cm-content")
    run = page.get_by_role("button", name="Run")
    tab_to(page, editor)
    page.keyboard.press("Tab")
    assert has_focus(run), "who only passes through is not caught"
    page.keyboard.press("Shift+Tab")
    assert has_focus(editor)
    page.keyboard.press("Control+A")
    page.keyboard.type("if True:")  # over what is selected
    assert page.locator("#source").input_value() == "if True:"
    page.keyboard.press("Tab")
    assert has_focus(editor), "while one types, Tab indents"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert has_focus(run)
    page.keyboard.press("Tab")
    assert has_focus(page.get_by_role("button", name="Submit"))


def test_a_bracket_typed_over_a_selection_encloses_it(page: Page) -> None:
    page.goto("/items/branch-gradient")
    tab_to(page, page.locator(".cm-content"))
    page.keyboard.press("Control+A")
    page.keyboard.type("x")
    page.keyboard.press("Control+A")
    page.keyboard.type("(")
    assert page.locator("#source").input_value() == "(x)"


def test_a_card_is_turned_with_space_and_judged_with_a_digit(page: Page) -> None:
    page.goto("/items/card-1")
    page.keyboard.press("Space")
    expect(page.locator("details[data-recall]")).to_have_attribute("open", "")
    page.keyboard.press("1")
    expect(page.locator("#item-card-1")).to_contain_text("Not yet")


def test_space_turns_one_of_many_cards_and_a_digit_judges_that_one(page: Page) -> None:
    page.goto("/sets/cards?view=all")
    cards = page.locator("details[data-recall]")
    all_of_them = cards.count()
    page.keyboard.press("Space")
    expect(page.locator("details[data-recall][open]")).to_have_count(1)
    expect(cards.first).to_have_attribute("open", "")
    page.keyboard.press("2")
    expect(cards).to_have_count(all_of_them - 1)
    cards.nth(2).locator("summary").focus()
    page.keyboard.press("Space")
    expect(cards.nth(2)).to_have_attribute("open", "")
    expect(page.locator("details[data-recall][open]")).to_have_count(1)


def test_a_judged_card_gives_the_focus_to_the_next(page: Page) -> None:
    page.goto("/sets/cards?n=1")
    page.keyboard.press("Space")
    page.keyboard.press("2")
    expect(page.get_by_role("link", name="Next card")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"n=2$"))
