"""Readings: numbers as people write them, with separators, magnitudes, per cent signs or units."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats
from veracity.data.buffers import to_numpy

Read = tuple[float, float]

#: A plain number, as a pattern that both Python and Arrow read.
PLAIN = r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?"
_PLAIN = re.compile(r"[+-]?\d+(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?")
_GROUPED = re.compile(r"[+-]?\d{1,3}([, _'\u00a0\u202f])\d{3}(\1\d{3})*(\.\d+)?")
_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?")
_MAGNITUDE = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([a-zA-Z]+)\.?")
_PERCENT = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*%")
_WORDED = re.compile(r"[^\d+.,-]*([+-]?\d[\d.,' ]*?)\s*[^\d.,]*")
#: How people write thousands and more.
MAGNITUDES = {
    **dict.fromkeys(("k", "thousand", "tsd"), 1e3),
    **dict.fromkeys(("m", "mn", "mm", "mio", "mln", "million", "millions"), 1e6),
    **dict.fromkeys(("b", "bn", "mrd", "billion", "billions"), 1e9),
    **dict.fromkeys(("t", "tn", "trillion"), 1e12),
}


def read_plain(text: str) -> Read | None:
    """Read a plain number, and half the unit of its last digit.

    >>> read_plain("12.5"), read_plain("1,200")
    ((12.5, 0.05), None)
    """
    found = _PLAIN.fullmatch(text.strip())
    if found is None:
        return None
    decimals, power = found.groups()
    unit = int(power or 0) - len(decimals or "")
    return float(found[0]), 0.5 * 10.0**unit


def plain_numbers(texts: list[str]) -> Floats:
    """Read many plain numbers at once, NaN for what is none."""
    labels = pc.utf8_trim_whitespace(pa.array(texts, pa.string()))
    is_plain = pc.match_substring_regex(labels, f"^{PLAIN}$")
    bare = pc.utf8_ltrim(labels, "+")
    return np.array(to_numpy(pc.if_else(is_plain, bare, None).cast(pa.float64())))


def read_grouped(text: str) -> Read | None:
    """Read a number with thousands set off, such as 1,200,000.5."""
    bare = text.strip()
    return read_plain(re.sub("[, _'\u00a0\u202f]", "", bare)) if _GROUPED.fullmatch(bare) else None


def read_comma(text: str) -> Read | None:
    """Read a number with a decimal comma, such as 1.200.000,5."""
    bare = text.strip()
    if not _COMMA.fullmatch(bare):
        return None
    return read_plain(bare.replace(".", "").replace(",", "."))


def read_magnitude(text: str) -> Read | None:
    """Read a number with a magnitude.

    >>> read_magnitude("1.5M"), read_magnitude("3 thousand"), read_magnitude("3 kg")
    ((1500000.0, 50000.0), (3000.0, 500.0), None)
    """
    found = _MAGNITUDE.fullmatch(text.strip())
    if found is None or found[2].lower() not in MAGNITUDES:
        return None
    return _times(read_plain(found[1]), MAGNITUDES[found[2].lower()])


def read_percent(text: str) -> Read | None:
    """Read the number before a per cent sign."""
    found = _PERCENT.fullmatch(text.strip())
    return None if found is None else read_plain(found[1])


def read_worded(text: str) -> Read | None:
    """Read the only number in a text, whatever stands before and after it: $ 12.50, 12 kg."""
    found = _WORDED.fullmatch(text.strip())
    if found is None or found[1] == text.strip():
        return None
    return read_plain(found[1]) or read_grouped(found[1]) or read_comma(found[1])


def _times(read: Read | None, factor: float) -> Read | None:
    return None if read is None else (read[0] * factor, read[1] * factor)
