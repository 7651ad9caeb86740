"""Static files that may be cached for a year: their address carries a hash of their content."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from flask import Flask, Response, request

_YEAR = 365 * 24 * 3600


class Versions:
    """Content hashes of the files in one folder, read again when a file has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, tuple[int, int, str]] = {}  # by file name: mtime in ns, bytes, hash

    def of(self, filename: str) -> str | None:
        """Twelve hexadecimal digits of the file's SHA-256, or None if there is no such file."""
        path = self._folder / filename
        try:
            stat = path.stat()
            known = self._known.get(filename)
            if known is None or known[:2] != (stat.st_mtime_ns, stat.st_size):
                digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
                known = (stat.st_mtime_ns, stat.st_size, digest)
                self._known[filename] = known
        except OSError:
            return None
        return known[2]


def init_app(app: Flask) -> None:
    """Add ?v=<hash> to url_for("static", ...) and let browsers keep what is asked for by its right hash."""
    versions = Versions(Path(app.static_folder or ""))

    def add_version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static" and "v" not in values:
            version = versions.of(values.get("filename", ""))
            if version is not None:
                values["v"] = version

    def cache(response: Response) -> Response:
        if request.endpoint != "static":
            return response
        filename = (request.view_args or {}).get("filename", "")
        asked = request.args.get("v")
        if response.status_code in {200, 206, 304} and asked and asked == versions.of(filename):
            response.headers["Cache-Control"] = f"public, max-age={_YEAR}, immutable"
        else:  # a module that another one imports has no hash in its address: its ETag is asked for each time
            response.headers["Cache-Control"] = "no-cache"
        return response

    app.url_defaults(add_version)
    app.after_request(cache)
