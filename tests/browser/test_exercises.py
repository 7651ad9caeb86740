"""Every code exercise at its page: a wrong, a raising, a looping and the right answer, and what is said."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .course import EXERCISES, exercise, submit_code, write_code

RAISES = "\n\nraise ValueError('stopped on purpose')\n"
LOOPS = "\n\nwhile True:\n    pass\n"


@pytest.mark.parametrize("item_id", EXERCISES)
def test_wrong_raising_looping_and_right_answers_get_their_verdicts(page: Page, item_id: str) -> None:
    content = exercise(item_id)
    page.goto(f"/items/{item_id}")

    wrong = next(one for one in content.wrong if one.status == "failed")
    told = submit_code(page, wrong.source, "failed")
    expect(told.locator("details.check").first).to_be_visible()
    expect(told).to_contain_text(wrong.says)

    line = content.solution.count("\n") + RAISES.count("\n")
    told = submit_code(page, content.solution + RAISES, "error")
    expect(told).to_contain_text("ValueError: stopped on purpose")
    expect(told.locator("[data-error-line]")).to_have_attribute("data-error-line", str(line))
    expect(page.locator(".cm-error-line")).to_contain_text("raise ValueError")

    told = submit_code(page, content.solution + LOOPS, "timeout")
    # Which of the two limits ends a loop first depends on how busy the machine is.
    limits = f"({content.limits.cpu_seconds:g}|{content.limits.wall_seconds:g})"
    expect(told).to_contain_text(re.compile(rf"{limits} seconds"))

    told = submit_code(page, content.solution, "passed")
    points = sum(int(text.split(" of ")[1]) for text in told.locator(".check__points").all_inner_texts())
    expect(told).to_contain_text(f"{points} of {points} points")


@pytest.mark.parametrize("item_id", ["branch-gradient", "missing-requires-grad", "tracked-addition"])
def test_a_gradient_that_was_only_written_down_does_not_pass(page: Page, item_id: str) -> None:
    planted = next(one for one in exercise(item_id).wrong if one.filename == "planted_grad.py")
    page.goto(f"/items/{item_id}")
    told = submit_code(page, planted.source, "failed")
    expect(told).to_contain_text(planted.says)


def test_the_starter_as_it_was_given_costs_no_attempt(page: Page) -> None:
    page.goto("/items/branch-gradient")
    told = submit_code(page, exercise("branch-gradient").starter, "not-gradable")
    expect(told).to_contain_text("Nothing was changed")
    expect(told).to_contain_text("No attempt used")
    expect(page.locator("#attempts-count")).to_have_text("0")
    planted = exercise("branch-gradient").wrong[0]
    told = submit_code(page, planted.source, planted.status)
    expect(told).to_contain_text("Attempt 1")
    expect(page.locator("#attempts-count")).to_have_text("1")
    page.get_by_text("Your attempts").click()
    expect(page.locator("#attempts-rows tbody tr")).to_have_count(2)
    expect(page.locator("#attempts-rows")).to_contain_text("not counted")


def test_the_given_code_comes_back_and_can_be_taken_back(page: Page) -> None:
    page.goto("/items/branch-gradient")
    write_code(page, "mine = 1")
    page.get_by_text("The code you started from").click()
    page.get_by_role("link", name="Start again from the given code").click()
    expect(page.locator("#source")).to_have_value(exercise("branch-gradient").starter)
    page.get_by_role("link", name="Take back the code you had").click()
    expect(page.locator("#source")).to_have_value("mine = 1")
