"""The headers that every answer carries: what a browser may do with it."""

from __future__ import annotations

DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
POLICY = "Content-Security-Policy"


def policy_of(content_type: str) -> str:
    """Return what an answer of a type may load and run: a page our own files, data nothing."""
    return PAGE_POLICY if content_type.startswith("text/html") else DATA_POLICY
