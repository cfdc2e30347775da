"""Guarantees: how long a list of verdicts may be that has few errors, by a random audit.

Verdicts are ranked, the most plausible first, and a uniform random sample of them is audited: a
person says which are right. A prefix of the ranking has *more than its share of errors* if more
than ``error_rate`` of its verdicts are wrong. For a prefix of r verdicts, m of them audited and e
of these wrong, that hypothesis is refuted if so few errors would be rare,

    P(X <= e) <= 1 - confidence,    X ~ Hypergeometric(r verdicts, floor(error_rate r) + 1 wrong, m)

which is exact: given m, the audited verdicts of a fixed prefix are a uniform sample of it, and the
more of its verdicts are wrong, the smaller is P(X <= e). Prefixes are tested from the shortest to
the longest, up to the first that is not refuted (fixed-sequence testing: Maurer, Hothorn and
Lehmacher, 1995). A list with more than its share of errors is stated only if the first such prefix
is refuted, which has a probability of at most 1 - confidence. For this, the prefixes must not
depend on the marks, so they follow from the numbers of verdicts and audits alone. The ranking must
not depend on the audited labels either, and n must be chosen before looking: who looks after each
mark and stops at the first success has many chances to be lucky (from 59 to 200 audits at 5 % and
95 %, where every prefix has one error too many, in about 15 % of 300 draws instead of 5 %).

What was tried: about 130 settings on drawn worlds (300 to 10,000 verdicts, 59 to 1,000 audits),
compared by the accepted share. About 40 of them were also looked at on public sets, which helped to
settle the first prefix, so that accepted shares on these sets are a little optimistic. Shares below
are for 60 worlds, at 5 %, 95 % and 200 audits, where 64 % could be accepted in hindsight.

- *The first prefix* decides most. As short as can be, it must have no error among its audits; the
  longer, the more it may have. The best is a prefix that is likely to hold enough audits, up to
  about two thirds of the way from the shortest to all verdicts in logarithms: 39 % of the verdicts,
  against 32 % from the shortest and 28 % from all. From 80 to 98 %, how likely matters little.
- *More prefixes* after it hardly matter: steps of 2 % take 39 %, steps of 25 % take 38 %.
- *Two sequences* at half the level each, one from the shortest and one from a longer prefix: 36 %.
- *Betting*, a likelihood ratio in which an auditor may look and stop at any time: 28 %, and nothing
  with 59 audits. One mixture over smaller error rates was tried; a better one may lose less.
- *A first prefix chosen by the plausibilities* was no better on public sets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import overload

import numpy as np
from scipy.stats import hypergeom

from veracity.data.arrays import Indices, Mask
from veracity.data.output.decisions import check_error_rate
from veracity.errors import InvalidParameter

#: How likely the first prefix is to hold the audits that it needs.
LIKELY = 0.95
#: How far the first prefix may be from the shortest to all verdicts, in logarithms.
TOWARDS_ALL = 0.65
#: By how much each prefix is longer than the one before.
STEP = 1.02
#: Room for rounding: 29 % of 100 are 29, and 1 - 0.95 is 0.05.
ROUNDING = 1e-9
DIGITS = 12


@dataclass(frozen=True)
class Limit:
    """The share of errors that a list may have, and the confidence that it has no more."""

    error_rate: float = 0.05
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_error_rate(self.error_rate)
        if not 0.5 <= self.confidence < 1:
            raise InvalidParameter(
                f"confidence must be at least 0.5 and less than 1. Got {self.confidence!r} instead."
            )

    @property
    def level(self) -> float:
        """How likely a list may be to have more errors, after all."""
        return round(1.0 - self.confidence, DIGITS)

    @overload
    def most_wrong(self, n_verdicts: int) -> int: ...

    @overload
    def most_wrong(self, n_verdicts: Indices) -> Indices: ...

    def most_wrong(self, n_verdicts: int | Indices) -> int | Indices:
        """Return how many of so many verdicts may be wrong."""
        most = np.floor(self.error_rate * np.asarray(n_verdicts) + ROUNDING).astype(np.int64)
        return int(most) if isinstance(n_verdicts, int) else most

    def __str__(self) -> str:
        return f"{100 * self.error_rate:g} % and {100 * self.confidence:g} %"


#: What a small sample is asked for instead.
MODEST = Limit(0.10, 0.90)


@dataclass(frozen=True)
class Prefix:
    """A prefix of the ranking that was tested.

    Attributes
    ----------
    n_ranked, n_listed
        How long it is, and how many of its verdicts are listed.
    n_audited, n_wrong, n_allowed
        How many are audited, how many of these are wrong, and how many may be; -1 if there are too
        few audits even without an error.
    p_value
        How likely so few errors were if the prefix had more than its share.
    """

    n_ranked: int
    n_listed: int
    n_audited: int
    n_wrong: int
    n_allowed: int
    p_value: float


@dataclass(frozen=True)
class Guarantee:
    """What an audit guarantees about the verdicts of a run.

    Attributes
    ----------
    limit
        The error rate and confidence that were asked for.
    n_items, n_audits, n_wrong
        How many verdicts there are, how many of them are audited, and how many of these are wrong.
    n_least
        How many audits are needed if none of them is wrong.
    listed
        The longest prefix that is guaranteed, None if there is none.
    failed
        The prefix that was not refuted, and ended the tests; None if there is none.
    """

    limit: Limit
    n_items: int
    n_audits: int
    n_wrong: int
    n_least: int
    listed: Prefix | None
    failed: Prefix | None

    @property
    def n_listed(self) -> int:
        """How many verdicts are guaranteed."""
        return 0 if self.listed is None else self.listed.n_listed

    @property
    def n_ranked(self) -> int:
        """The length of the prefix that they are from."""
        return 0 if self.listed is None else self.listed.n_ranked

    @property
    def share(self) -> float:
        """The guaranteed share of all verdicts."""
        return self.n_listed / self.n_items if self.n_items else 0.0

    @property
    def n_more(self) -> int:
        """How many more audits a longer list needs, if none of them is wrong; 0 if it has all."""
        if self.n_audits < self.n_least:
            return self.n_least - self.n_audits
        failed = self.failed
        if failed is None:
            return 0
        wrong = self.limit.most_wrong(failed.n_listed) + 1
        needed = least_sample(failed.n_ranked, wrong, failed.n_wrong, self.limit.level)
        lacking = max(needed - failed.n_audited, 1)
        return min(math.ceil(lacking * self.n_items / failed.n_ranked), self.n_items)


def least_audits(limit: Limit, n_items: int | None = None) -> int:
    """Return how many audits can guarantee anything, if none of them is wrong.

    Of a large number of verdicts if `n_items` is not given.

    >>> least_audits(Limit(0.05, 0.95)), least_audits(Limit(0.10, 0.90))
    (59, 22)
    >>> least_audits(Limit(0.05, 0.95), n_items=300)
    50
    """
    if n_items is None:
        return math.ceil(math.log(limit.level) / math.log1p(-limit.error_rate))
    return least_sample(n_items, limit.most_wrong(n_items) + 1, 0, limit.level)


@lru_cache(maxsize=65_536)  # as one audit follows another, much the same is asked again
def least_sample(n_verdicts: int, n_bad: int, n_wrong: int, level: float) -> int:
    """Return the size of the smallest sample in which so few errors are rare enough.

    The sample is of `n_verdicts`, of which `n_bad` are wrong. A sample of all shows them.
    """
    low, high = n_wrong + 1, n_verdicts
    while low < high:
        middle = (low + high) // 2
        if hypergeom.cdf(n_wrong, n_verdicts, n_bad, middle) <= level:
            high = middle
        else:
            low = middle + 1
    return low


@lru_cache(maxsize=256)
def prefix_lengths(n_items: int, n_audits: int, limit: Limit) -> tuple[int, ...]:
    """Return the lengths of the prefixes to test, the shortest first; none if all would fail."""
    if not n_items or n_audits < least_audits(limit, n_items):
        return ()
    lengths = [_first_length(n_items, n_audits, limit)]
    while lengths[-1] < n_items:
        longer = max(lengths[-1] + 1, round(STEP * lengths[-1]))
        lengths.append(min(longer, n_items))
    return tuple(lengths)


def _first_length(n_items: int, n_audits: int, limit: Limit) -> int:
    """Return the first prefix: that which may have most errors, and is not too long."""
    first = _shortest(n_items, n_audits, 0, limit)
    longest = first * (n_items / first) ** TOWARDS_ALL
    n_wrong = 1
    while (longer := _shortest(n_items, n_audits, n_wrong, limit)) <= longest:
        first, n_wrong = longer, n_wrong + 1
    # Nearly all are as good as all, and these hold all audits for sure.
    return first if STEP * first < n_items else n_items


def _shortest(n_items: int, n_audits: int, n_wrong: int, limit: Limit) -> int:
    """Return the shortest prefix that is likely to hold enough audits to have so many errors.

    One more than there are verdicts if there is none.
    """
    low, high = n_wrong + 1, n_items + 1
    while low < high:
        length = (low + high) // 2
        needed = least_sample(length, limit.most_wrong(length) + 1, n_wrong, limit.level)
        if hypergeom.sf(needed - 1, n_items, length, n_audits) >= LIKELY:
            high = length
        else:
            low = length + 1
    return low


def certify(audited: Mask, wrong: Mask, limit: Limit, kept: Mask | None = None) -> Guarantee:
    """Return the guarantee that an audit gives.

    All arrays are in the order of the ranking, the most plausible verdict first; (n_items,).

    Parameters
    ----------
    audited
        The verdicts of the random sample.
    wrong
        Those that are wrong; what it says about others is not looked at.
    limit
        The error rate and confidence.
    kept
        The verdicts that may be listed, all if not given. The others are judged with the rest, and
        the list without them keeps the promise: the limit is that of the smaller number.

    Examples
    --------
    >>> audited = np.arange(1000) % 10 == 0
    >>> found = certify(audited, np.arange(1000) > 800, Limit(0.05, 0.95))
    >>> found.n_listed, found.listed.n_audited, found.listed.n_wrong
    (804, 81, 0)
    """
    n_items, n_audits = len(audited), int(audited.sum())
    wrong = audited & wrong
    kept = np.ones(n_items, np.bool_) if kept is None else kept
    lengths = np.array(prefix_lengths(n_items, n_audits, limit), np.int64)
    n_kept, n_audited, n_wrong = (
        np.cumsum(mask, dtype=np.int64)[lengths - 1] for mask in (kept, audited, wrong)
    )
    bad = np.minimum(limit.most_wrong(n_kept) + 1, lengths)
    p_values = hypergeom.cdf(n_wrong, lengths, bad, n_audited)
    n_refuted = int(np.argmax(np.append(p_values, np.inf) > limit.level))
    tested = [
        _prefix(limit, float(p_values[place]), *map(int, counts))
        for place, counts in enumerate(zip(lengths, n_kept, n_audited, n_wrong, strict=True))
        if n_refuted - 1 <= place <= n_refuted
    ]
    listed = tested.pop(0) if n_refuted else None
    failed = tested[0] if tested else None
    least = least_audits(limit, n_items) if n_items else least_audits(limit)
    return Guarantee(limit, n_items, n_audits, int(wrong.sum()), least, listed, failed)


def _prefix(
    limit: Limit, p_value: float, n_ranked: int, n_listed: int, n_audited: int, n_wrong: int
) -> Prefix:
    """Return a prefix with what was found, and how many errors it may have."""
    bad = min(limit.most_wrong(n_listed) + 1, n_ranked)
    rare = hypergeom.cdf(np.arange(n_audited + 1), n_ranked, bad, n_audited) <= limit.level
    return Prefix(n_ranked, n_listed, n_audited, n_wrong, int(rare.sum()) - 1, p_value)
