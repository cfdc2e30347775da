"""Web addresses."""

from __future__ import annotations

from urllib.parse import urlsplit

from veracity.data.fields.email import is_host
from veracity.data.fields.plain_text import is_readable, visible, word_set

LONGEST_URL = 2_000
#: Parameters that say where a visitor came from, and nothing about the page.
TRACKING = word_set(
    "gclid gbraid wbraid dclid fbclid msclkid yclid twclid igshid mc_cid mc_eid _ga _gl "
    "_hsenc _hsmi vero_id oly_anon_id"
)
TRACKING_PREFIXES = ("utm_",)
DEFAULT_PORTS = {"http": "80", "https": "443", "": ""}


def canonical_url(text: str) -> str | None:
    """Return an address without scheme, ``www.``, default port, tracking and last slash.

    The case of the path and the order of parameters stay, as pages may depend on them.

    >>> texts = ("https://www.Example.org:443/a/?utm_source=x", "example.org/a", "an example")
    >>> [canonical_url(text) for text in texts]
    ['example.org/a', 'example.org/a', None]
    """
    bare = visible(text).strip()
    if not is_readable(bare, LONGEST_URL) or any(sign.isspace() for sign in bare):
        return None
    scheme, sign, rest = bare.partition("://")
    scheme = scheme.lower() if sign else ""
    if scheme not in DEFAULT_PORTS:
        return None
    try:
        parts = urlsplit("//" + (rest if sign else bare))
    except ValueError:
        return None
    host = _host(parts.netloc, DEFAULT_PORTS[scheme])
    if host is None:
        return None
    query = "&".join(kept for kept in parts.query.split("&") if kept and not _is_tracking(kept))
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return f"{host}{parts.path.rstrip('/')}{'?' if query else ''}{query}{fragment}"


def _host(netloc: str, default_port: str) -> str | None:
    """Return host and port, None if the text does not name a host."""
    host, _, port = netloc.lower().partition(":")
    host = host.removesuffix(".")
    if not is_host(host) or not (port == "" or (port.isascii() and port.isdigit())):
        return None
    while host.startswith("www.") and is_host(host[4:]):
        host = host[4:]
    return host if port in ("", default_port) else f"{host}:{port}"


def _is_tracking(parameter: str) -> bool:
    name = parameter.partition("=")[0].lower()
    return name in TRACKING or name.startswith(TRACKING_PREFIXES)
