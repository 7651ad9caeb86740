"""`raises`: a check that wants the learner's code to raise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from graders.checks.faults import Disagreement, LearnerRaised


@contextmanager
def raises(kind: str | type[BaseException], says: str = "") -> Iterator[None]:
    """The learner's code must raise within this block: `with raises("ValueError"): answer.call("f", -1)`.

    kind: an exception class or the name of one, also one of the learner's; a derived class counts.
    says: text that the message must hold, in any case; "" for any message.
    """
    name = kind if isinstance(kind, str) else kind.__name__
    try:
        yield
    except LearnerRaised as raised:
        found = raised.report
        if name != found["type"] and name not in raised.bases:
            raise Disagreement(
                f"{raised.asked} raised {found['type']} ({found['message']}); expected {name}.",
                found["type"],
                name,
            ) from None
        if says.casefold() not in found["message"].casefold():
            raise Disagreement(
                f"The message of the {name} does not hold “{says}”.", found["message"], says
            ) from None
        return
    raise Disagreement(f"Nothing was raised; expected {name}.", "no exception", name)
