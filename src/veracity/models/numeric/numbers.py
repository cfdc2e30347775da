"""Shared parts of numeric models: claims as numbers, means, medians, verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from scipy import special

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.data.claims import Claims
from veracity.data.clean.numbers import numbers_of, numeric_items, statement_numbers
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import distinct, starts
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note, plural
from veracity.data.output.results import Estimates
from veracity.errors import InputError, listing
from veracity.models.base import Judgement
from veracity.models.baselines.majority_vote import MajorityVote

#: The intervals hold the truth with this probability, as far as the model is right.
COVERAGE = 0.95
#: So many standard errors from the mean the 95 % interval of a normal distribution ends.
REACH = float(special.ndtri((1 + COVERAGE) / 2))
#: Cumulative weights this close are the same: sums differ by rounding alone.
ROUNDING = 1e-9
#: Larger numbers have no square.
LARGEST = 1e150
#: From this share on, values are said to look like numbers.
MOSTLY = 0.9
LABELS_LOOKED_AT = 1000


@dataclass(frozen=True, eq=False)
class Numbers:
    """The claims that name a number for an item that was declared to have one.

    Claims without weight and denials name none. Claims are sorted by item and number.

    Attributes
    ----------
    matrix
        All claims.
    of_statement
        The number of each statement, NaN where it has none; (n_statements,).
    item, source, statement, claim, value, weight
        What each claim is about, who makes it, what it says, its place in the matrix, and how much
        it counts; (n,).
    """

    matrix: ClaimMatrix
    of_statement: Floats
    item: Indices
    source: Indices
    statement: Indices
    claim: Indices
    value: Floats
    weight: Floats

    @classmethod
    def of(cls, claims: Claims) -> Numbers:
        """Find the claims that name a number."""
        matrix, of_claim = claims.matrix, claims.numbers
        of_claim[np.abs(of_claim) > LARGEST] = np.nan
        number = statement_numbers(matrix)
        number[np.abs(number) > LARGEST] = np.nan
        weight = matrix.claim_weight
        claim = np.flatnonzero((matrix.claim_value == 1) & (weight > 0) & ~np.isnan(of_claim))
        claim = claim[np.lexsort((of_claim[claim], matrix.item_of_claim[claim]))]
        return cls(
            matrix,
            number,
            matrix.item_of_claim[claim].astype(np.int64),
            matrix.source_index[claim].astype(np.int64),
            matrix.statement_index[claim].astype(np.int64),
            claim,
            of_claim[claim],
            weight[claim],
        )

    def __len__(self) -> int:
        return len(self.item)

    @cached_property
    def n_claims(self) -> Indices:
        """How many claims name a number of each item; (n_items,)."""
        return np.bincount(self.item, minlength=self.matrix.n_items)

    @property
    def has_number(self) -> Mask:
        """Which items have a claimed number; (n_items,)."""
        return self.n_claims > 0

    def sum_by_item(self, of_claim: Floats) -> Floats:
        """Add up numbers of claims for each item; (n_items,)."""
        return sum_by(self.item, of_claim, self.matrix.n_items)

    def sum_by_source(self, of_claim: Floats) -> Floats:
        """Add up numbers of claims for each source; (n_sources,)."""
        return sum_by(self.source, of_claim, self.matrix.n_sources)

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation of the claimed numbers of each item; (n_items,)."""
        return deviation(self, self.weight)

    @property
    def notes(self) -> list[Note]:
        """What a user should know about values that are no numbers."""
        matrix = self.matrix
        strange = np.isnan(self.of_statement) & numeric_items(matrix)[matrix.item_of_statement]
        count = int(strange.sum())
        if not count:
            return []
        text = (
            f"{plural(count, 'value')} of numeric attributes cannot be read as a number. If "
            "another source gives a number, such a value has plausibility 0; else a vote decides."
        )
        return [Note("numbers", text, count)]


def deviation(numbers: Numbers, weight: Floats) -> Floats:
    """Return the standard deviation of the numbers of each item, NaN where it has none."""
    total = _total(numbers, weight)
    mean = numbers.sum_by_item(weight * numbers.value) / total
    away = numbers.value - mean[numbers.item]
    return np.sqrt(numbers.sum_by_item(weight * away**2) / total)


