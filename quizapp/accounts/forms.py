"""Reading the forms about accounts: what was typed, and what is wrong with it, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quizapp.accounts import rules


@dataclass
class AccountForm:
    """Name, address and new password; problems by the name of the field they belong to."""

    name: str = ""
    email: str = ""
    password: str = ""
    problems: dict[str, str] = field(default_factory=dict)


def read_account(typed: Mapping[str, str]) -> AccountForm:
    """The form of a new account. Fields with a problem keep what was typed, to be shown again."""
    name, email = rules.read_name(typed.get("name", "")), rules.read_email(typed.get("email", ""))
    password, problems = read_new_password(typed, email=email or "", name=name or "")
    if name is None:
        problems["name"] = (
            f"Write the name that others may call you by, in at most {rules.NAME_LENGTH} letters."
        )
    if email is None:
        problems["email"] = "This is not an email address. Write it like ada@example.org."
    return AccountForm(
        name=typed.get("name", "") if name is None else name,
        email=typed.get("email", "") if email is None else email,
        password=password,
        problems=problems,
    )


def read_new_password(typed: Mapping[str, str], *, email: str, name: str) -> tuple[str, dict[str, str]]:
    """The new password, and what is wrong with it under "password"."""
    password = typed.get("password", "")
    problem = rules.password_problem(password, email=email, name=name)
    return password, {} if problem is None else {"password": problem}
