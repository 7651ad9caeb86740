"""Error pages: what happened, whose it is, what to do next."""

from __future__ import annotations

import secrets

from flask import Flask, Response, current_app, make_response, render_template, request
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, InternalServerError

from quizapp.db import session
from quizapp.security import MAX_REQUEST_BYTES

_PLAIN = """<!doctype html><html lang="en"><title>Something broke on our side</title>
<h1>Something broke on our side</h1><p>What you sent before is kept. Please try again in a minute.</p>"""

# By status code: title, message, next step.
_WORDS = {
    400: (
        "We could not read that",
        "What your browser sent was not complete.",
        "Go back, reload the page and send it again.",
    ),
    403: ("This is not yours to change", "You may see this page, but not do this.", "Ask your teacher."),
    404: (
        "There is nothing here",
        "The address is wrong, or what was here is not for this account.",
        "Check the address, sign in if you have an account, or start again from the first page.",
    ),
    405: (
        "That does not work this way",
        "This address takes what a form sends; it cannot be opened like a page.",
        "Go back and use the button on the page.",
    ),
    413: (
        "That is too much to send",
        f"One answer may have {MAX_REQUEST_BYTES // 1024} KiB. Nothing of this one was stored.",
        "Go back: your text is still in the form. Shorten it and send it again.",
    ),
    429: (
        "That was too much at once",
        "So many requests came from you that this one was not handled.",
        "Wait a minute, then go back and try again.",
    ),
    500: (
        "Something broke on our side",
        "This was our fault, not yours, and it does not count against you. What you sent before is kept.",
        "Try again in a minute. If it stays so, tell your teacher the number below.",
    ),
}
_STALE = (
    "This page was too old to send",
    "The form belonged to a session that has ended: you signed out in another tab, or the page was open for"
    " weeks. Nothing was stored.",
    "Copy what you typed, open the page again, and send it from there.",
)


def init_app(app: Flask) -> None:
    """Answer every error with a page of ours."""
    app.register_error_handler(CSRFError, _stale_form)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(InternalServerError, _our_fault)


def _page(status: int, words: tuple[str, str, str], *, kept: str = "", error_id: str = "") -> Response:
    """Render templates/errors/error.html, which gets status, title, message, next_step, kept and error_id.

    kept: long text that was typed into the form that failed. error_id: what the log has it under; only if the
    fault is ours.
    """
    title, message, next_step = words
    page = render_template(
        "errors/error.html",
        status=status,
        title=title,
        message=message,
        next_step=next_step,
        kept=kept,
        error_id=error_id,
    )
    response = make_response(page, status)
    if "HX-Request" in request.headers:
        # htmx puts error pages in too: of this one only the content, into the place that the form names; the
        # form stays, with what was typed.
        response.headers["HX-Reselect"] = "#main > *"
        response.headers["HX-Reswap"] = "innerHTML"
        response.vary.add("HX-Request")
    return response


def _http_error(error: HTTPException) -> ResponseReturnValue:
    if error.response is not None:
        return error.response
    status = error.code or 500
    if status < 400:
        return error
    words = _WORDS.get(status) or (error.name, "The server could not do that.", "Go back and try again.")
    response = _page(status, words)
    for name, value in error.get_headers():
        if name.lower() not in {"content-type", "content-length"}:  # Allow with 405, Retry-After with 429
            response.headers[name] = value
    return response


def _stale_form(error: CSRFError) -> ResponseReturnValue:
    # Nothing that was typed is lost: a long text is given back on the page that says why it was not stored.
    kept = request.form.get("source") or request.form.get("text") or ""
    return _page(400, _STALE, kept=kept)


def _our_fault(error: InternalServerError) -> ResponseReturnValue:
    error_id = secrets.token_hex(4)
    cause = error.original_exception
    # The rule and not the path: the path of a one-time link is a secret.
    current_app.logger.error("error %s: %s %s", error_id, request.method, request.url_rule, exc_info=cause)
    try:
        session().rollback()
        return _page(500, _WORDS[500], error_id=error_id)
    except Exception:  # the page itself may be what is broken
        current_app.logger.exception("error %s: no page for it either", error_id)
        return _PLAIN, 500
