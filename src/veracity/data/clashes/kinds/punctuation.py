"""Punctuation, blanks and accents: what is left of a text without them."""

from __future__ import annotations

import re
import unicodedata

from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.transformation import Proposals, Respelling, unchanged

_BLANKS = re.compile(r"\s+")
_MARKS = re.compile(r"[\W_]+")


def without_blanks(text: str) -> str:
    """Return a text without blanks."""
    return _BLANKS.sub("", text)


def letters_and_digits(text: str) -> str | None:
    """Return the letters and digits of a text, in lower case; None if it has none."""
    return _MARKS.sub("", text.casefold()) or None


def without_accents(text: str) -> str:
    """Return a text without the accents on its letters.

    >>> without_accents("Zürich"), without_accents("Łódź")
    ('Zurich', 'Łodz')
    """
    parts = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def punctuation(pairs: Pairs) -> Proposals:
    """Propose to compare without blanks, accents or punctuation."""
    ways = (
        ("without blanks", "sets blanks differently", "ignore blanks", without_blanks),
        ("without accents", "writes accents differently", "ignore accents", without_accents),
        (
            "letters and digits only",
            "sets punctuation differently",
            "compare letters and digits only, in any case",
            letters_and_digits,
        ),
    )
    for name, says, remedy, read in ways:
        is_vague = read is letters_and_digits
        yield Respelling(
            "text", name, says, remedy, unchanged, True, is_vague, read=read, read_others=read
        )
