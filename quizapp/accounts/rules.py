"""What holds for addresses, names, passwords, attempts to sign in, links and brought-along work."""

from __future__ import annotations

import ipaddress
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

NAME_LENGTH = 80
EMAIL_LENGTH = 254  # RFC 5321, 4.5.3.1.3: a path of 256 octets with its angle brackets
PASSWORD_SHORTEST = 10
PASSWORD_LONGEST = 256  # hashing a book would be an attack

ATTEMPT_WINDOW = timedelta(minutes=15)
FAILURES_PER_ACCOUNT = 10
FAILURES_PER_ADDRESS = 60  # a whole class sits behind one address

FIRST_LINK_HOURS = 24
PASSWORD_LINK_HOURS = 72

COMMON_WORDS = (
    *(
        "password",
        "passwort",
        "passw",
        "qwerty",
        "qwertyuiop",
        "qwertz",
        "azerty",
        "asdf",
        "asdfgh",
        "asdfghjkl",
    ),
    *("admin", "administrator", "welcome", "letmein", "iloveyou", "monkey", "dragon", "football", "baseball"),
    *("sunshine", "princess", "superman", "batman", "master", "shadow", "michael", "charlie", "trustno"),
    *("abc", "abcd", "abcdef", "hello", "login", "secret", "changeme", "default", "test", "user", "guest"),
    *("quiz", "quizapp", "pytorch", "torch", "learner", "teacher", "student", "summer", "winter"),
)
_ROWS = (
    "1234567890",
    "0123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "abcdefghijklmnopqrstuvwxyz",
    "1q2w3e4r5t6y7u8i9o0p",
)
_LOOKALIKES = str.maketrans("@4301$5!", "aaeolssi")

_JOINERS = "\u200c\u200d"  # invisible, but part of how Persian and Indian names are spelled


def _plain(text: str, *, keep: str = "") -> str:
    """`text` in one Unicode form, without the invisible signs that come along when text is pasted."""
    composed = unicodedata.normalize("NFC", text)
    hidden = {"Cf", "Cc", "Co", "Cs"}
    return "".join(sign for sign in composed if sign in keep or unicodedata.category(sign) not in hidden)


def read_email(text: str) -> str | None:
    """The address in the one form in which it is stored and compared, or None if it cannot be one.

    Case does not count. Only the shape is looked at; whether mail arrives there is not known.
    """
    address = _plain(text).strip().lower()
    local, at, domain = address.rpartition("@")
    if not (at and local and domain) or "@" in local or any(sign.isspace() for sign in address):
        return None
    if len(address) > EMAIL_LENGTH or domain.startswith(".") or domain.endswith(".") or ".." in domain:
        return None
    return address


def read_name(text: str) -> str | None:
    """The name with single blanks, or None if it has no letter or digit or more than NAME_LENGTH signs."""
    name = " ".join(_plain(" ".join(text.split()), keep=_JOINERS).split())
    return name if any(sign.isalnum() for sign in name) and len(name) <= NAME_LENGTH else None


def password_problem(password: str, *, email: str, name: str) -> str | None:
    """What is wrong with a new password, in words, or None. Both lengths are themselves allowed."""
    if len(password) < PASSWORD_SHORTEST:
        return f"This has {len(password)} of the at least {PASSWORD_SHORTEST} signs that a password needs."
    if len(password) > PASSWORD_LONGEST:
        return f"Use at most {PASSWORD_LONGEST} signs."
    if len(set(password)) < 4:
        return "This is the same few signs again and again. Four words in a row would do."
    low = password.casefold()
    if _is_common(low):
        return "This is one of the passwords that are tried first. Four words that nobody connects would do."
    rest = low
    local = email.partition("@")[0].casefold()
    names = {email.casefold(), local, name.casefold(), *name.casefold().split(), *local.split(".")}
    for known in sorted(names, key=len, reverse=True):
        rest = rest.replace(known, "") if len(known) > 2 else rest
    if len(rest) < 6 and rest != low:
        return (
            "Your name or email address is most of this password. Others know those; choose something else."
        )
    return None


