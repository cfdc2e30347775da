"""Columns as the records of a chart: few digits, no number that is none, labels that fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

#: Significant digits of a number on a chart.
DIGITS = 5
LABEL_WIDTH = 36
#: Of labels that are only read when a reader asks for them.
TEXT_WIDTH = 160

#: Signs that are not seen themselves, some of which turn the text after them round.
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]")

Column = npt.NDArray[Any] | Sequence[Any]


def records(**columns: Column) -> list[dict[str, Any]]:
    """Return one dictionary a row, of columns that are equally long.

    >>> records(source=["ann"], reliability=np.array([2 / 3]), tpr=np.array([np.nan]))
    [{'source': 'ann', 'reliability': 0.66667, 'tpr': None}]
    """
    plain = [_plain(column) for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*plain, strict=True)]


def number(value: float) -> float | int | None:
    """Return a number with few digits, None for one that is none."""
    if isinstance(value, int):
        return value
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None


def _plain(column: Column) -> list[Any]:
    values = column.tolist() if isinstance(column, np.ndarray) else column
    return [number(value) if isinstance(value, float) else value for value in values]


def one_line(text: object, width: int = TEXT_WIDTH) -> str:
    """Return a text without line breaks and unseen signs, cut where it is long.

    >>> one_line("a rose\\nis a rose", 8)
    'a rose …'
    """
    line = " ".join(_UNSEEN.sub("", str(text)).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def short_labels(labels: Iterable[object], width: int = LABEL_WIDTH) -> list[str]:
    """Return labels that fit an axis, different where the labels are.

    >>> short_labels(["ann of the old mill", "ann of the new mill", "bob"], 10)
    ['ann of th…', 'ann of (2)', 'bob']
    """
    taken: set[str] = set()
    short = []
    for label in labels:
        own = one_line(label, width) or "(empty)"
        count = 1
        while own in taken:
            count += 1
            end = f" ({count})"
            own = one_line(label, 10 * width)[: width - len(end)].rstrip() + end
        taken.add(own)
        short.append(own)
    return short


def share(part: float, whole: float) -> str:
    """Write a share in per cent, such as ``12 %``; never 0 or 100 for some or nearly all.

    >>> share(1, 1000), share(999, 1000), share(1, 4)
    ('under 1 %', 'over 99 %', '25 %')
    """
    if not whole:
        return "0 %"
    percent = 100 * part / whole
    if 0 < percent < 1:
        return "under 1 %"
    if 99 < percent < 100:
        return "over 99 %"
    return f"{percent:.0f} %"


def spread_over(count: int, limit: int) -> npt.NDArray[np.int64]:
    """Return places that are spread evenly over 0 to `count`, at most `limit` of them."""
    return np.linspace(0, count - 1, min(count, limit)).round().astype(np.int64)


def size_ticks(counts: npt.NDArray[np.int64]) -> list[int]:
    """Return up to three round numbers that span counts, for a legend of sizes.

    >>> size_ticks(np.array([3, 620]))
    [10, 100, 500]
    """
    largest = int(counts.max(initial=1))
    tens = 10 ** int(np.log10(largest))
    top = max(step * tens for step in (1, 2, 5) if step * tens <= largest)
    return sorted({max(tens // 10, 1), tens, top})
