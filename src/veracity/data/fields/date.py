"""Dates, written in numbers or with the name of the month, and the order of day and month."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Literal

from veracity.data.fields.plain_text import is_readable, visible, without_marks, word_set

Order = Literal["dmy", "mdy"]
ORDERS: tuple[Order, ...] = ("dmy", "mdy")

#: Day and month in any order, year last; dots always mean day, month, year.
_NUMBERS = re.compile(r"(\d{1,2})([/.\-])(\d{1,2})\2(\d{4}|\d{2})", re.ASCII)
_YEAR_FIRST = re.compile(r"(\d{4})([/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_WORDS = re.compile(r"[^\W\d_]+|\d+", re.ASCII)
_ORDINAL = re.compile(r"(\d)(?:st|nd|rd|th|er|\.)(?![a-z0-9])")
#: Two digits of a year mean 1969 to 2068, as in C and POSIX.
_LAST_CENTURY = 69

_MONTHS = (
    ("january", "januar", "janvier", "enero", "gennaio", "janeiro", "januari", "jan"),
    ("february", "februar", "fevrier", "febrero", "febbraio", "fevereiro", "februari", "feb"),
    ("march", "marz", "mars", "marzo", "marco", "maart", "mar"),
    ("april", "avril", "abril", "aprile", "apr"),
    ("may", "mai", "mayo", "maggio", "maio", "mei"),
    ("june", "juni", "juin", "junio", "giugno", "junho", "jun"),
    ("july", "juli", "juillet", "julio", "luglio", "julho", "jul"),
    ("august", "aout", "agosto", "augustus", "aug"),
    ("september", "septembre", "septiembre", "settembre", "setembro", "sept", "sep"),
    ("october", "oktober", "octobre", "octubre", "ottobre", "outubro", "oct", "okt"),
    ("november", "novembre", "noviembre", "novembro", "nov"),
    ("december", "dezember", "decembre", "diciembre", "dicembre", "dezembro", "dec", "dez"),
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
#: Words beside a date that do not change it.
_FILLERS = word_set(
    "the of de del den di le monday tuesday wednesday thursday friday saturday sunday mon tue "
    "tues wed thu thur thurs fri sat sun montag dienstag mittwoch donnerstag freitag samstag "
    "sonntag"
)


def canonical_date(text: str, order: str | None = None) -> str | None:
    """Return the ISO form of a date or time, or None if it cannot be read in one way only.

    `order` says how to read days and months that could be either: ``dmy`` or ``mdy``.

    >>> [canonical_date(text) for text in ("2006-01-02", "2 January 2006", "02.01.2006", "1/2/06")]
    ['2006-01-02', '2006-01-02', '2006-01-02', None]
    >>> [canonical_date("1/2/2006", order) for order in ("dmy", "mdy")]
    ['2006-02-01', '2006-01-02']
    >>> canonical_date("25/03/2020"), canonical_date("25/03/2020", "mdy")
    ('2020-03-25', '2020-03-25')
    """
    if not is_readable(text):
        return None
    bare = " ".join(visible(text).split())
    try:
        return _written(datetime.fromisoformat(bare))
    except ValueError:
        pass
    if (day := _day(bare, order)) is not None:
        return day.isoformat()
    before, _, clock = bare.rpartition(" ")
    try:
        hour = time.fromisoformat(clock) if ":" in clock else None
    except ValueError:
        return None
    if hour is None or (day := _day(before.rstrip(","), order)) is None:
        return None
    return _written(datetime.combine(day, hour))


def proven_order(text: str) -> Order | None:
    """Return the order of day and month that a date proves, None if it proves none.

    >>> [proven_order(text) for text in ("25/03/2020", "03/25/2020", "03/04/2020", "2020-03-25")]
    ['dmy', 'mdy', None, None]
    """
    found = _NUMBERS.match(" ".join(text.split())) if is_readable(text) else None
    if found is None or found[2] == "." or canonical_date(text) is None:
        return None
    first, second = int(found[1]), int(found[3])
    if first == second:
        return None
    return "dmy" if first > 12 else "mdy"


def _written(moment: datetime) -> str:
    midnight = moment.time() == time.min and moment.tzinfo is None
    return moment.date().isoformat() if midnight else moment.isoformat()


def _day(text: str, order: str | None) -> date | None:
    if found := _NUMBERS.fullmatch(text):
        first, second, year = int(found[1]), int(found[3]), _year(found[4])
        if found[2] == ".":
            return _valid(year, second, first)
        return _one_of(_valid(year, second, first), _valid(year, first, second), order)
    if found := _YEAR_FIRST.fullmatch(text):
        return _valid(int(found[1]), int(found[3]), int(found[4]))
    return _named_month(text)


def _one_of(as_dmy: date | None, as_mdy: date | None, order: str | None) -> date | None:
    """Return the only reading, else that of the order."""
    if as_dmy is None or as_mdy is None or as_dmy == as_mdy:
        return as_dmy or as_mdy
    return {"dmy": as_dmy, "mdy": as_mdy}.get(order or "")


def _named_month(text: str) -> date | None:
    """Read a date whose month has a name: day before year, or year first."""
    folded = without_marks(text)
    words = [word for word in _WORDS.findall(_ORDINAL.sub(r"\1 ", folded)) if word not in _FILLERS]
    months = [MONTHS[word] for word in words if word in MONTHS]
    numbers = [word for word in words if word.isdigit()]
    if len(words) != 3 or len(months) != 1 or len(numbers) != 2:
        return None
    if any(sign.isalnum() and not sign.isascii() for sign in folded):
        return None
    day, year = numbers if len(numbers[1]) == 4 else (numbers[1], numbers[0])
    if len(year) != 4 or len(day) > 2:
        return None
    return _valid(int(year), months[0], int(day))


def _year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) >= _LAST_CENTURY else 2000)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