def needed_numbers(claims: Claims, model: str) -> Numbers:
    """Return the numbers of claims, or say what is missing where no attribute is numeric."""
    if not any(profile.numeric for profile in claims.attributes):
        raise InputError(_no_numbers(claims, model))
    return Numbers.of(claims)


def votes_on_others(claims: Claims, numbers: Numbers) -> Floats:
    """Return plausibilities by majority vote, for items without a number; (n_statements,)."""
    if numbers.has_number.all():
        return np.zeros(claims.matrix.n_statements)
    return MajorityVote()._judge(claims).plausibility


def notes_of(claims: Claims, numbers: Numbers) -> list[Note]:
    """Say which values are no numbers, and which attributes are decided by vote."""
    others = [profile.name for profile in claims.attributes if not profile.numeric]
    if not others:
        return numbers.notes
    text = f"Decided by majority vote, since they are not numbers: {listing(map(repr, others), 5)}."
    return [*numbers.notes, Note("numbers", text, len(others))]


def weighted_mean(numbers: Numbers, weight: Floats) -> Floats:
    """Return the weighted mean of each item, NaN where it has no number."""
    return _within(numbers, numbers.sum_by_item(weight * numbers.value) / _total(numbers, weight))


def weighted_median(numbers: Numbers, weight: Floats) -> Floats:
    """Return the weighted median of each item, between two numbers the middle of them."""
    _, up_to = _cumulated(numbers, weight)
    middle = _total(numbers, weight)[numbers.item] / 2
    slack = middle * ROUNDING
    below = numbers.value[_first_per_item(numbers, up_to >= middle - slack)]
    above = numbers.value[_first_per_item(numbers, up_to > middle + slack)]
    median = np.full(numbers.matrix.n_items, np.nan)
    median[numbers.has_number] = below + (above - below) / 2
    return median


