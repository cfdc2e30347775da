"""Postal codes."""

from __future__ import annotations

import re

from veracity.data.fields.plain_text import is_readable, visible, word_set

LONGEST_CODE = 20
#: Letters that stand before the codes of these countries, as on envelopes.
PREFIXES = word_set(
    "A AT B BE CH CZ D DE DK E ES F FI FIN FR H HU I IT L LU LT LV N NL NO P PL PT RO S SE SI "
    "SK SL US USA"
)
_PREFIXED = re.compile(r"([A-Z]{1,3})[- ]+(\d[\d -]*)", re.ASCII)
_CODE = re.compile(r"[A-Z0-9]{3,12}", re.ASCII)
#: How many digits a code can have that lost its leading zeros.
FEWEST_DIGITS = 3


def canonical_postal(text: str, digits: str | None = None) -> str | None:
    """Return a postal code in capitals, without spaces, hyphens and country.

    `digits` is how many a code has, such as ``5``: zeros that a spreadsheet took away come back.

    >>> texts = ("sw1a 1aa", "SW1A1AA", "CH-8001", "8001")
    >>> [canonical_postal(text) for text in texts]
    ['SW1A1AA', 'SW1A1AA', '8001', '8001']
    >>> canonical_postal("2134", "5"), canonical_postal("2134"), canonical_postal("2134.0")
    ('02134', '2134', '2134')
    """
    if not is_readable(text, LONGEST_CODE):
        return None
    bare = " ".join(visible(text).upper().split())
    if bare.endswith(".0"):  # a number to the spreadsheet
        bare = bare[:-2]
    prefixed = _PREFIXED.fullmatch(bare)
    if prefixed is not None and prefixed[1] in PREFIXES:
        bare = prefixed[2]
    code = bare.replace(" ", "").replace("-", "")
    if not _CODE.fullmatch(code) or not any(sign.isdigit() for sign in code):
        return None
    if digits is not None and code.isdigit() and len(code) >= FEWEST_DIGITS:
        code = code.zfill(int(digits))
    return code


def lengths_with_zero(text: str) -> str | None:
    """Return how many digits a code has that begins with a zero, None for any other.

    >>> lengths_with_zero("02134"), lengths_with_zero("8001")
    ('5', None)
    """
    code = canonical_postal(text)
    return str(len(code)) if code and code.isdigit() and code.startswith("0") else None
