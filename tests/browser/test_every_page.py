"""What holds for every page: it fits a telephone, can be read in both themes, and complains about nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from .conftest import Complaints, Site
from .course import answer_choice, catalogue, choice, exercise, submit_code, verdict, write_code

MOST_PAGES = 150
NARROW = {"width": 360, "height": 740}
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
PASSWORD = "four words in a row"


@pytest.fixture(scope="module")
def context(browser: Browser, site: Site) -> Iterator[BrowserContext]:
    """grace's browser: the first teacher, who has tried some of the course, so that no page is empty."""
    made = browser.new_context(base_url=site.address)
    made.set_default_timeout(20_000)
    yield made
    made.close()


@pytest.fixture(scope="module")
def addresses(context: BrowserContext, site: Site) -> list[str]:
    """Every page that a link leads to, for someone without an account and then for a teacher."""
    page = context.new_page()
    page.goto("/items/practice-1")
    answer_choice(page, "practice-1", choice("practice-1").key)
    expect(page.locator("#item-practice-1")).to_have_attribute("data-state", "passed")
    page.goto("/items/prompt-1")
    page.get_by_label("Your answer").fill("It is built while the code runs.")
    page.get_by_role("button", name="Compare with the key points").click()
    expect(page.locator("#item-prompt-1")).to_have_attribute("data-state", "ticks")
    wrong = next(one for one in exercise("branch-gradient").wrong if one.status == "failed")
    page.goto("/items/branch-gradient")
    submit_code(page, wrong.source, "failed")
    write_code(page, "print('wide ' * 200)\n" + "very_" * 60 + "long_name\n")
    page.get_by_role("button", name="Submit").click()
    verdict(page, "error")
    found = crawl(page, "/")

    link = re.search(r"http://\S+/links/\S+", site.log.read_text())
    assert link is not None, "the first teacher's link was printed"
    page.goto(link[0])
    page.get_by_label("Your name").fill("Grace")
    page.get_by_label("Email address").fill("grace@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Make the account and sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    found += [address for address in crawl(page, "/") if address not in found]
    page.close()
    return [*found, "/no/such/page", urlsplit(link[0]).path]


def crawl(page: Page, start: str) -> list[str]:
    """The addresses on this site that links lead to, without fragments, in the order of finding them.

    Of the items and sets of later topics, which look like those of the first, one of each kind.
    """
    found = [start]
    kinds: set[tuple[str, ...]] = set()
    for address in found:
        response = page.goto(address)
        assert response is not None
        assert response.status == 200, f"{address} answered {response.status}"
        for link in page.locator("a[href]").all():
            target = urlsplit(urljoin(page.url, link.get_attribute("href") or ""))
            path = target.path + (f"?{target.query}" if target.query else "")
            if target.netloc != urlsplit(page.url).netloc or path in found:
                continue
            kind = kind_in_later_topic(target.path, target.query)
            if kind not in kinds:
                found.append(path)
                kinds |= {kind} if kind else set()
        assert len(found) <= MOST_PAGES, f"links lead to ever more pages: {found[-5:]}"
    return found


def kind_in_later_topic(path: str, query: str) -> tuple[str, ...] | None:
    """What sort of page of an item or set this is; None for all other pages, and in the first topic."""
    what, _, name = path.removeprefix("/").partition("/")
    if what == "sets" and (item_set := catalogue().item_set(name)):
        topic, kind = item_set.topic_id, item_set.kind
    elif what == "items" and (item := catalogue().item(name)):
        topic, kind = item.topic_id, item.kind.value
    else:
        return None
    first = catalogue().topics()[0].id
    return None if topic == first else (what, kind, *sorted(key for key, _ in parse_qsl(query)))


def test_links_lead_to_every_kind_of_page(addresses: list[str]) -> None:
    for start in (
        "/topics/",
        "/sets/",
        "/items/",
        "/submissions/",
        "/progress",
        "/account",
        "/people",
        "/sign-in",
    ):
        assert any(address.startswith(start) for address in addresses), f"no link leads to {start}"


def test_no_page_is_wider_than_a_telephone(context: BrowserContext, addresses: list[str]) -> None:
    page = context.new_page()
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    too_wide = {}
    for address in addresses:
        page.goto(address)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > NARROW["width"]:
            too_wide[address] = width
    page.close()
    assert too_wide == {}


def test_a_teacher_finds_the_button_for_a_learner_on_a_telephone(
    context: BrowserContext, addresses: list[str], open_browser: Callable[..., Page]
) -> None:
    assert "/people" in addresses
    learner = open_browser()
    learner.goto("/sign-in")
    learner.get_by_role("link", name="Make one").click()
    for label, text in (("Your name", "Ada"), ("Email address", "ada@example.org"), ("Password", PASSWORD)):
        learner.get_by_label(label).fill(text)
    learner.get_by_role("button", name="Make the account").click()
    expect(learner.get_by_role("button", name="Sign out")).to_be_visible()
    page = context.new_page()
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    page.goto("/people")
    button = page.get_by_role("button", name="Make a one-time link for Ada")
    expect(button).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    button.click()
    link = page.locator(".whole-link")
    assert link.evaluate("element => element.scrollWidth <= element.clientWidth")
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(
    context: BrowserContext, addresses: list[str], theme: str
) -> None:
    """As WCAG 2.2 asks at level AA: 4.5 to 1, for large type 3 to 1."""
    page = context.new_page()
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    faint: dict[str, list[str]] = {}
    looked_at = 0
    for address in addresses:
        page.goto(address)
        found = page.evaluate(CONTRAST)
        looked_at += found["texts"]
        if found["faint"]:
            faint[address] = found["faint"]
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.close()
    assert looked_at > 1000
    assert faint == {}
    light = sum(int(value) for value in re.findall(r"\d+", ground)[:3])
    assert (light > 600) is (theme == "light"), f"the {theme} theme has the ground {ground}"


def test_no_page_complains(context: BrowserContext, addresses: list[str]) -> None:
    complaints = Complaints()
    page = context.new_page()
    complaints.listen(page)
    for address in addresses:
        page.goto(address, wait_until="networkidle")
    page.close()
    assert complaints.said == []


def test_every_page_has_one_title_one_main_heading_and_names_for_its_controls(
    context: BrowserContext, addresses: list[str]
) -> None:
    page = context.new_page()
    problems = []
    for address in addresses:
        page.goto(address)
        if not page.title().replace("· quizapp", "").strip():
            problems.append(f"{address}: no title")
        if (count := page.locator("h1").count()) != 1:
            problems.append(f"{address}: {count} main headings")
        nameless = page.evaluate(
            "[...document.querySelectorAll('button, a[href]')]"
            ".filter(e => !e.ariaLabel && !e.textContent.trim()).map(e => e.outerHTML)"
        )
        problems += [f"{address}: no name: {one}" for one in nameless]
        unlabelled = page.evaluate(
            "[...document.querySelectorAll('input:not([type=hidden]), textarea, select')]"
            ".filter(e => !e.hidden && !e.labels.length && !e.ariaLabel).map(e => e.outerHTML)"
        )
        problems += [f"{address}: no label: {one}" for one in unlabelled]
    page.close()
    assert problems == []


def test_pages_read_alike_without_javascript(open_browser: Callable[..., Page], addresses: list[str]) -> None:
    """For someone new: what the page says is there without scripts too, and fits a telephone."""
    page = open_browser(java_script_enabled=False, viewport=NARROW)
    own = ("/account", "/people", "/submissions/", "/runs/", "/links/", "/no/")
    empty = []
    for address in (address for address in addresses if not address.startswith(own)):
        page.goto(address)
        if len(page.locator("main").inner_text().strip()) < 40:
            empty.append(address)
    assert empty == []
