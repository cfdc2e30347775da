"""Tolerance: how far apart two numbers may be and still say the same."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from veracity.errors import InvalidParameter

#: Room for rounding: 0.8 - 0.7 is a little more than 0.1. As a share of tolerance and magnitude.
SLACK = 1e-9
ROUNDING = 4 * np.finfo(np.float64).eps
#: Numbers without a tolerance are the same if they are to 9 significant digits.
NINE_DIGITS = 5e-10


@dataclass(frozen=True)
class Tolerance:
    """How far a number may be from a centre: so much, or so large a part of the centre's size.

    >>> Tolerance.of("1%")
    Tolerance(absolute=0.0, relative=0.01)
    """

    absolute: float = 0.0
    relative: float = 0.0

    @classmethod
    def of(cls, given: float | str) -> Tolerance:
        """Read a tolerance: a number such as ``0.5``, or a percentage such as ``1%``."""
        text = str(given).strip()
        is_share = text.endswith("%")
        try:
            size = float(text.removesuffix("%"))
        except ValueError:
            size = math.nan
        if isinstance(given, bool) or not math.isfinite(size) or size < 0:
            raise InvalidParameter(
                "tolerance must be a number, zero or more, or a percentage such as '1%'. "
                f"Got {given!r} instead."
            )
        return cls(relative=size / 100) if is_share else cls(absolute=size)

    def reach(self, centre: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return how far from each centre a number may be, rounding allowed for."""
        size = np.abs(centre)
        return (self.absolute + self.relative * size) * (1 + SLACK) + ROUNDING * size


#: How close numbers are that nobody gave a tolerance for, and that are the same.
SAME_NUMBER = Tolerance(relative=NINE_DIGITS)
