"""Canonical forms of values: two values are the same if their forms are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from veracity.data.fields.registry import FIELDS
from veracity.data.read.settings import Comparison, Settings

GROUPED = re.compile(r"[+-]?\d{1,3}([,_'\u00a0\u202f ])\d{3}(\1\d{3})*(\.\d+)?")
#: A decimal comma: 12,5 and 1.234,56, and 0,125, which cannot be thousands.
COMMA = re.compile(r"[+-]?(0,\d+|(\d+|\d{1,3}(\.\d{3})+),\d{1,2})")
#: Numbers in their plain form: no leading zeros, plus sign, exponent or separator.
PLAIN_NUMBER = "^-?(0|[1-9][0-9]*)([.][0-9]+)?$"
PLAIN_DECIMAL = "^-?(0|[1-9][0-9]*)[.][0-9]+$"
_PLAIN_NUMBER = re.compile(PLAIN_NUMBER)


def canonical_number(text: str) -> str | None:
    """Return the plain decimal form of a number, or None if the text is not one.

    A comma is taken for a separator of thousands where it can be one, else for that of decimals.

    >>> [canonical_number(text) for text in ("1,000", "1000.0", " 1e3", "1000", "about 7")]
    ['1000', '1000', '1000', '1000', None]
    >>> [canonical_number(text) for text in ("12,5", "1.234,56", "0,125", "-3,25", "1,2,3")]
    ['12.5', '1234.56', '0.125', '-3.25', None]
    """
    bare = text.strip().replace("\u2212", "-")
    if GROUPED.fullmatch(bare) and not bare.lstrip("+-").startswith("0"):
        bare = re.sub(r"[,_'\u00a0\u202f ]", "", bare)
    elif COMMA.fullmatch(bare):
        bare = bare.replace(".", "").replace(",", ".")
    try:
        number = Decimal(bare)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > 300:
        return None
    return format(number.normalize() + 0, "f")  # + 0 turns -0 into 0


def canonical_decimal(text: str) -> str | None:
    """Return a plain number without needless zeros, or None if the text is none.

    Leading zeros, plus signs, exponents and separators may mean something: codes, not quantities.

    >>> [canonical_decimal(text) for text in ("10", "10.0", "10.50", "-0.0", "007", "1e3", "B12")]
    ['10', '10', '10.5', '0', None, None, None]
    """
    if not _PLAIN_NUMBER.match(text) or text.endswith("\n"):
        return None
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


_COMPARISONS: dict[Comparison, Callable[[str], str | None]] = {
    "text": lambda text: text,
    "number": canonical_number,
    "decimal": canonical_decimal,
    "ordered": canonical_decimal,
}


class ValueForms:
    """The canonical forms asked for, as one function from attribute and text to a key.

    Two values of an attribute are the same if their keys are.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def change_anything(self) -> bool:
        """Whether any value could have a key other than its own text."""
        settings = self._settings
        if settings.strip or settings.casefold or settings.unicode or settings.canonical:
            return True
        return any((said.values or "text") != "text" for said in settings.attributes.values())

    def key(self, attribute: str, text: str, notation: str | None = None) -> str:
        """Return the form in which a value is compared.

        `notation` is that of who claims it; by default, that of most sources.
        """
        settings = self._settings
        comparison = self.comparison(attribute)
        compared = self._read(attribute, comparison, text, notation)
        if compared is not None and comparison != "text":
            return compared
        if settings.unicode:
            text = unicodedata.normalize(settings.unicode, text)
        if settings.strip:
            text = " ".join(text.split())
        if settings.casefold:
            text = text.casefold()
        return settings.canonical(text) if settings.canonical else text

    def comparison(self, attribute: str) -> Comparison:
        """Return how the values of an attribute are compared."""
        return self._settings.for_attribute(attribute).values or "text"

    def unreadable(self, attribute: str, text: str, notation: str | None = None) -> bool:
        """Whether a value is not what the attribute was declared to be, and stays text."""
        comparison = self.comparison(attribute)
        if comparison in ("text", "decimal", "ordered"):
            return False
        return self._read(attribute, comparison, text, notation) is None

    def _read(
        self, attribute: str, comparison: Comparison, text: str, notation: str | None
    ) -> str | None:
        """Return a value in its canonical form, None if it has none."""
        field = FIELDS.get(comparison)
        if field is None:
            return _COMPARISONS[comparison](text)
        rule = self._settings.for_attribute(attribute).rule
        return field.read(text, notation or rule.default, rule)
