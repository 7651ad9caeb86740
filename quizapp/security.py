"""What every answer carries: the content policy and its nonce, the other headers, careful cookies, CSRF."""

from __future__ import annotations

import secrets

from flask import Flask, Response, g, request, session
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from flask_wtf.csrf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix

from quizapp.config import Settings

MAX_REQUEST_BYTES = (
    256 * 1024
)  # an answer is text typed by a person; the longest source that is graded is 64 KiB
SESSION_SECONDS = 30 * 24 * 3600

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: behind https the CSRF check reads the Referer. One-time links never leave this origin.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": (
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(),"
        " microphone=(), midi=(), payment=(), usb=()"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class _CarefulCookies(SecureCookieSessionInterface):
    """The session cookie is Secure exactly where the request came by https: http on a laptop works too."""

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        # A static file is the same for everybody, whatever looked into the session on the way.
        if request.endpoint != "static":
            super().save_session(app, session, response)


def init_app(app: Flask, settings: Settings) -> None:
    """Put all of it onto the app."""
    app.config.update(
        SECRET_KEY=settings.secret_key,
        MAX_CONTENT_LENGTH=MAX_REQUEST_BYTES,
        MAX_FORM_MEMORY_SIZE=MAX_REQUEST_BYTES,
        SESSION_COOKIE_NAME="session",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=SESSION_SECONDS,
        # Otherwise every answer sets the cookie again, also those of static files, which anyone may cache.
        SESSION_REFRESH_EACH_REQUEST=False,
        # A token lives as long as its session: whoever thinks for two hours can still send the answer.
        WTF_CSRF_TIME_LIMIT=None,
        TESTING=settings.testing,
    )
    app.session_interface = _CarefulCookies()
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        # Port and prefix are not asked for: docs/operating.md has no proxy set them, so a learner could.
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops, x_port=0, x_prefix=0
        )
    app.jinja_env.globals["csp_nonce"] = csp_nonce
    CSRFProtect(app)
    app.after_request(_finish)


def csp_nonce() -> str:
    """This answer's nonce, for the style element that the editor adds."""
    if "csp_nonce" not in g:
        g.csp_nonce = secrets.token_urlsafe(18)
    nonce: str = g.csp_nonce
    return nonce


def content_policy(nonce: str) -> str:
    """The Content-Security-Policy: our own files and, inline, only styles that know the nonce."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            f"style-src 'self' 'nonce-{nonce}'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "font-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


def _finish(response: Response) -> Response:
    response.headers.setdefault("Content-Security-Policy", content_policy(csp_nonce()))
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint == "static":
        return response
    if session.modified and not session.permanent:
        session.permanent = True  # a browser that is closed and opened again keeps its forms valid
    if "Cache-Control" not in response.headers:
        # A page of somebody we know must not be found in a cache by the next one at the same machine. Others
        # may be kept but have to be asked for again, since they carry a token.
        known = g.get("person") is not None or request.blueprint == "accounts"
        response.headers["Cache-Control"] = "no-store" if known else "private, no-cache"
    return response
