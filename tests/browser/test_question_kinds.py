"""Lines put in order on the keyboard alone, and an answer that is typed and not lost."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from quizapp.catalogue.content import OrderContent

from .course import catalogue


def order() -> OrderContent:
    item = catalogue().item("work-9")
    assert item is not None
    assert isinstance(item.content, OrderContent)
    return item.content


def lines_of(page: Page) -> list[str]:
    return page.locator("[data-order] .line__code").all_text_contents()


def press(page: Page, name: str) -> None:
    """Press a button as somebody does who has no mouse."""
    button = page.get_by_role("button", name=name, exact=True)
    button.focus()
    page.keyboard.press("Enter")


def test_lines_are_put_in_order_on_the_keyboard(page: Page) -> None:
    page.goto("/items/work-9")
    expect(page.locator("[data-order] select").first).to_be_hidden()
    for distractor in order().distractors:
        press(page, f"Leave out: {distractor}")
    for place, line in enumerate(order().lines):
        for _ in range(len(lines_of(page))):
            if lines_of(page).index(line) == place:
                break
            press(page, f"Up: {line}")
            assert page.evaluate("document.activeElement.tagName") == "BUTTON"
    assert lines_of(page)[: len(order().lines)] == list(order().lines)
    expect(page.locator("[data-order] + p, [data-order] [role=status]").first).to_have_text(
        "5 lines in order"
    )
    press(page, "Check")
    expect(page.locator("#item-work-9")).to_have_attribute("data-state", "passed")


def test_without_a_script_each_line_has_a_place_to_choose(open_browser: Callable[..., Page]) -> None:
    page = open_browser(java_script_enabled=False)
    page.goto("/items/work-9")
    for place, line in enumerate(order().lines, start=1):
        page.get_by_label(f"Place of: {line.strip()}", exact=True).select_option(str(place))
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#item-work-9")).to_have_attribute("data-state", "passed")


def test_what_is_typed_is_there_again_after_a_reload(page: Page) -> None:
    page.goto("/items/work-1")
    field = page.get_by_label("What it prints")
    field.fill("4.0\n3")
    expect(page.locator("[data-draft-state]")).to_have_text("Saved")
    page.reload()
    expect(field).to_have_value("4.0\n3")
    field.fill("4.0\n3.0")
    page.get_by_role("button", name="Check").click()
    review = page.locator("#item-work-1")
    expect(review).to_have_attribute("data-state", "failed")
    expect(review).to_contain_text("3.0 is the slope of the other branch")
