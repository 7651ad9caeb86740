"""The colours of tokens.css reach their contrast where they meet, in both themes.

WCAG 2.2 asks for 4.5 for text and for 3 for the edges of controls.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "quizapp" / "static" / "css"
TOKENS = (CSS / "tokens.css").read_text()

TEXT_ON = {
    "ink": [
        "paper",
        "raised",
        "shade",
        "forward-shade",
        "good-shade",
        "bad-shade",
        "wait-shade",
        "selection",
    ],
    "quiet": ["paper", "raised", "shade"],
    "forward": ["paper", "raised", "shade", "forward-shade"],
    "forward-strong": ["paper", "raised", "shade"],
    "on-forward": ["forward", "forward-strong"],
    "backward": ["paper", "raised"],
    "good": ["paper", "raised", "good-shade"],
    "bad": ["paper", "raised", "bad-shade"],
    "wait": ["paper", "raised", "wait-shade"],
    "paper": ["good", "bad"],  # the letter in the disc of a reviewed option
    "code-literal": ["raised", "shade", "bad-shade", "good-shade", "forward-shade"],
    "code-name": ["raised", "shade"],
    "code-keyword": ["raised", "shade"],
}
EDGE_ON = {"edge": ["paper", "raised"], "forward": ["paper", "raised"], "quiet": ["paper"]}


def _theme(name: str) -> dict[str, str]:
    """The colours of one theme by token; the dark ones are what the dark block changes."""
    light, dark = TOKENS.split("@media (prefers-color-scheme: dark)")
    colours = dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6});", light))
    if name == "dark":
        colours |= dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6});", dark))
    return colours


def _luminance(colour: str) -> float:
    def linear(channel: int) -> float:
        part = channel / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two #rrggbb colours, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_black_on_white_is_the_most_there_is() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("front", "back"), [(front, back) for front, backs in TEXT_ON.items() for back in backs]
)
def test_text_can_be_read(theme: str, front: str, back: str) -> None:
    colours = _theme(theme)
    assert contrast(colours[front], colours[back]) >= 4.5, f"--{front} on --{back}"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("front", "back"), [(front, back) for front, backs in EDGE_ON.items() for back in backs]
)
def test_edges_of_controls_can_be_seen(theme: str, front: str, back: str) -> None:
    colours = _theme(theme)
    assert contrast(colours[front], colours[back]) >= 3, f"--{front} on --{back}"


def test_every_colour_of_the_light_theme_has_a_dark_one() -> None:
    light, dark = TOKENS.split("@media (prefers-color-scheme: dark)")
    names = set(re.findall(r"--([\w-]+):\s*#", light))
    assert names == set(re.findall(r"--([\w-]+):\s*#", dark))


def test_colours_stand_in_tokens_css_alone() -> None:
    strays = [
        (path.name, found)
        for path in CSS.glob("*.css")
        if path.name != "tokens.css"
        for found in re.findall(r"(?<![\w&-])#[0-9a-fA-F]{3,8}\b(?!.*\{)", path.read_text())
    ]
    assert strays == [("layout.css", "#000")]  # black on paper, for printing


def test_every_custom_property_that_is_used_exists() -> None:
    known = set(re.findall(r"(--[\w-]+):", TOKENS))
    sources = [*CSS.glob("*.css"), CSS.parents[2] / "frontend" / "src" / "theme.js"]
    used = {name for path in sources for name in re.findall(r"var\((--[\w-]+)\)", path.read_text())}
    assert used <= known
