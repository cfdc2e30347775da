"""Dates: order of day, month and year, two-digit years, and counts of days or seconds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.transformation import Proposals, Respelling

_PARTS = re.compile(r"(\d{1,4})([-/. ])(\d{1,2})\2(\d{1,4})(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?")
_COMPACT = re.compile(r"\d{8}")
_NAMED = re.compile(r"(\d{1,2})\.? ?-?([A-Za-z]{3,9})\.?[ ,-]+(\d{4}|\d\d)")
_NAMED_FIRST = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_FULL_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_MONTHS = {name[:3].lower(): month for month, name in enumerate(_FULL_MONTHS, start=1)}
#: Years of two digits are of this century up to here.
PIVOT = 69
#: Dates that counts of days and seconds are taken for: 1950 to 2100.
EARLIEST, LATEST = date(1950, 1, 1), date(2100, 1, 1)
LEAST_COUNT = 10_000
EXCEL, EXCEL_1904 = date(1899, 12, 30), date(1904, 1, 1)
#: A format is that of the values if it reads so large a share of them.
READABLE = 0.8


class DateFormat(NamedTuple):
    """A way to write dates: its name, how to read it, and how to write a date like an example.

    A count of days or seconds since some day may be any number.
    """

    name: str
    read: Callable[[str], date | None]
    write: Callable[[date, str], str]
    is_count: bool = False


def _in_order(order: str) -> DateFormat:
    """Return the format with three numbers in an order such as ``dmy``."""

    def read(text: str) -> date | None:
        found = _PARTS.fullmatch(text.strip())
        if found is None:
            return None
        parts = dict(zip(order, (found[1], found[3], found[4]), strict=True))
        if len(parts["y"]) not in (2, 4) or max(len(parts["d"]), len(parts["m"])) > 2:
            return None
        return _day(_year(parts["y"]), int(parts["m"]), int(parts["d"]))

    def write(day: date, like: str) -> str:
        found = _PARTS.fullmatch(like.strip())
        sign = found[2] if found else "-"
        sample = dict(zip(order, (found[1], found[3], found[4]), strict=True)) if found else {}
        padded = not any(len(sample.get(part, "00")) == 1 for part in "dm")
        year = f"{day.year % 100:02d}" if len(sample.get("y", "0000")) == 2 else f"{day.year:04d}"
        shown = {"y": year, "m": _two(day.month, padded), "d": _two(day.day, padded)}
        return sign.join(shown[part] for part in order)

    name = "/".join({"y": "Y", "m": "m", "d": "d"}[part] for part in order)
    return DateFormat(name.replace("/", "-") if order == "ymd" else name, read, write)


def _compact(order: str, form: str) -> DateFormat:
    """Return the format of eight digits, such as 20240506."""

    def read(text: str) -> date | None:
        if not _COMPACT.fullmatch(text.strip()):
            return None
        parts, rest = {}, text.strip()
        for part in order:
            width = 4 if part == "y" else 2
            parts[part], rest = int(rest[:width]), rest[width:]
        day = _day(parts["y"], parts["m"], parts["d"])
        return day if day is not None and EARLIEST <= day < LATEST else None

    return DateFormat(form.replace("%", ""), read, lambda day, like: day.strftime(form))


def _read_named(text: str) -> date | None:
    found = _NAMED.fullmatch(text.strip())
    month = _MONTHS.get(found[2][:3].lower()) if found else None
    return None if found is None or month is None else _day(_year(found[3]), month, int(found[1]))


def _write_named(day: date, like: str) -> str:
    found = _NAMED.fullmatch(like.strip())
    name = _FULL_MONTHS[day.month - 1]
    if found is None or len(found[2]) == 3:
        name = name[:3]
    return f"{day.day} {name} {day.year}"


def _read_named_first(text: str) -> date | None:
    found = _NAMED_FIRST.fullmatch(text.strip())
    month = _MONTHS.get(found[1][:3].lower()) if found else None
    return None if found is None or month is None else _day(int(found[3]), month, int(found[2]))


def _write_named_first(day: date, like: str) -> str:
    found = _NAMED_FIRST.fullmatch(like.strip())
    name = _FULL_MONTHS[day.month - 1]
    return f"{name[:3] if found and len(found[1]) == 3 else name} {day.day}, {day.year}"


def _serial(name: str, origin: date, seconds: int) -> DateFormat:
    """Return the format of a count since a day: of so many in a day."""

    def read(text: str) -> date | None:
        try:
            count = float(text)
        except ValueError:
            return None
        days = count / seconds
        if not 0 <= days < 80_000 or count < LEAST_COUNT:
            return None
        day = origin + timedelta(days=int(days))
        return day if EARLIEST <= day < LATEST else None

    def write(day: date, like: str) -> str:
        return str((day - origin).days * seconds)

    return DateFormat(name, read, write, is_count=True)


FORMATS = (
    *map(_in_order, ("ymd", "dmy", "mdy", "ydm")),
    _compact("ymd", "%Y%m%d"),
    _compact("dmy", "%d%m%Y"),
    _compact("mdy", "%m%d%Y"),
    DateFormat("d Month Y", _read_named, _write_named),
    DateFormat("Month d, Y", _read_named_first, _write_named_first),
    _serial("Excel day number", EXCEL, 1),
    _serial("Excel day number since 1904", EXCEL_1904, 1),
    _serial("seconds since 1970", date(1970, 1, 1), 86_400),
    _serial("milliseconds since 1970", date(1970, 1, 1), 86_400_000),
)
ISO = FORMATS[0]


def dates(pairs: Pairs) -> Proposals:
    """Propose to read dates in another format than that of the others."""
    theirs = _format_of(pairs.others)
    if theirs is None:
        return
    like = Counter(map(_shape, pairs.others)).most_common(1)[0][0]
    example = next(text for text in pairs.others if _shape(text) == like)
    shapes = Counter(map(_shape, pairs.own))
    for own in FORMATS:
        is_new = own is not theirs or like not in shapes
        if is_new and not (own.is_count and theirs.is_count) and _share(own, pairs.own) >= READABLE:
            yield _between(own, theirs, pairs.own[0], example)


def _between(own: DateFormat, theirs: DateFormat, sample: str, example: str) -> Respelling:
    def write(text: str) -> str | None:
        day = own.read(text)
        return None if day is None else theirs.write(day, example)

    says = f"writes dates as {own.name} where the others write {theirs.name}"
    remedy = f"read them as {_spoken(own)}"
    if own is theirs:
        says, remedy = f"writes dates such as {sample!r}", "compare the day only"
    return Respelling(
        "date",
        f"{own.name} -> {theirs.name}",
        says,
        remedy,
        write,
        restores=theirs is ISO,
        read=lambda text: _iso(own.read(text)),
        read_others=lambda text: _iso(theirs.read(text)),
    )


def _spoken(form: DateFormat) -> str:
    words = {"d/m/Y": "day/month/year", "m/d/Y": "month/day/year", "Y-m-d": "year-month-day"}
    return words.get(form.name, form.name)


def _format_of(texts: Sequence[str]) -> DateFormat | None:
    """Return the format that reads most texts, the first of those that read as many."""
    if not any(form.read(text) for form in FORMATS for text in texts[:5]):
        return None
    best = max(FORMATS, key=lambda form: _share(form, texts))
    return best if _share(best, texts) >= READABLE else None


def _share(form: DateFormat, texts: Sequence[str]) -> float:
    return sum(form.read(text) is not None for text in texts) / max(len(texts), 1)


def _shape(text: str) -> str:
    """Return a text with a 0 for each digit: the same for dates written alike."""
    return re.sub(r"\d", "0", text)


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _year(text: str) -> int:
    year = int(text)
    return year if len(text) == 4 else year + (2000 if year < PIVOT else 1900)


def _two(number: int, padded: bool) -> str:
    return f"{number:02d}" if padded else str(number)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