def _is_common(low: str) -> bool:
    """Whether nothing but a word of the commonest ones is there, with digits and signs around it or twice."""
    core = low.strip("0123456789!?.,-_#*+ ")
    letters = "".join(sign for sign in core.translate(_LOOKALIKES) if sign.isalpha())
    bare = "".join(sign for sign in core if sign.isalpha())
    if any(low in row * 2 or low[::-1] in row * 2 for row in _ROWS):
        return True
    return any(text and text.replace(word, "") == "" for text in (letters, bare) for word in COMMON_WORDS)


def own_path(target: str | None, default: str = "/") -> str:
    """`target` if it is a path of this site, else `default`: no link to us sends anybody elsewhere."""
    if not target or not target.startswith("/") or target.startswith("//"):
        return default
    # Browsers read a backslash as a slash, and drop tabs and line ends wherever they stand.
    if "\\" in target or any(unicodedata.category(sign) in {"Cc", "Cf"} for sign in target):
        return default
    return target


def address_group(address: str | None) -> str:
    """What counts as one address: one of IPv4, or the /64 network that one IPv6 household gets."""
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


@dataclass(frozen=True)
class Attempt:
    """One earlier attempt to sign in, whether for this account or from this address."""

    at: datetime
    succeeded: bool


def may_try_again_at(
    *, account: Sequence[Attempt], address: Sequence[Attempt], now: datetime
) -> datetime | None:
    """When the next attempt to sign in is let through, or None if it is now.

    account, address: attempts for the account and from the address, in any order.
    A success forgives the account's earlier failures, never the address's: whoever guesses may have an
    account of their own.
    A failure counts for ATTEMPT_WINDOW; at exactly its end it does not any more.
    """
    succeeded = [attempt.at for attempt in account if attempt.succeeded]
    since = max(succeeded) if succeeded else None
    own = [a.at for a in account if not a.succeeded and (since is None or a.at > since)]
    near = [a.at for a in address if not a.succeeded]
    waits = [
        until
        for until in (
            _until_below(own, FAILURES_PER_ACCOUNT, now),
            _until_below(near, FAILURES_PER_ADDRESS, now),
        )
        if until is not None
    ]
    return max(waits, default=None)


def _until_below(failures: Iterable[datetime], allowed: int, now: datetime) -> datetime | None:
    counted = sorted(at for at in failures if at + ATTEMPT_WINDOW > now)
    if len(counted) < allowed:
        return None
    return counted[-allowed] + ATTEMPT_WINDOW


def minutes_until(until: datetime, now: datetime) -> int:
    """Whole minutes from now to `until`, rounded up, at least 1: nobody is told to come back too early."""
    return max(1, -int((now - until).total_seconds() // 60))


def link_is_open(
    *, expires_at: datetime, used_at: datetime | None, voided_at: datetime | None, now: datetime
) -> bool:
    """Whether a one-time link still lets in. At exactly `expires_at` it does not."""
    return used_at is None and voided_at is None and now < expires_at


def may_make_link(*, maker_teaches: bool, person_teaches: bool, person_has_account: bool) -> bool:
    """Whether someone may make a link that sets a person's password.

    A teacher may for a learner's account. For another teacher's nobody may on the web: it would let one
    teacher become another. `quizapp user reset` is for that, by whoever runs the server.
    """
    return maker_teaches and person_has_account and not person_teaches


def next_numbers(taken: Iterable[int], count: int) -> list[int]:
    """Attempt numbers for `count` submissions that are brought to a person whose own are numbered `taken`.

    The person's own keep the numbers under which they were seen; the brought ones follow, in their order.
    """
    start = max(taken, default=0) + 1
    return list(range(start, start + count))
