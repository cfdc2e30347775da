"""Stuck sources: those whose claims do not follow the truth from item to item."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.located import locate_items
from veracity.models.forms.number.parameters import NumberParameters

#: A source is stuck if its claims move by less than this part of what the truth moves,
SLOPE = 0.3
#: and by less than this part even two standard errors up.
SLOPE_AT_MOST = 0.7
#: Fewer claims say nothing about that.
LEAST_CLAIMS = 5
#: The claims of a stuck source count this much.
STUCK = 0.1


def trust_of_sources(blocks: Blocks[BlockNumbers], learned: NumberParameters) -> Floats:
    """Return how much the claims of each source count: less where it is stuck; (n_cells,)."""
    sums = blocks.total(_moments, learned)["moments"].everywhere()
    n, x, y, xx, xy, yy = sums.T
    size = np.maximum(n, 1.0)
    across = xx - x * x / size
    along, up = xy - x * y / size, yy - y * y / size
    moved = across > 1e-9 * np.maximum(xx, 1e-300)
    slope = along / np.where(moved, across, 1.0)
    rest = np.maximum(up - slope * along, 0.0) / np.maximum(n - 2, 1.0)
    error = np.sqrt(rest / np.where(moved, across, 1.0))
    stuck = moved & (n >= LEAST_CLAIMS) & (slope < SLOPE) & (slope + 2 * error < SLOPE_AT_MOST)
    return np.where(stuck, STUCK, 1.0)


def _moments(numbers: BlockNumbers, learned: NumberParameters) -> Sums:
    """Sum moments of claims and truths by source, about the centre of the attribute."""
    found = locate_items(numbers, learned)
    of_claim = numbers.of_claim
    centre = learned.centre[numbers.attribute][of_claim]
    x = found.location[of_claim] - centre
    y = x + found.away
    cells = np.unique(numbers.cell)
    at = np.searchsorted(cells, numbers.cell)
    columns = [
        sum_by(at, column, len(cells)) for column in (np.ones(len(x)), x, y, x * x, x * y, y * y)
    ]
    return {"moments": Scattered(cells, np.stack(columns, axis=1), len(learned.bias))}
