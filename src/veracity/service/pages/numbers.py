"""How pages write numbers.

Python's older way to format takes a third of the time where the number of digits is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Stands where there is no number.
NOTHING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"


def count(number: int) -> str:
    """Write a whole number: ``4,102``.

    >>> count(4102)
    '4,102'
    """
    return f"{number:,}"


def share(number: float | None) -> str:
    """Write a share with three digits, but never as certain what is not.

    >>> share(0.5), share(0.99997), share(None)
    ('0.500', '>0.999', '–')
    """
    return _between(number, 3)


def exact(number: float | None) -> str:
    """Write a share with four digits, where it is to be compared with others.

    >>> exact(0.87654), exact(1e-9)
    ('0.8765', '<0.0001')
    """
    return _between(number, 4)


def _between(number: float | None, digits: int) -> str:
    if number is None:
        return NOTHING
    smallest = 10.0**-digits
    if 0.0 < number < smallest / 2:
        return f"<{smallest:.{digits}f}"
    if 1.0 - smallest / 2 < number < 1.0:
        return f">{1.0 - smallest:.{digits}f}"
    return "%.*f" % (digits, number)  # noqa: UP031


def percent(number: float | None) -> str:
    """Write a share in percent.

    >>> percent(0.666), percent(0.003)
    ('67\xa0%', '<1\xa0%')
    """
    if number is None:
        return NOTHING
    text = "<1%" if 0 < number < 0.005 else f"{number:.0%}"
    return text.replace("%", "\N{NO-BREAK SPACE}%")


def signed(number: float, digits: int = 2) -> str:
    """Write a number with its sign.

    >>> signed(0.1234), signed(-1.5, 3)
    ('+0.12', '−1.500')
    """
    return ("%+.*f" % (digits, number)).replace("-", MINUS)  # noqa: UP031


def signed_all(numbers: Sequence[float]) -> list[str]:
    """Write numbers with their signs and three digits; all at once takes half as long.

    >>> signed_all([0.1234, -1.5])
    ['+0.123', '−1.500']
    """
    return ("%+.3f " * len(numbers) % tuple(numbers)).replace("-", MINUS).split()


def width(number: float | None) -> str:
    """Write a share as a length in a drawing.

    >>> width(0.25)
    '25.00%'
    """
    return "%.2f%%" % (100.0 * min(max(number or 0.0, 0.0), 1.0))


def cell(value: Any) -> str:
    """Write the value of a feature.

    >>> cell(211.0), cell(0.123456), cell("owner"), cell(None)
    ('211', '0.1235', 'owner', '–')
    """
    if value is None:
        return NOTHING
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return str(value)
