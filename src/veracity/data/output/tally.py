"""Tally: how many verdicts of a run are accepted, for review and undecided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import to_numpy
from veracity.data.output.decisions import ACCEPT, REVIEW, UNDECIDED
from veracity.data.output.tables import Table


@dataclass(frozen=True)
class Tally:
    """The decisions on the verdicts of a run.

    A verdict is a believed value: a row of the truths. An item with several true values has
    several.

    Attributes
    ----------
    accept, review, undecided
        How many verdicts there are of each decision.
    expected_errors
        How many of the accepted are expected to be wrong.
    least_rate
        The least expected error rate at which any verdict would be accepted; 1 if none is decided.
    """

    accept: int
    review: int
    undecided: int
    expected_errors: float
    least_rate: float = 1.0

    @classmethod
    def of(cls, truths: Table) -> Self:
        """Count the rows of the truths, part by part where they are in parts."""
        counted = pa.concat_tables(truths.parts_by(_counted))
        accept, review, undecided = (
            int(pc.sum(counted[word]).as_py()) for word in (ACCEPT, REVIEW, UNDECIDED)
        )
        errors = float(pc.sum(counted["errors"]).as_py())
        return cls(accept, review, undecided, errors, 1.0 - float(pc.max(counted["best"]).as_py()))

    @property
    def n_verdicts(self) -> int:
        """How many verdicts there are."""
        return self.accept + self.review + self.undecided


def _counted(truths: pa.Table) -> pa.Table:
    """Return the counts of a part of the truths, in a row."""
    words = truths["decision"]
    row: dict[str, list[float] | list[int]] = {
        word: [int(pc.sum(pc.equal(words, word)).as_py() or 0)]
        for word in (ACCEPT, REVIEW, UNDECIDED)
    }
    accepted = to_numpy(truths.filter(pc.equal(words, ACCEPT))["plausibility"])
    decided = truths.filter(pc.not_equal(words, UNDECIDED))["plausibility"]
    best = float(pc.max(decided).as_py() or 0.0)
    return pa.table(row | {"errors": [float(np.sum(1.0 - accepted))], "best": [best]})
