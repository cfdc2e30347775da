"""Stated confidence: how sure a source says it is of a claim, on the source's own scale.

A probability enters as its log-odds, any other number as the normal score of its rank. Both are
taken from the mean of the source, since one source's 90 % is another's 60 %, and divided by the
spread that is usual within a source: how much a step of its own scale means is what the slope of a
source says, and a source that hardly ever varies is not blown up. Where the value follows from the
column, as yes and no follow from a probability that is cut at a half, it is the distance from the
cut that tells how sure a source is: the mean and the spread are then those of source and value, and
the column is turned round for the lower value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.matrix import ClaimMatrix
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums, Together
from veracity.features.codes import Coded, distinct_codes
from veracity.features.columns import Number, is_category
from veracity.features.counts import NumberCounts
from veracity.features.thresholds import MAX_BINS, MAX_VALUE_SHARE, MAX_VALUE_SHARE_GRBM
from veracity.models.grbm.terms.base import Arrays, cells
from veracity.models.views.classes import values_by_attribute

#: Columns that are taken for a stated confidence without being named.
CONFIDENCE_COLUMNS = ("claim_confidence", "claim_probability", "claim_margin")
#: Parts of the names of columns whose numbers up to 100 are percent.
PERCENT = ("confid", "probab", "percent")
#: The least number that a column of percent reaches; ratings have fewer steps.
MIN_PERCENT = 20.0
#: Probabilities are held this far from 0 and from 1: nobody is surer than 99 in 100.
MARGIN = 0.01
#: So many typical claims are added to those of each source, before its mean is taken.
TYPICAL = 2.0
#: The least variance within a source by which numbers are scaled.
MIN_VARIANCE = 1e-6
#: Standardised numbers are held within so many deviations, and told apart to so many decimals.
MAX_DEVIATIONS, DECIMALS = 3.0, 2

ConfidenceScale = Literal["log-odds", "percent", "rank"]


@dataclass(frozen=True, eq=False)
class Confidence:
    """A column of stated confidence, on the scale of each source.

    Attributes
    ----------
    column
        The feature column.
    scale
        What its numbers are: probabilities, percent, or anything that can be ranked.
    number
        The ranks of its numbers; used by the scale "rank" alone.
    sides
        Where the value follows from the column: for each attribute, the value at the lower end and
        that at the upper end. None where it does not.
    mean
        Of each source and, where there are sides, of each side; (n_sources, n_sides).
    typical, spread
        The mean of all claims, for a source that is new, and the usual spread; (n_sides,).
    """

    column: str
    scale: ConfidenceScale
    number: Number
    sides: dict[str, tuple[str, str]] | None
    mean: Floats
    typical: Floats
    spread: Floats

    kind = "confidence"
    # As cautious as the parameters of g. A source's own slope is as close to the common one as that
    # is to 0: two sources may differ in how well they know themselves about as much as a column
    # may matter at all.
    precision = 20.0
    own_precision = 20.0

    @property
    def columns(self) -> tuple[str, ...]:
        """The feature column."""
        return (self.column,)

    @property
    def names(self) -> tuple[str, ...]:
        """The one column that claims get."""
        return (self.column,)

    def encode(self, claims: Claims, place: Indices) -> Coded:
        """Return how sure each claim is for its source, 0 where nothing is stated."""
        x = scaled(self.scale, self.number, cells(claims, self.column))
        side = sides_of(claims.matrix, self.sides)
        of_source = place[claims.matrix.source_index]
        known = (of_source >= 0) & (of_source < len(self.mean))
        at = np.where(known, of_source, 0), np.maximum(side, 0)
        mean = np.where(known, self.mean[at], self.typical[at[1]])
        sure = np.clip((x - mean) / self.spread[at[1]], -MAX_DEVIATIONS, MAX_DEVIATIONS)
        if self.sides is not None:
            sure = np.where(side == 0, -sure, sure)
        sure = np.where(np.isfinite(sure) & (side >= 0), sure, 0.0)
        levels, codes = distinct_codes(np.round(sure, DECIMALS) + 0.0)
        return Coded(codes, levels[:, None], self.names)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return what was learned, as plain data and arrays."""
        described = {
            "column": self.column,
            "scale": self.scale,
            "number": asdict(self.number),
            "sides": None if self.sides is None else {k: list(v) for k, v in self.sides.items()},
        }
        return described, {"mean": self.mean, "typical": self.typical, "spread": self.spread}

    @classmethod
    def of_state(cls, state: dict[str, Any], arrays: Arrays) -> Confidence:
        """Return what was saved."""
        sides = state["sides"]
        return cls(
            state["column"],
            state["scale"],
            Number.of_state(state["number"]),
            None if sides is None else {name: (low, high) for name, (low, high) in sides.items()},
            arrays["mean"],
            arrays["typical"],
            arrays["spread"],
        )


