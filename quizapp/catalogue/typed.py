"""Typed answers: numbers, short texts and printed output, compared as the learner is told.

Whatever is done to what was typed is done to the key as well, so that a key can always be typed.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Final

# Signs that nobody sees and nobody means: zero-width spaces and joiners, marks of writing direction, a byte
# order mark in the middle.
_UNSEEN: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]")
_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_MINUS_SIGNS: Final = str.maketrans({"\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2013": "-"})


def plain_text(typed: str, *, case: bool) -> str:
    """As texts are compared: Unicode's NFKC, no invisible signs, single blanks, and case only on demand."""
    text = " ".join(_UNSEEN.sub("", unicodedata.normalize("NFKC", typed)).split())
    return text if case else text.casefold()


def number(typed: str) -> Decimal | None:
    """The number that was typed, to its last digit; None if it is none. Blanks within are taken out.

    A comma is no decimal point: 1,5 can mean two things, so it is asked again.
    """
    text = "".join(plain_text(typed, case=True).translate(_MINUS_SIGNS).split())
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def is_near(reply: Decimal, key: Decimal, tolerance: Decimal) -> bool:
    """Whether a reply is at most `tolerance` away, exactly: 45.6 is within 45.8 ± 0.2."""
    return abs(reply - key) <= tolerance


def half_of_last_digit(key: Decimal, digits: int) -> Decimal:
    """The tolerance of "to so many significant digits": half a unit of the last of them."""
    if key == 0:
        return Decimal(0)
    return Decimal(5).scaleb(key.adjusted() - digits)


def shown_number(value: Decimal) -> str:
    """As an author would write it: no more digits than it has, no E+1."""
    text = f"{value.normalize():f}"
    return text if len(text) <= 24 else f"{value.normalize()}"


def plain_output(text: str) -> list[str]:
    """The lines of printed output as they are compared: without blanks and empty lines at the end."""
    lines = [line.rstrip() for line in _UNSEEN.sub("", text).replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines
