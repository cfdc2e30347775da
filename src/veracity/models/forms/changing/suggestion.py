"""A note on attributes whose values seem to change: claims close in time agree too often.

Put the claims about an item in the order of time, one for each source. If time carries nothing, any
order is as likely as another, and the number of runs of equal values has a known mean and variance
(A. M. Mood, The distribution theory of runs, Annals of Mathematical Statistics 11, 1940). Where the
truth changes, the same value is claimed in a row, and runs are fewer.
"""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import starts_mask
from veracity.data.labels.hashes import mix
from veracity.data.notes import Note
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Sums

#: Runs must be fewer than expected by so many standard errors, and by this share.
LEAST_Z, LEAST_SHARE = 5.0, 0.1


def suggest_changing(claims: ClaimsInBlocks) -> list[Note]:
    """Suggest to judge attributes as changing, where the times of claims say so."""
    if "time" not in claims.columns.roles:
        return []
    suspects = [profile for profile in claims.attributes if _may_change(profile)]
    if not suspects:
        return []
    found = claims.blocks.total(_count_runs, tuple(profile.name for profile in suspects))
    fewer = found["expected"] - found["runs"]
    z = fewer / np.sqrt(np.maximum(found["variance"], 1e-12))
    share = fewer / np.maximum(found["expected"], 1e-12)
    return [
        _note(profile.name, float(part))
        for profile, sure, part in zip(suspects, z, share, strict=True)
        if sure >= LEAST_Z and part >= LEAST_SHARE
    ]


def _may_change(profile: AttributeProfile) -> bool:
    return profile.form == "value" and profile.kind != "multiple"


def _note(name: str, share: float) -> Note:
    text = (
        f"Claims about {name!r} that are close in time agree more often than chance explains: the "
        f"value switches {share:.0%} less often than in any order. Its truth may change with time, "
        f"and late claims may be right where early ones were; try --changing {name}."
    )
    return Note("changing", text, short=f"the truth of {name!r} may change with time")


def _count_runs(block: ClaimBlock, names: tuple[str, ...]) -> Sums:
    """Add up, over the contested items of each attribute, runs and what is expected of them."""
    matrix, time = block.matrix, block.claims.time
    empty = np.zeros(len(names))
    if time is None:
        return {"runs": empty, "expected": empty, "variance": empty}
    of_name = np.array([_place(profile.name, names) for profile in matrix.profiles])
    item = matrix.item_of_claim
    boolean = matrix.kind_is("boolean")[item]
    heard = (of_name[matrix.attribute_index][item] >= 0) & ~np.isnan(time)
    heard &= boolean | (matrix.claim_value == 1)
    chosen = np.flatnonzero(heard)
    row = matrix.row if block.row is None else block.row[matrix.row]
    # Claims of the same time are in no order, so that they get one that means nothing.
    order = np.lexsort((mix(row[chosen].astype(np.uint64)), time[chosen], item[chosen]))
    claim = chosen[order]
    value = matrix.statement_index[claim] * 2 + matrix.claim_value[claim]
    runs = sum_by(item[claim], starts_mask(item[claim], value).astype(float), matrix.n_items)
    n, squares, cubes = _powers(item[claim], value, matrix.n_items)
    spread = _has_spread(item[claim], time[claim], matrix.n_items)
    contested = spread & (n > 1) & (squares < n**2)
    n, squares, cubes, runs = n[contested], squares[contested], cubes[contested], runs[contested]
    expected = 1.0 + (n**2 - squares) / n
    variance = squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3
    variance = variance / (n**2 * (n - 1))
    place = of_name[matrix.attribute_index][contested]
    return {
        "runs": sum_by(place, runs, len(names)),
        "expected": sum_by(place, expected, len(names)),
        "variance": sum_by(place, variance, len(names)),
    }


def _place(name: str, names: tuple[str, ...]) -> int:
    return names.index(name) if name in names else -1


def _powers(item: np.ndarray, value: np.ndarray, n_items: int) -> tuple[Floats, Floats, Floats]:
    """Return the number of claims of each item, and the sums of squares and cubes by value."""
    order = np.lexsort((value, item))
    first = starts_mask(item[order], value[order])
    at = np.flatnonzero(first)
    count = np.diff(np.append(at, len(order))).astype(np.float64)
    of_item = item[order][at]
    n, squares, cubes = (sum_by(of_item, count**power, n_items) for power in (1, 2, 3))
    return n, squares, cubes


def _has_spread(item: np.ndarray, time: Floats, n_items: int) -> np.ndarray:
    """Mark the items whose claims have more than one time, given in the order of time."""
    differs = np.zeros(len(item), np.bool_)
    differs[1:] = (item[1:] == item[:-1]) & (time[1:] > time[:-1])
    return np.asarray(sum_by(item, differs.astype(np.float64), n_items) > 0)
