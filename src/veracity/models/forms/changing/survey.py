"""What a fit has to know of the times of all claims before it starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.notes import Note, plural
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Largest, Sums
from veracity.errors import InputError
from veracity.models.forms.changing.clock import SECONDS_PER_DAY, Clock
from veracity.models.forms.changing.histories import times_of


@dataclass(frozen=True, eq=False)
class Survey:
    """The times of all claims.

    Attributes
    ----------
    first, last
        The first and the last time.
    scale
        How long claims about an item of each attribute span, on average; (n_attributes,).
    n_undated
        How many claims have no time.
    clock
        What the times are.
    """

    first: float
    last: float
    scale: Floats
    n_undated: int
    clock: Clock

    @classmethod
    def of(cls, claims: ClaimsInBlocks) -> Survey:
        """Look at the times of all claims."""
        if "time" not in claims.columns.roles:
            raise no_time(claims)
        found = claims.blocks.total(_survey, len(claims.attributes))
        if not found["n_dated"]:
            raise no_time(claims)
        span, n_items = found["span"], found["n_items"]
        # Where no item has claims of two times, the unit is of no consequence.
        scale = np.divide(span, n_items, out=np.ones(len(span)), where=(n_items > 0) & (span > 0))
        clock = Clock.NUMBER
        if claims.columns.dated:
            clock = Clock.MOMENT if found["n_within"] else Clock.DAY
        return cls(-found["first"].number, found["last"].number, scale, found["n_undated"], clock)

    def notes(self) -> list[Note]:
        """Say how many claims have no time."""
        if not self.n_undated:
            return []
        verb = "has no time and counts as" if self.n_undated == 1 else "have no time and count as"
        text = (
            f"{plural(self.n_undated, 'claim')} about values that change {verb} the first of "
            f"{'its' if self.n_undated == 1 else 'their'} item."
        )
        return [Note("time", text, self.n_undated)]


def no_time(claims: ClaimsInBlocks) -> InputError:
    """Say that values cannot change without times."""
    names = [profile.name for profile in claims.attributes if profile.changing]
    return InputError(
        f"The truth of {names[0]!r} is said to change, but the claims have no times. Expected a "
        "column that says when each claim was made; name it with --time, or leave out --changing."
    )


def _survey(block: ClaimBlock, n_attributes: int) -> Sums:
    matrix, given = block.matrix, block.claims.time
    assert given is not None
    dated = ~np.isnan(given)
    time = times_of(block, 0.0)
    starts = matrix.claim_start[:-1]
    span = np.maximum.reduceat(time, starts) - np.minimum.reduceat(time, starts)
    known = given[dated]
    return {
        "first": Largest(-known.min() if len(known) else -np.inf),
        "last": Largest(known.max() if len(known) else -np.inf),
        "span": sum_by(matrix.attribute_index, span, n_attributes),
        "n_items": sum_by(matrix.attribute_index, (span > 0).astype(np.float64), n_attributes),
        "n_dated": int(dated.sum()),
        "n_undated": int((~dated).sum()),
        "n_within": int(np.count_nonzero(known % SECONDS_PER_DAY)),
    }
