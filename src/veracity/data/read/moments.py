"""Times that a user names, read as the times of claims are."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime

from veracity.errors import InvalidParameter


def as_time_text(given: object) -> str:
    """Return a time as text that `seconds_of` reads; refuse what is none."""
    if isinstance(given, datetime | date):
        given = given.isoformat()
    text = str(given)
    seconds_of(text)
    return text


def seconds_of(text: str) -> float:
    """Return the seconds since 1970 of a time in ISO 8601, or the number that the text is."""
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        if math.isfinite(number):
            return number
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidParameter(
            f"as_of must be a time in ISO 8601, such as 2023-05-01 or 2023-05-01 13:30:00, or a "
            f"number where the times of claims are numbers. Got {text!r} instead."
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
