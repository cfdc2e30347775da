"""The gate before every table: no number leaves it that cannot be."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.data.matrix import ClaimMatrix
from veracity.errors import ImpossibleResult


def check_plausibility(matrix: ClaimMatrix, plausibility: Floats) -> None:
    """Refuse plausibilities that are no numbers from 0 to 1, naming the first such statement."""
    wrong = np.flatnonzero(~_within(plausibility))
    if not len(wrong):
        return
    statement = int(wrong[0])
    item = int(matrix.item_of_statement[statement])
    entity = matrix.entities[int(matrix.entity_index[item])].as_py()
    attribute = matrix.attributes[int(matrix.attribute_index[item])].as_py()
    value = matrix.values[int(matrix.value_index[statement])].as_py()
    what = f"the value {value!r} of {attribute!r} of {entity!r}"
    raise _impossible("plausibility", plausibility[statement], what, len(wrong))


def check_rates(sources: object, rates: dict[str, Floats]) -> None:
    """Refuse rates of sources that are not from 0 to 1; one that is not known may be NaN."""
    for name, rate in rates.items():
        wrong = np.flatnonzero(~(_within(rate) | np.isnan(rate)))
        if len(wrong):
            source = sources[int(wrong[0])].as_py()  # type: ignore[index]
            raise _impossible(name, rate[wrong[0]], f"the source {source!r}", len(wrong))


def _within(numbers: Floats) -> Mask:
    return np.asarray((numbers >= 0.0) & (numbers <= 1.0))


def _impossible(name: str, number: float, what: str, count: int) -> ImpossibleResult:
    more = f", and {count - 1:,} more like it" if count > 1 else ""
    return ImpossibleResult(
        f"The model gives {what} a {name} of {number}{more}; expected a number from 0 to 1. This "
        "is a fault of veracity, so no results are made. Please report it with the claims about "
        "it, or try another model with --model."
    )
