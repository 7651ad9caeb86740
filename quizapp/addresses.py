"""How this installation is reached."""

from __future__ import annotations

import ipaddress

from quizapp.config import Settings


def local_address(settings: Settings) -> str:
    """The address at which a browser on this machine finds us, without a slash at its end."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the host by that name or address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