def mean_of(numbers: Numbers, weight: Floats) -> Estimates:
    """Return the weighted mean of each item.

    With n = (sum w)^2 / sum w^2, which is the number of claims where all weights are equal, and s
    the standard deviation (n - 1 in its denominator), the standard error is s / sqrt(n), and the
    interval is that of Student's t with n - 1 degrees of freedom. One claim has neither.
    """
    mean = weighted_mean(numbers, weight)
    away = numbers.value - mean[numbers.item]
    total = _total(numbers, weight)
    size = _effective_size(numbers, weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(numbers.sum_by_item(weight * away**2) / total / (size - 1))
        reach = special.stdtrit(size - 1, (1 + COVERAGE) / 2) * error
    reach = np.where(np.isfinite(reach), reach, np.nan)
    return Estimates(mean, error, mean - reach, mean + reach)


def median_of(numbers: Numbers, weight: Floats) -> Estimates:
    """Return the weighted median of each item, with its interval and standard error.

    The interval runs from the k-th smallest to the k-th largest claim, with the largest k for
    which a binomial (n, 1/2) is below k with a probability of at most 2.5 %; fewer than six
    claims have none. The standard error is that of Maritz and Jarrett (A note on estimating the
    variance of the sample median, JASA 1978); one claim has none. Weights take the place of
    ranks, and n = (sum w)^2 / sum w^2 is rounded for the binomial.
    """
    median = weighted_median(numbers, weight)
    total = _total(numbers, weight)
    before, up_to = _cumulated(numbers, weight)
    size = _effective_size(numbers, weight)
    low, high = _order_interval(numbers, total, before, up_to, size)
    error = _maritz_jarrett(numbers, median, before, up_to, total, size)
    return Estimates(median, error, low, high)


def _total(numbers: Numbers, weight: Floats) -> Floats:
    """Return the weight of all claims of each item, NaN where there is none."""
    total = numbers.sum_by_item(weight)
    return np.where(total > 0, total, np.nan)


def _effective_size(numbers: Numbers, weight: Floats) -> Floats:
    """Return how many claims of equal weight the claims of an item count for, NaN for one."""
    total = numbers.sum_by_item(weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = total**2 / numbers.sum_by_item(weight**2)
    return np.where((numbers.n_claims > 1) & (size > 1 + ROUNDING), size, np.nan)


def _within(numbers: Numbers, mean: Floats) -> Floats:
    """Keep means between the smallest and the largest number of the item, against rounding."""
    known = np.flatnonzero(numbers.has_number)
    first = starts(numbers.item)
    last = np.append(first[1:], len(numbers)) - 1
    kept = mean.copy()
    kept[known] = np.clip(mean[known], numbers.value[first], numbers.value[last[: len(known)]])
    return kept


def _cumulated(numbers: Numbers, weight: Floats) -> tuple[Floats, Floats]:
    """Return the weight of the claims of the item before each claim, and with it."""
    up_to = np.cumsum(weight)
    first = starts(numbers.item)
    base = (up_to - weight)[first]
    up_to = up_to - np.repeat(base, np.diff(np.append(first, len(weight))))
    return up_to - weight, up_to


def _first_per_item(numbers: Numbers, holds: Mask) -> Indices:
    """Return the first claim of each item for which something holds; of none, its last one."""
    first = starts(numbers.item)
    last = np.append(first[1:], len(numbers)) - 1
    place = np.where(holds, np.arange(len(numbers)), len(numbers))
    return np.minimum(np.minimum.reduceat(place, first), last) if len(first) else first


def _order_interval(
    numbers: Numbers, total: Floats, before: Floats, up_to: Floats, size: Floats
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of each median, NaN where claims are too few for one."""
    low, high = np.full_like(size, np.nan), np.full_like(size, np.nan)
    known = np.flatnonzero(numbers.has_number)
    if not len(known):
        return low, high
    n = np.round(size[known])
    k = _binomial_rank(n)
    rank = (k / n * total[known])[np.searchsorted(known, numbers.item)]
    slack = total[numbers.item] * ROUNDING
    lowest = _first_per_item(numbers, up_to >= rank - slack)
    highest = _first_per_item(numbers, up_to > total[numbers.item] - rank + slack)
    exists = k >= 1
    low[known] = np.where(exists, numbers.value[lowest], np.nan)
    high[known] = np.where(exists, numbers.value[highest], np.nan)
    return low, high


def _binomial_rank(n: Floats) -> Floats:
    """Return the largest k with P(Binomial(n, 1/2) < k) of at most 2.5 %, NaN where n is."""
    tail = (1 - COVERAGE) / 2
    k = np.floor(n / 2 - REACH * np.sqrt(n) / 2) + 2
    for _ in range(5):  # the normal approximation is right to one or two
        is_below = special.betainc(np.maximum(n - k + 1, 1.0), np.maximum(k, 1.0), 0.5)
        k = np.where((k >= 1) & (is_below > tail), k - 1, k)
    return np.asarray(np.maximum(k, 0.0))


def _maritz_jarrett(
    numbers: Numbers, median: Floats, before: Floats, up_to: Floats, total: Floats, size: Floats
) -> Floats:
    """Return the standard error of each median, as an L-estimate of its second moment."""
    a = (size[numbers.item] + 1) / 2
    known = ~np.isnan(a)
    share = np.zeros(len(numbers))
    all_of = total[numbers.item][known]
    share[known] = special.betainc(
        a[known], a[known], np.minimum(up_to[known] / all_of, 1.0)
    ) - special.betainc(a[known], a[known], np.clip(before[known] / all_of, 0.0, 1.0))
    away = numbers.value - median[numbers.item]
    mean = numbers.sum_by_item(share * away)
    square = numbers.sum_by_item(share * away**2)
    variance = np.maximum(square - mean**2, 0.0)
    return np.where(np.isnan(size), np.nan, np.sqrt(variance))


def judgement(numbers: Numbers, estimates: Estimates, others: Floats) -> Judgement:
    """Judge statements by the numbers worked out, and those without a number as `others` says.

    The plausibility of a number is the probability that no other claimed number of the item is
    nearer to the truth, if the truth is normal about the estimate. Where the standard error is
    zero or not known, the nearest one has it all. The nearest one is believed.
    """
    has_number = numbers.has_number
    plausibility = np.where(has_number[numbers.matrix.item_of_statement], 0.0, others)
    score = plausibility.copy()
    numeric = has_number[numbers.matrix.item_of_statement]
    score[numeric] = -np.inf
    if not len(numbers):
        return Judgement(plausibility, score, estimates)
    statement, item, value = _claimed_numbers(numbers)
    estimate, error = estimates.value[item], estimates.standard_error[item]
    away = np.abs(value - estimate)
    begins = starts(item)
    size = np.diff(np.append(begins, len(item)))
    widest = np.repeat(np.maximum.reduceat(away, begins), size)
    nearness = -away / np.where(widest > 0, widest, 1.0)
    nearest = nearness >= np.repeat(np.maximum.reduceat(nearness, begins), size) - ROUNDING
    share = nearest / np.repeat(np.add.reduceat(nearest.astype(np.float64), begins), size)
    known = error > 0
    mass = _cell_masses(value, item, estimate, np.where(known, error, 1.0))
    plausibility[statement] = np.where(known, mass, share)
    # Of two that are as near, the more plausible.
    score[statement] = np.where(nearest, 1 + plausibility[statement], nearness)
    return Judgement(plausibility, score, estimates)


def _claimed_numbers(numbers: Numbers) -> tuple[Indices, Indices, Floats]:
    """Return the statements that somebody claims, with item and number, sorted by these."""
    statement = distinct(numbers.statement, stop=numbers.matrix.n_statements)
    item = numbers.matrix.item_of_statement[statement].astype(np.int64)
    order = np.lexsort((numbers.of_statement[statement], item))
    return statement[order], item[order], numbers.of_statement[statement[order]]


def _cell_masses(value: Floats, item: Indices, centre: Floats, error: Floats) -> Floats:
    """Return the normal probability of what is nearer to each number than to its neighbours."""
    boundary = value[:-1] + (value[1:] - value[:-1]) / 2
    within = item[1:] == item[:-1]
    below = np.where(within, special.ndtr((boundary - centre[:-1]) / error[:-1]), 1.0)
    upper, lower = np.append(below, 1.0), np.append(0.0, np.where(within, below, 0.0))
    return np.asarray(np.clip(upper - lower, 0.0, 1.0))


def _no_numbers(claims: Claims, model: str) -> str:
    """Say what the values look like, and how to declare numbers."""
    profiles = {profile.name: profile for profile in claims.attributes}
    declared = [name for name in profiles if claims.forms.comparison(name) == "number"]
    if declared:
        name = declared[0]
        if profiles[name].changing:
            return (
                f"{model} estimates numbers that stay as they are, but those of {name!r} change "
                "with time. Use the model grbm, or do not say that they change (--changing, "
                "Attribute(truth='changing'))."
            )
        return (
            f"{model} estimates numbers, but {name!r} is taken to be {profiles[name].kind} "
            f"({profiles[name].kind_reason}), so its items have no single number. If every item "
            f"has one true number, say so with --kind {name}=single, or Attribute('single', "
            "values='number')."
        )
    looks = {name: _look(claims.matrix, profile) for name, profile in profiles.items()}
    name = max(looks, key=lambda name: looks[name][0])
    share, example = looks[name]
    what = "look like numbers" if share >= MOSTLY else "do not look like numbers"
    if 0 < share < MOSTLY:
        what = f"look like numbers only in {share:.0%} of cases"
    advice = (
        "Choose another model; if they are numbers nevertheless, declare them"
        if share < MOSTLY
        else "Declare them"
    )
    return (
        f"{model} estimates numbers, but no attribute is declared as numeric. The values of "
        f"{name!r} {what}, for example {example!r}. {advice} with --compare {name}=number, or "
        f"attributes={{{name!r}: Attribute('single', values='number')}}."
    )


def _look(matrix: ClaimMatrix, profile: AttributeProfile) -> tuple[float, str]:
    """Return the share of an attribute's values that could be numbers, and an example."""
    index = matrix.attributes.to_pylist().index(profile.name)
    own = matrix.attribute_index[matrix.item_of_statement] == index
    labels = matrix.values.take(pa.array(matrix.value_index[own][:LABELS_LOOKED_AT].tolist()))
    known = ~np.isnan(numbers_of(labels))
    example = int(np.argmax(known)) if known.mean() >= MOSTLY else int(np.argmin(known))
    return float(known.mean()), str(labels[example].as_py())
