"""What a learner is told about an answer that is typed: how it is compared, and what the key is."""

from __future__ import annotations

from quizapp.catalogue.content import NumericContent, OutputContent, TextContent, TypedContent
from quizapp.catalogue.question_tables import bounds
from quizapp.catalogue.typed import shown_number


def compared(content: TypedContent) -> str:
    """The rule by which what is typed is compared with the key, in a sentence or two."""
    if isinstance(content, NumericContent):
        _, tolerance = bounds(content)
        if content.digits is not None:
            unit = "digit" if content.digits == 1 else "digits"
            within = f"up to {shown_number(tolerance)} more or less is right"
            return f"To {content.digits} significant {unit}: {within}."
        if tolerance:
            return f"Up to {shown_number(tolerance)} more or less is right."
        return "The exact number is asked for."
    if isinstance(content, OutputContent):
        return "Line by line, as it is printed. Blanks at the end of a line do not count."
    case = "capital letters count" if content.case else "capital letters do not count"
    return f"Blanks are counted once, and {case}."


def key_shown(content: TypedContent) -> str:
    """The key as it is shown after an answer."""
    if isinstance(content, NumericContent):
        key, _ = bounds(content)
        return f"{shown_number(key)} {content.unit}".strip()
    if isinstance(content, TextContent):
        return " or ".join(content.answers)
    return content.output
