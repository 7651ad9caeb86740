"""Passwords as argon2id hashes."""

from __future__ import annotations

import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# 19 MiB and two passes: the smallest that OWASP's password storage cheat sheet asks of argon2id. Every web
# thread may be hashing at once; the library's own 64 MiB would come to a gigabyte under a flood of guesses.
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def _typed(password: str) -> str:
    """One form for what keyboards and systems write in different ways."""
    return unicodedata.normalize("NFC", password)


def hash_password(password: str) -> str:
    """An argon2id hash with its own salt and its parameters, as text."""
    return _hasher.hash(_typed(password))


def matches(password_hash: str | None, password: str) -> bool:
    """Whether the password is right. Without a hash this is False, and takes as long as with one."""
    try:
        _hasher.verify(password_hash or _nobodys_hash(), _typed(password))
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def is_outdated(password_hash: str) -> bool:
    """Whether the hash was made with other parameters than today's."""
    return _hasher.check_needs_rehash(password_hash)


@cache
def _nobodys_hash() -> str:
    return _hasher.hash("the password of nobody at all")


_nobodys_hash()  # made now, so that the first unknown address does not take longer than the second
