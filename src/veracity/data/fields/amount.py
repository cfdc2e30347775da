"""Amounts: numbers with a currency, a unit or a magnitude, and a decimal point or comma."""

from __future__ import annotations

import re
import unicodedata
from decimal import Context, Decimal
from typing import Literal, NamedTuple

from veracity.data.fields.plain_text import is_readable, visible, word_set

DecimalSign = Literal["point", "comma"]
DECIMAL_SIGNS: tuple[DecimalSign, ...] = ("point", "comma")
LONGEST_AMOUNT = 80
#: Exact for every number that an amount can have.
_EXACT = Context(prec=2 * LONGEST_AMOUNT)

_PARTS = re.compile(
    r"(?P<before>[^\d+\-.,]*)(?P<sign>[+-]?)(?P<between>[^\d+\-.,]*)"
    r"(?P<number>[.,]?\d[\d.,'_ ]*(?:e[+-]?\d{1,3}(?![\d.,]))?)(?P<after>[^\d]*)",
    re.ASCII | re.IGNORECASE,
)
_GROUPS = {
    "point": re.compile(
        r"\d{1,3}(?:([,'_ ])\d{3}(?:\1\d{3})*)?|\d{1,2}(?:,\d{2})+,\d{3}", re.ASCII
    ),
    "comma": re.compile(r"\d{1,3}(?:([.'_ ])\d{3}(?:\1\d{3})*)?", re.ASCII),
}
_WORD = re.compile(
    r"[^\W\d_]+\.?|[%\u2030$\u20ac\u00a3\u00a5\u20b9\u20a9\u20bd\u20ba\u0e3f/\u00b0\u00b2\u00b3]"
)

MAGNITUDES = {
    "k": 3, "thousand": 3, "thousands": 3, "tsd": 3, "tausend": 3, "mille": 3, "mil": 3,
    "mio": 6, "million": 6, "millions": 6, "millionen": 6, "mn": 6, "mln": 6, "millones": 6,
    "milliard": 9, "milliards": 9, "milliarden": 9, "mrd": 9, "mld": 9, "mia": 9,
    "bn": 9, "bln": 9, "billion": 9, "billions": 9,
    "tn": 12, "trn": 12, "trillion": 12, "trillions": 12,
    "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7,
}  # fmt: skip
#: Letters that mean a magnitude in this case only, or only beside a currency.
CAPITALS = {"M": 6, "B": 9, "K": 3}
WITH_CURRENCY = {"m": 6, "b": 9, "mm": 6, "t": 12}
CURRENCY_SIGNS = {
    "$": "USD", "us$": "USD", "\u20ac": "EUR", "\u00a3": "GBP", "\u20b9": "INR", "\u20a9": "KRW",
    "\u20bd": "RUB", "\u20ba": "TRY", "\u0e3f": "THB", "\u00a5": "\u00a5", "a$": "AUD",
    "c$": "CAD", "nz$": "NZD", "hk$": "HKD", "s$": "SGD", "r$": "BRL", "sfr": "CHF", "fr": "CHF",
    "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD",
}  # fmt: skip
CURRENCIES = word_set(
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY "
    "KRW KZT MAD MXN MYR NGN NOK NZD PEN PHP PLN QAR RON RUB SAR SEK SGD THB TRY TWD UAH USD "
    "VND ZAR"
)
#: Units that are exact multiples of one another, as (base, power of ten).
UNITS = {
    "mm": ("m", -3), "cm": ("m", -2), "m": ("m", 0), "km": ("m", 3),
    "metre": ("m", 0), "metres": ("m", 0), "meter": ("m", 0), "meters": ("m", 0),
    "kilometre": ("m", 3), "kilometres": ("m", 3), "kilometer": ("m", 3), "kilometers": ("m", 3),
    "mg": ("kg", -6), "g": ("kg", -3), "kg": ("kg", 0), "t": ("kg", 3),
    "gram": ("kg", -3), "grams": ("kg", -3), "kilogram": ("kg", 0), "kilograms": ("kg", 0),
    "tonne": ("kg", 3), "tonnes": ("kg", 3),
    "ml": ("l", -3), "cl": ("l", -2), "dl": ("l", -1), "l": ("l", 0),
    "litre": ("l", 0), "litres": ("l", 0), "liter": ("l", 0), "liters": ("l", 0),
    "%": ("%", 0), "percent": ("%", 0), "pct": ("%", 0), "prozent": ("%", 0),
}  # fmt: skip


class Amount(NamedTuple):
    """A number with its unit or currency; the unit is empty if none is written."""

    number: Decimal
    unit: str

    def __str__(self) -> str:
        plain = format(self.number.normalize(_EXACT) + 0, "f")
        whole, point, decimals = plain.partition(".")
        if len(decimals) == 3:  # one more zero: 1.234 could be a thousand in another source
            plain = f"{whole}{point}{decimals}0"
        return f"{plain} {self.unit}".strip()