# Learning


def learn_confidence(blocks: Blocks[ClaimBlock], column: str, n_sources: int) -> Confidence | str:
    """Learn the scale of a column of stated confidence; or return why it is no such thing."""
    found = blocks.total(_count, column)
    if found["n_categories"]:
        return "its cells are no numbers"
    counts: NumberCounts = found["counts"]
    if len(counts.levels) < 2:
        return "constant"
    sides = _sides(blocks, column, found["said"].members)
    if isinstance(sides, str):
        return sides
    number = Number.learn(column, counts, MAX_BINS, "rank")
    scale = _scale(column, counts.levels)
    sums = blocks.total(_moments, column, scale, number, sides, n_sources)
    n, total, squares = (sums[name].everywhere() for name in ("n", "total", "squares"))
    return Confidence(column, scale, number, sides, *_standard(n, total, squares))


def _scale(column: str, levels: Floats) -> ConfidenceScale:
    low, high = float(levels[0]), float(levels[-1])
    if low >= 0.0 and high <= 1.0 and ((levels > 0.0) & (levels < 1.0)).any():
        return "log-odds"
    is_percent = any(part in column.lower() for part in PERCENT)
    if low >= 0.0 and MIN_PERCENT <= high <= 100.0 and is_percent:
        return "percent"
    return "rank"


def scaled(scale: ConfidenceScale, number: Number, column: Floats) -> Floats:
    """Return numbers as log-odds, or as normal scores of their ranks."""
    from scipy.special import logit, ndtri

    if scale == "rank":
        ranks = np.where(np.isfinite(column), number.scaled(column), np.nan)
        return np.asarray(ndtri(np.clip(0.5 + ranks, MARGIN, 1.0 - MARGIN)))
    share = column / 100.0 if scale == "percent" else column
    return np.asarray(logit(np.clip(share, MARGIN, 1.0 - MARGIN)))


def sides_of(matrix: ClaimMatrix, sides: dict[str, tuple[str, str]] | None) -> Indices:
    """Return whether each claim says the lower value (0) or the upper one (1); -1 for neither.

    Without sides, all are 0.
    """
    if sides is None:
        return np.zeros(matrix.n_claims, np.int64)
    label = labels_of(matrix, sides)
    return np.where(label >= 0, label % 2, -1)


def labels_of(matrix: ClaimMatrix, labels: Mapping[str, Sequence[str]]) -> Indices:
    """Return the place of what each claim says among the values of all attributes.

    Values come one attribute after the other; -1 for claims that say none of them.
    """
    place = np.full(matrix.n_claims, -1)
    known = {label: number for number, label in enumerate(matrix.values.to_pylist())}
    attribute = matrix.attribute_index[matrix.item_of_claim]
    value = matrix.value_index[matrix.statement_index]
    yes = matrix.claim_value == 1
    number = {profile.name: index for index, profile in enumerate(matrix.profiles)}
    first = 0
    for name, own in labels.items():
        here = attribute == number.get(name, -1)
        for step, label in enumerate(own):
            says = yes & (value == known.get(label, -1))
            if name in number and matrix.profiles[number[name]].kind == "boolean":
                says = yes == (matrix.profiles[number[name]].positive == label)
            place[here & says] = first + step
        first += len(own)
    return place


def _count(block: ClaimBlock, column: str) -> Sums:
    claims, matrix = block.claims, block.matrix
    names = claims.features.column_names
    is_text = column in names and is_category(claims.features[column])
    numbers = np.full(matrix.n_claims, np.nan)
    if column in names and not is_text:
        numbers = cells(claims, column)
    closed = np.array([profile.domain != "open" for profile in matrix.profiles])
    said = {
        (name, label)
        for name, labels in values_by_attribute(matrix, closed).items()
        for label in labels
    }
    for profile in matrix.profiles:
        if profile.kind == "boolean":
            said |= {(profile.name, str(profile.positive)), (profile.name, str(profile.negative))}
    return {
        "counts": NumberCounts.of(numbers),
        "n_categories": int(is_text),
        "said": Together(frozenset(said)),
    }


