"""The main job, as ada does it: five questions, an exercise wrongly and then rightly, her progress."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .course import (
    PRACTICE,
    VERDICT_MS,
    answer_choice,
    catalogue,
    choice,
    exercise,
    submit_code,
    verdict,
    wrong_choice,
)

WRONG, RIGHT = "forgets_backward.py", "solution.py"


def source_of(filename: str) -> str:
    content = exercise("branch-gradient")
    if filename == RIGHT:
        return content.solution
    return next(wrong.source for wrong in content.wrong if wrong.filename == filename)


def see_the_progress(page: Page) -> None:
    """The progress page knows of five questions and of the exercise with its two attempts."""
    page.get_by_role("link", name="My progress").click()
    done = page.locator(".count", has_text="Done").first
    expect(done).to_contain_text(re.compile(r"Done\s*6 of \d+"))
    row = page.get_by_role("link", name=re.compile(re.escape(exercise("branch-gradient").title)))
    expect(row).to_contain_text("3 of 3 · 2 attempts")


def test_ada_works_through_questions_and_an_exercise_and_sees_her_progress(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Start the course").click()
    topic = catalogue().topic("dynamic-graphs")
    assert topic is not None
    expect(page.get_by_role("heading", level=1)).to_have_text(topic.title)
    for item_id in PRACTICE:
        review = answer_choice(page, item_id, choice(item_id).key)
        expect(review).to_have_attribute("data-state", "passed")
        expect(review).to_contain_text("Your answer, and it is right")
        expect(review.get_by_text("Worked solution")).to_be_visible()

    title = re.escape(exercise("branch-gradient").title)
    page.get_by_role("link", name=re.compile(f"Open the exercise ?: {title}")).click()
    told = submit_code(page, source_of(WRONG), "failed")
    expect(told).to_contain_text("x.grad is None: backward() was not called")
    first = told.locator("details.check[open]")
    expect(first.locator(".got")).to_have_text("None")
    expect(first).to_contain_text("z.backward()")
    expect(told.locator("details.check, p.check")).to_have_count(2)

    told = submit_code(page, source_of(RIGHT), "passed")
    expect(told).to_contain_text("3 of 3 points")
    expect(told.locator("[data-stream=stdout]")).to_contain_text("z is 6.0 and x.grad is 6.0")
    see_the_progress(page)


def test_the_same_works_without_javascript(open_browser: Callable[..., Page]) -> None:
    page = open_browser(java_script_enabled=False)
    page.goto("/sets/practice")
    for number, item_id in enumerate(PRACTICE, start=1):
        page.goto(f"/sets/practice?n={number}")
        review = answer_choice(page, item_id, choice(item_id).key)
        expect(review).to_have_attribute("data-state", "passed")
        expect(review.get_by_text("Worked solution")).to_be_visible()

    for filename, status in ((WRONG, "failed"), (RIGHT, "passed")):
        page.goto("/items/branch-gradient")
        page.get_by_label("answer.py").fill(source_of(filename))
        page.get_by_role("button", name="Submit").click()
        told = verdict(page, status)
        if status == "failed":
            expect(told).to_contain_text("x.grad is None")
    see_the_progress(page)


def test_nothing_that_gives_the_answer_away_is_in_the_page_before_it_is_sent(page: Page) -> None:
    page.goto("/topics/dynamic-graphs")
    before = page.content()
    secrets = [option.why for item_id in PRACTICE for option in choice(item_id).options]
    secrets += [step for item_id in PRACTICE for step in choice(item_id).solution]
    # Up to the first mark of Markdown a text stands in a page as it is written.
    plain = [text for secret in secrets if len(text := re.split(r"[`*_<&\"']", secret)[0].strip()) > 20]
    assert len(plain) > 10
    assert [text for text in plain if text in before] == []
    page.goto("/items/branch-gradient")
    assert "gradients accumulate" not in page.content()


def test_a_wrong_choice_says_why_and_can_be_answered_again(page: Page) -> None:
    page.goto("/sets/practice?n=3")
    review = answer_choice(page, "practice-3", wrong_choice("practice-3"))
    expect(review).to_have_attribute("data-state", "failed")
    expect(review.locator("[data-is=wrong]")).to_contain_text("Your answer, and it is not right")
    expect(review.locator("[data-is=right]")).to_contain_text("The right answer")
    expect(review.locator(".option__why")).to_have_count(4)
    review.get_by_role("link", name="Answer again").click()
    review = answer_choice(page, "practice-3", choice("practice-3").key)
    expect(review).to_have_attribute("data-state", "passed")
    expect(review).to_contain_text("Attempt 2")


def test_a_double_click_on_submit_is_one_attempt(page: Page) -> None:
    page.goto("/items/branch-gradient")
    submit_code(page, source_of(WRONG), "failed")
    page.reload()
    page.get_by_role("button", name="Submit").dblclick()
    expect(page.locator("#attempts-count")).to_have_text("2", timeout=VERDICT_MS)
    page.reload()
    expect(page.locator("#attempts-count")).to_have_text("2")


def test_run_shows_what_was_printed_and_counts_as_no_attempt(page: Page) -> None:
    page.goto("/items/branch-gradient")
    page.get_by_role("button", name="Run").click()
    told = verdict(page, "ran")
    expect(told.locator("[data-stream=stdout]")).to_contain_text("z is 6.0 and x.grad is None")
    page.reload()
    expect(page.get_by_text("Your attempts")).to_be_hidden()


def test_what_was_typed_is_still_there_after_the_page_is_closed(page: Page) -> None:
    page.goto("/items/branch-gradient")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# not finished yet")
    expect(page.locator("[data-draft-state]")).to_have_text("Saved")
    later = page.context.new_page()
    page.close()
    later.goto("/items/branch-gradient")
    expect(later.locator(".cm-content")).to_contain_text("# not finished yet")


def test_run_on_an_older_page_leaves_the_newer_text_and_offers_the_choice(page: Page) -> None:
    page.goto("/items/branch-gradient")
    newer = page.context.new_page()
    newer.goto("/items/branch-gradient")
    newer.locator(".cm-content").click()
    newer.keyboard.press("Control+End")
    newer.keyboard.type("# newer")
    expect(newer.locator("[data-draft-state]")).to_have_text("Saved")
    page.get_by_role("button", name="Run").click()
    verdict(page, "ran")
    says = page.locator("[data-draft-state]")
    expect(says).to_contain_text("Another page of yours saved this meanwhile")
    newer.reload()
    expect(newer.locator(".cm-content")).to_contain_text("# newer")
    says.get_by_role("button", name="Keep this text").click()
    expect(says).to_have_text("Saved")
    newer.reload()
    expect(newer.locator(".cm-content")).not_to_contain_text("# newer")
    page.get_by_role("button", name="Run").click()
    verdict(page, "ran")
    expect(says).to_have_text("Saved")


@pytest.mark.parametrize("text", ["It is built while the code runs, so it can follow the data."])
def test_an_open_prompt_is_written_first_and_then_ticked(page: Page, text: str) -> None:
    page.goto("/items/prompt-1")
    expect(page.get_by_role("checkbox")).to_have_count(0)
    page.get_by_label("Your answer").fill(text)
    page.get_by_role("button", name="Compare with the key points").click()
    place = page.locator("#item-prompt-1")
    expect(place).to_have_attribute("data-state", "ticks")
    expect(place).to_contain_text(text)
    place.get_by_role("checkbox").first.check()
    place.get_by_role("button", name="Done ticking").click()
    expect(place.get_by_text(re.compile(r"1 of \d+ key points"))).to_be_visible()


def test_a_card_is_turned_and_then_judged(page: Page) -> None:
    page.goto("/items/card-1")
    page.get_by_text("Think of the answer").click()
    page.get_by_role("button", name="Knew it").click()
    expect(page.locator("#item-card-1")).to_contain_text("You knew it")


def test_the_chapter_counts_a_question_as_soon_as_it_is_right(page: Page) -> None:
    page.goto("/topics/dynamic-graphs")
    answer_choice(page, "practice-1", choice("practice-1").key)
    expect(page.locator("[data-done-count]")).to_have_text("1")
