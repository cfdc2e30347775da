"""Judging: estimates of items with intervals, and how plausible the claimed numbers are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.blocks import ClaimBlock
from veracity.data.output.results import Estimates
from veracity.models.base import Judgement
from veracity.models.forms.number.calibration import Calibration
from veracity.models.forms.number.closeness import Closeness, within
from veracity.models.forms.number.interval import REACH, standard_errors
from veracity.models.forms.number.located import Located
from veracity.models.forms.number.scale import from_scale
from veracity.models.numeric.numbers import ROUNDING

#: What an interval is.
SPREAD, CALIBRATED = "spread of the sources", "calibrated"


@dataclass(frozen=True, eq=False)
class Judged:
    """The estimates of the items of a block.

    Attributes
    ----------
    found
        The items, and what follows for them.
    centre, error
        Estimate and standard error on the scale of the attribute; (n,).
    value, standard_error, low, high
        The same as numbers, and the ends of the interval; (n,).
    calibrated
        Whether labels say how wide the interval has to be; (n,).
    closeness
        How far from the truth a number may be.
    """

    found: Located
    centre: Floats
    error: Floats
    value: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    calibrated: Mask
    closeness: Closeness

    def plausibility(self, value: Floats, item: Indices) -> Floats:
        """Return the probability that the truth of an item is close to a number."""
        learned, attribute = self.found.parameters, self.found.numbers.attribute[item]
        low, high = self.closeness.bounds(value, attribute, learned)
        return within(low, high, self.centre[item], self.error[item])


def judge_items(found: Located, calibration: Calibration, closeness: Closeness) -> Judged:
    """Estimate the items of a block, with what labels say about shared errors."""
    numbers, attribute = found.numbers, found.numbers.attribute
    is_known = ~np.isnan(numbers.known)
    shift = np.where(is_known, 0.0, calibration.shift[attribute] * found.spread)
    wider = calibration.wider[attribute]
    error = standard_errors(found) * np.where(np.isnan(wider), 1.0, wider)
    error = np.where(is_known, 0.0, error)
    centre = found.location + shift
    is_log = found.parameters.is_log[attribute]
    value = from_scale(centre, is_log)
    low = from_scale(centre - REACH * error, is_log)
    high = from_scale(centre + REACH * error, is_log)
    return Judged(
        found,
        centre,
        error,
        value,
        np.where(is_log, value * error, error),
        low,
        high,
        ~np.isnan(wider),
        closeness,
    )


def judgement(block: ClaimBlock, judged: Judged, others: Floats) -> Judgement:
    """Judge the statements of a block; those of items without a number as `others` says.

    The claimed number that is nearest to the estimate is believed.
    """
    matrix, numbers = block.matrix, judged.found.numbers
    has_number = np.zeros(matrix.n_items, np.bool_)
    has_number[numbers.item] = True
    numeric = has_number[matrix.item_of_statement]
    plausibility = np.where(numeric, 0.0, others)
    score = np.where(numeric, -np.inf, others)
    if len(numbers.item):
        of_claim = numbers.of_claim
        chance = judged.plausibility(numbers.value, of_claim)
        plausibility[numbers.statement] = chance
        away = np.abs(numbers.value - judged.value[of_claim])
        widest = np.maximum.reduceat(away, numbers.start[:-1])
        nearness = -away / np.where(widest > 0, widest, 1.0)[of_claim]
        best = np.maximum.reduceat(nearness, numbers.start[:-1])[of_claim]
        score[numbers.statement] = np.where(nearness >= best - ROUNDING, 1.0 + chance, nearness)
    return Judgement(
        plausibility,
        score,
        _estimates(judged, matrix.n_items),
        columns=_basis(judged, matrix.n_items),
    )


def _estimates(judged: Judged, n_items: int) -> Estimates:
    """Return the estimates of all items of a block, NaN where they have no number."""
    columns = []
    for of_item in (judged.value, judged.standard_error, judged.low, judged.high):
        column = np.full(n_items, np.nan)
        column[judged.found.numbers.item] = of_item
        columns.append(column)
    return Estimates(*columns)


def _basis(judged: Judged, n_items: int) -> dict[str, pa.Array]:
    """Say of each item what its interval is, null where it has none."""
    place = np.full(n_items, -1, np.int64)
    place[judged.found.numbers.item] = judged.calibrated
    words = pa.array([SPREAD, CALIBRATED], pa.string())
    return {"interval": words.take(pa.array(place, mask=place < 0))}
