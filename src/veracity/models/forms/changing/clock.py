"""Times of claims as they are shown: numbers, days, or moments."""

from __future__ import annotations

from datetime import UTC, date, datetime
from enum import StrEnum

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow

SECONDS_PER_DAY = 86_400.0
_MOMENT = pa.timestamp("s")


class Clock(StrEnum):
    """What the times of claims are."""

    NUMBER = "number"
    DAY = "day"
    MOMENT = "moment"

    @property
    def type(self) -> pa.DataType:
        """The type of a column of such times."""
        return {Clock.NUMBER: pa.float64(), Clock.DAY: pa.date32()}.get(self, _MOMENT)

    def shown(self, times: Floats) -> pa.Array:
        """Return times as a column, null where they are NaN; a day counts from its beginning on."""
        if self is Clock.NUMBER:
            return to_arrow(times, nan_is_null=True)
        unit = SECONDS_PER_DAY if self is Clock.DAY else 1.0
        missing = np.isnan(times)
        # What holds from within a day on holds on the whole of the next.
        whole = np.ceil(np.where(missing, 0.0, times) / unit - 1e-6)
        numbers = pa.array(whole.astype(np.int64), mask=missing)
        return numbers.cast(pa.int32() if self is Clock.DAY else pa.int64()).cast(self.type)

    def text(self, time: float) -> str:
        """Return a time as text."""
        if self is Clock.NUMBER:
            return f"{time:.12g}"
        moment = datetime.fromtimestamp(time, UTC)
        day: date = moment.date()
        return day.isoformat() if self is Clock.DAY else moment.isoformat(" ", "seconds")[:19]

    def span(self, length: float) -> float:
        """Return a length of time as it is shown: of dates in days, else as it is."""
        return length if self is Clock.NUMBER else length / SECONDS_PER_DAY
