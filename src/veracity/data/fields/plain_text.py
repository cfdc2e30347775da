"""Text brought down to what is compared, and the texts that no field can read."""

from __future__ import annotations

import unicodedata

#: Longer texts are none of the short things that fields are.
LONGEST = 200


def is_readable(text: str, longest: int = LONGEST) -> bool:
    """Whether a text is short enough and has no control characters or lone surrogates.

    >>> [is_readable(text) for text in ("Z\u00fcrich", "a\\x00b", "x" * 1000, "  ")]
    [True, False, False, False]
    """
    if len(text) > longest or not text.strip():
        return False
    return text.isprintable() or not any(
        unicodedata.category(sign) in ("Cc", "Cs", "Co", "Cn") and sign not in "\t\n\r"
        for sign in text
    )


def word_set(words: str) -> frozenset[str]:
    """Return the words of a list that is written as text."""
    return frozenset(words.split())


def visible(text: str) -> str:
    """Return a text without signs that cannot be seen, such as marks of direction.

    >>> visible("\u202a+41 44\u202c")
    '+41 44'
    """
    if text.isascii():
        return text
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")


def without_marks(text: str) -> str:
    """Return a text in lower case and without diacritics.

    >>> without_marks("Stra\u00dfe, \u00c5rhus, \u0141\u00f3d\u017a")
    'strasse, arhus, lodz'
    """
    folded = unicodedata.normalize("NFKD", text.casefold()).casefold()
    bare = "".join(sign for sign in folded if not unicodedata.combining(sign))
    return unicodedata.normalize("NFKC", bare.translate(_STROKES)).casefold()


#: Letters with a stroke, which Unicode does not take apart.
_STROKES = str.maketrans({"\u0142": "l", "\u00f8": "o", "\u0111": "d", "\u0131": "i"})


def words_of(text: str) -> list[str]:
    """Split a text without marks into words of letters and digits.

    Apostrophes and dots join what is around them: ``o'neill``, ``i.b.m.``.
    """
    kept = []
    for sign in without_marks(text):
        if sign.isalnum():
            kept.append(sign)
        elif sign not in _JOINING:
            kept.append(" ")
    return "".join(kept).split()


_JOINING = frozenset("'.\u2019\u2018\u02bc`\u00b4")
