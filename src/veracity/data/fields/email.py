"""E-mail addresses."""

from __future__ import annotations

from veracity.data.fields.plain_text import is_readable, visible

#: The longest address that can receive mail.
LONGEST_ADDRESS = 254
#: What an address cannot have outside quotes, which hardly anybody writes.
_FORBIDDEN = frozenset('()<>[]:;,\\"@')


def canonical_email(text: str) -> str | None:
    """Return an address in lower case, without ``mailto:`` and the name before it.

    Dots and tags (``ann.lee``, ``ann+news``) stay: to most hosts they are other addresses.

    >>> texts = ("Ann Lee <Ann@Example.org>", "mailto:ann@example.org", "ann at example.org")
    >>> [canonical_email(text) for text in texts]
    ['ann@example.org', 'ann@example.org', None]
    """
    if not is_readable(text, 2 * LONGEST_ADDRESS):
        return None
    bare = visible(text).strip()
    if bare.endswith(">") and bare.count("<") == 1:
        bare = bare[bare.index("<") + 1 : -1].strip()
    if bare[:7].casefold() == "mailto:":
        bare = bare[7:].strip()
    local, sign, host = bare.lower().rpartition("@")
    host = host.removesuffix(".")
    if not sign or not _is_local(local) or not is_host(host):
        return None
    return f"{local}@{host}" if len(local) + len(host) < LONGEST_ADDRESS else None


def _is_local(local: str) -> bool:
    return bool(local) and not any(sign in _FORBIDDEN or sign.isspace() for sign in local)


def is_host(host: str) -> bool:
    """Whether a text in lower case is the name of a host with a top-level domain.

    >>> [is_host(host) for host in ("example.org", "m\u00fcnchen.de", "localhost", "1.5", "a..b")]
    [True, True, False, False, False]
    """
    labels = host.split(".")
    if len(labels) < 2 or len(host) > 253:
        return False
    return _is_top(labels[-1]) and all(_is_label(label) for label in labels)


def _is_label(label: str) -> bool:
    inner = label.replace("-", "").replace("_", "")
    return inner.isalnum() and label[0] != "-" != label[-1] and len(label) <= 63


def _is_top(label: str) -> bool:
    return len(label) >= 2 and (label.isalpha() or label.startswith("xn--"))