def _sides(
    blocks: Blocks[ClaimBlock], column: str, said: frozenset[tuple[str, str]]
) -> dict[str, tuple[str, str]] | str | None:
    """Return the lower and the upper value of each attribute, if values follow from the column.

    None if they do not; or why the column cannot be used. Unlike the screen of features, this looks
    at the values of closed domains over all items: within an item, whoever is right says the same,
    and may well be surer.
    """
    labels: dict[str, list[str]] = {}
    for name, label in sorted(said):
        labels.setdefault(name, []).append(label)
    if not labels:
        return None
    sums = blocks.total(_by_label, column, labels)
    n, total, squares = (sums[name] for name in ("n", "total", "squares"))
    pairs, first = {}, 0
    share_of: dict[bool, float] = {True: 0.0, False: 0.0}
    for name, own in labels.items():
        part = slice(first, first + len(own))
        is_pair = len(own) == 2
        share_of[is_pair] = max(share_of[is_pair], _share(n[part], total[part], squares[part]))
        mean = total[part] / np.maximum(n[part], 1.0)
        if is_pair:
            pairs[name] = (own[0], own[1]) if mean[0] <= mean[1] else (own[1], own[0])
        first += len(own)
    if share_of[False] > MAX_VALUE_SHARE:
        return "derived from the value, and there are more than two values"
    return pairs if share_of[True] > MAX_VALUE_SHARE_GRBM else None


def _share(n: Floats, total: Floats, squares: Floats) -> float:
    """Return the share of the variance of numbers that the value explains."""
    n_all = max(float(n.sum()), 1.0)
    about_mean = float(squares.sum()) - float(total.sum()) ** 2 / n_all
    within = float((squares - total**2 / np.maximum(n, 1.0)).sum())
    return 1.0 - within / about_mean if about_mean > MIN_VARIANCE * n_all else 0.0


def _by_label(block: ClaimBlock, column: str, labels: dict[str, list[str]]) -> Sums:
    """Count and add up the numbers, and their squares, of the claims of each value."""
    numbers, place = cells(block.claims, column), labels_of(block.matrix, labels)
    here = (place >= 0) & np.isfinite(numbers)
    at, x, size = place[here], numbers[here], sum(map(len, labels.values()))
    powers = {"n": np.ones(len(x)), "total": x, "squares": x**2}
    return {name: sum_by(at, power, size) for name, power in powers.items()}


def _moments(
    block: ClaimBlock,
    column: str,
    scale: ConfidenceScale,
    number: Number,
    sides: dict[str, tuple[str, str]] | None,
    n_sources: int,
) -> Sums:
    """Add up numbers and their squares for each source of a block, and each side."""
    matrix, n_sides = block.matrix, 1 if sides is None else 2
    x = scaled(scale, number, cells(block.claims, column))
    side = sides_of(matrix, sides)
    here = (side >= 0) & np.isfinite(x)
    at = (n_sides * matrix.source_index.astype(np.int64) + side)[here]
    shape, size = (matrix.n_sources, n_sides), matrix.n_sources * n_sides
    powers = {"n": np.ones(len(at)), "total": x[here], "squares": x[here] ** 2}
    return {
        name: Scattered(block.place, sum_by(at, numbers, size).reshape(shape), n_sources)
        for name, numbers in powers.items()
    }


def _standard(n: Floats, total: Floats, squares: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean of each source, that of all, and the usual spread within a source.

    The mean of a source is drawn to that of all, as if by a few typical claims.
    """
    n_all = np.maximum(n.sum(axis=0), 1.0)
    typical = total.sum(axis=0) / n_all
    mean = (total + TYPICAL * typical) / (n + TYPICAL)
    within = squares - 2.0 * mean * total + n * mean**2
    variance = within.sum(axis=0) / n_all
    return mean, typical, np.sqrt(np.maximum(variance, MIN_VARIANCE))