def canonical_amount(
    text: str, decimal_sign: str | None = None, unit: str | None = None
) -> str | None:
    """Return an amount as a plain number and its unit, None if it cannot be read in one way only.

    Parameters
    ----------
    text
        The amount.
    decimal_sign
        ``point`` or ``comma``: how to read 1,234 and 1.234, which could be either.
    unit
        The unit of amounts that are written without one.

    >>> [canonical_amount(text) for text in ("USD 1.2 million", "$1,200,000", "1,2 Mio", "12 %")]
    ['1200000 USD', '1200000 USD', '1200000', '12 %']
    >>> canonical_amount("1,234"), canonical_amount("1,234", "point"), canonical_amount("7 to 9")
    (None, '1234', None)
    """
    found = read_amount(text, decimal_sign)
    if found is None:
        return None
    return str(found._replace(unit=found.unit or unit or ""))


def read_amount(text: str, decimal_sign: str | None = None) -> Amount | None:
    """Return the number and the unit of an amount; see `canonical_amount`."""
    parts = _parts(text)
    if parts is None:
        return None
    number = _one_of(
        _number(parts["number"], "point"), _number(parts["number"], "comma"), decimal_sign
    )
    before = _bare_words(f"{parts['before']} {parts['between']}")
    if any(_currency(word) is None for word in before):  # about 7, up to 7, at least 7
        return None
    scaled = _unit_and_power([*before, *_bare_words(parts["after"])])
    if number is None or scaled is None:
        return None
    unit, power = scaled
    negative = parts["sign"] == "-"
    return Amount((-number if negative else number).scaleb(power, _EXACT), unit)


def proven_decimal_sign(text: str) -> DecimalSign | None:
    """Return the sign before decimals that an amount proves, None if it proves none.

    >>> [proven_decimal_sign(text) for text in ("1,50", "1,200,000", "1.2M", "1,234", "12")]
    ['comma', 'point', 'point', None, None]
    """
    parts = _parts(text)
    if parts is None:
        return None
    as_point, as_comma = (_number(parts["number"], sign) for sign in DECIMAL_SIGNS)
    if (as_point is None) == (as_comma is None):
        return None
    return "comma" if as_point is None else "point"


def _parts(text: str) -> dict[str, str] | None:
    """Split an amount into what stands before the number, the number and what follows it."""
    if not is_readable(text, LONGEST_AMOUNT):
        return None
    bare = (
        unicodedata.normalize("NFKC", visible(text)).replace("\u2212", "-").replace("\u2019", "'")
    )
    bare = " ".join(bare.split())
    if bare.endswith((".-", ".\u2013", ",-")):  # 12.- as in Switzerland
        bare = bare[:-2]
    found = _PARTS.fullmatch(bare)
    if found is None:
        return None
    parts = found.groupdict()
    number = parts["number"].rstrip(" ")
    parts["number"], ended = number.rstrip(".,'_"), number
    around = f"{parts['before']} {parts['between']} {parts['after']}"
    if ended != parts["number"] or _WORD.sub("", around).strip():
        return None
    return parts


def _number(text: str, sign: str) -> Decimal | None:
    """Read a number whose decimals come after a point or a comma."""
    mark = "." if sign == "point" else ","
    text, exponent = (*re.split("e", text, maxsplit=1, flags=re.IGNORECASE), "")[:2]
    whole, _, decimals = text.partition(mark)
    if mark in text and not (decimals.isascii() and decimals.isdigit()):
        return None
    if whole and not (whole.isascii() and whole.isdigit()):
        if not _GROUPS[sign].fullmatch(whole) or whole.startswith("0"):
            return None
        whole = re.sub(r"[.,'_ ]", "", whole)
    return Decimal(f"{whole or '0'}.{decimals or '0'}E{exponent or '0'}")


def _one_of(
    as_point: Decimal | None, as_comma: Decimal | None, decimal_sign: str | None
) -> Decimal | None:
    """Return the only reading, else that of the decimal sign."""
    if as_point is None or as_comma is None or as_point == as_comma:
        return as_comma if as_point is None else as_point
    return {"point": as_point, "comma": as_comma}.get(decimal_sign or "")


def _unit_and_power(words: list[str]) -> tuple[str, int] | None:
    """Return the unit that words name, and the power of ten of their magnitudes."""
    currencies = [name for word in words if (name := _currency(word)) is not None]
    rest = [word for word in words if _currency(word) is None]
    power, units = 0, []
    for word in rest:
        size = _magnitude(word, bool(currencies))
        if size is None:
            units.append(word)
        else:
            power += size
    if len(currencies) + (1 if units else 0) > 1 or len(units) > 3 or len(rest) - len(units) > 1:
        return None
    if not units:
        return (currencies[0] if currencies else ""), power
    name = " ".join(units)
    base, factor = UNITS.get(name) or UNITS.get(name.casefold(), (name.casefold(), 0))
    return base, power + factor


def _bare_words(text: str) -> list[str]:
    """Return the words of a text; the letters before a dollar sign belong to it, as in US $."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if word == "$" and found and f"{found[-1]}$".lower() in CURRENCY_SIGNS:
            found[-1] += "$"
        else:
            found.append(word.rstrip("."))
    return found


def _currency(word: str) -> str | None:
    return word.upper() if word.upper() in CURRENCIES else CURRENCY_SIGNS.get(word.lower())


def _magnitude(word: str, has_currency: bool) -> int | None:
    if word in CAPITALS:
        return CAPITALS[word]
    if has_currency and word.lower() in WITH_CURRENCY:
        return WITH_CURRENCY[word.lower()]
    return MAGNITUDES.get(word.lower())
