"""Biases of judges: for the first answer, for the longer one, for yes; each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr

from veracity.data.arrays import Floats, Mask
from veracity.workflow.jury.beliefs import Beliefs
from veracity.workflow.jury.panel import Panel
from veracity.workflow.jury.preference import (
    REACH,
    Preference,
    estimate_preference,
    share_at_even_odds,
)

#: False discoveries among the biases that are reported, and how large a bias must be to matter.
LEVEL, MIN_SHIFT = 0.05, 0.05
#: What each bias is called, and what is missing where it cannot be seen.
KINDS = ("position", "verbosity", "yes")
NOT_SEEN = {
    "position": "No column says which answer was shown first, so position bias cannot be seen. "
    "Add a column position (first or second: the place of the chosen answer) or swapped.",
    "verbosity": "No columns hold the lengths of the two answers, so verbosity bias cannot be "
    "seen. Add length_a and length_b.",
    "yes": "The verdicts are not yes and no, so there is no yes bias.",
}
MIN_PAIRS = 10
#: Judges that must be left to say what is right when others are known to be biased.
MIN_OTHERS = 2
#: Judges that are needed to tell who of them says yes more often than the rest.
MIN_JUDGES_FOR_YES = 4
#: How far beliefs in yes may be off, in log-odds; and how far they are kept from 0 and 1.
MAX_OFFSET, CLIP = 2.0, 1e-6
TOO_FEW_FOR_YES = (
    f"Yes bias is told beside the other judges, which takes at least {MIN_JUDGES_FOR_YES} judges "
    "with enough verdicts."
)


@dataclass(frozen=True)
class Bias:
    """A bias of one judge, or of all of them (judge is None).

    Attributes
    ----------
    kind, judge
        Which, and whose.
    n_verdicts
        On how many verdicts it rests.
    share, believed
        How often the judge takes the side, and how often it should by what others believe.
    preference
        The bias in log-odds; None where there are too few verdicts.
    is_found
        Whether it stands out when all biases of all judges are tested together, and matters.
    """

    kind: str
    judge: str | None
    n_verdicts: int
    share: float
    believed: float
    preference: Preference | None
    is_found: bool = False

    @property
    def shift(self) -> float | None:
        """How much more often than half the side is taken where nothing speaks for either."""
        if self.preference is None:
            return None
        return share_at_even_odds(self.preference.log_odds) - 0.5


@dataclass(frozen=True)
class Consistency:
    """Pairs of verdicts of a judge on one question, shown in both orders.

    Attributes
    ----------
    judge
        Who.
    n_pairs, n_same
        How many pairs there are, and on how many the verdict stayed the same.
    n_first, n_second
        How often both verdicts were for the answer shown first, and for that shown second.
    """

    judge: str
    n_pairs: int
    n_same: int
    n_first: int
    n_second: int

    @property
    def share(self) -> float:
        """The share of pairs with the same verdict."""
        return self.n_same / self.n_pairs

    @property
    def interval(self) -> tuple[float, float]:
        """Its 90 % interval (Wilson)."""
        n, p, z = self.n_pairs, self.share, REACH
        centre, reach = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2)
        below = 1 + z * z / n
        return float((centre - reach) / below), float((centre + reach) / below)


@dataclass(frozen=True)
class Biases:
    """All biases that the columns tell of, by judge and in total; why others are not seen."""

    by_judge: Sequence[Bias] = ()
    total: Sequence[Bias] = ()
    consistency: Sequence[Consistency] = ()
    not_seen: Mapping[str, str] = field(default_factory=dict)

    @property
    def found(self) -> list[Bias]:
        """Those that stand out, the largest first."""
        found = [bias for bias in self.by_judge if bias.is_found]
        return sorted(found, key=lambda bias: -abs(bias.shift or 0.0))


def find_biases(
    panel: Panel, without: Mapping[str, Beliefs], fit: Callable[[frozenset[str]], Beliefs]
) -> Biases:
    """Estimate the biases of judges, each beside what the others believe.

    Parameters
    ----------
    panel
        The verdicts.
    without
        What is believed without each judge.
    fit
        Says what some judges believe.
    """
    sides = dict(zip(KINDS, (panel.took_first, panel.took_longer, panel.took_yes), strict=True))
    found: list[Bias] = []
    not_seen = {}
    for kind, took in sides.items():
        if np.isnan(took).all():
            not_seen[kind] = NOT_SEEN[kind]
            continue
        shift = 0.0
        if kind == "yes":
            offset = _offset_of_yes(panel, took, without)
            if offset is None:
                not_seen[kind] = TOO_FEW_FOR_YES
                continue
            shift = offset
        found += [_of_judge(panel, kind, took, judge, without, shift) for judge in without]
    found = [bias for bias in found if bias.n_verdicts]
    found = _confirmed(panel, _marked(found), sides, fit)
    total = [
        _in_total(kind, [bias for bias in found if bias.kind == kind])
        for kind in sides
        if kind != "yes"  # what all judges have in common cannot be told from how often yes is true
    ]
    return Biases(
        found, [bias for bias in total if bias is not None], _consistency(panel), not_seen
    )


def _of_judge(
    panel: Panel,
    kind: str,
    took: Floats,
    judge: str,
    without: Mapping[str, Beliefs],
    offset: float = 0.0,
) -> Bias:
    """Estimate a bias of a judge; the log-odds of the side are moved by `offset`."""
    beliefs = without[judge]
    own = (panel.judge == panel.judges.index(judge)) & ~np.isnan(took)
    own &= beliefs.heard[panel.item]
    chosen = beliefs.plausibility[panel.statement[own]]
    right = np.where(took[own] == 1, chosen, 1.0 - chosen)
    right = expit(logit(np.clip(right, CLIP, 1.0 - CLIP)) + offset)
    n = int(own.sum())
    share, believed = (float(took[own].mean()), float(right.mean())) if n else (0.0, 0.0)
    preference = estimate_preference(took[own], right, panel.item[own])
    return Bias(kind, judge, n, share, believed, preference)


def _offset_of_yes(panel: Panel, took: Floats, without: Mapping[str, Beliefs]) -> float | None:
    """Return the offset of beliefs in yes at which the median judge has no bias; None if few.

    How often yes is true is not known, and what is believed of it depends on the judges. So a
    preference that most of them have is taken to be none, and who differs from most is seen.
    """

    def median_bias(offset: float) -> float:
        biases = [_of_judge(panel, "yes", took, judge, without, offset) for judge in without]
        known = [bias.preference.log_odds for bias in biases if bias.preference is not None]
        return float(np.median(known)) if len(known) >= MIN_JUDGES_FOR_YES else np.nan

    low, high = median_bias(-MAX_OFFSET), median_bias(MAX_OFFSET)
    if np.isnan(low):
        return None
    if low * high > 0:  # even so large an offset does not settle it
        return MAX_OFFSET if abs(high) < abs(low) else -MAX_OFFSET
    return float(brentq(median_bias, -MAX_OFFSET, MAX_OFFSET, xtol=0.02))


def _marked(biases: list[Bias]) -> list[Bias]:
    """Mark the biases that stand out when all are tested together."""
    known = [bias for bias in biases if bias.preference is not None]
    stands_out = benjamini_hochberg(
        np.array([bias.preference.p_value for bias in known if bias.preference is not None])
    )
    marks = {
        (bias.kind, bias.judge): bool(mark) and abs(bias.shift or 0.0) >= MIN_SHIFT
        for bias, mark in zip(known, stands_out, strict=True)
    }
    return [replace(bias, is_found=marks.get((bias.kind, bias.judge), False)) for bias in biases]


def _confirmed(
    panel: Panel,
    biases: list[Bias],
    sides: Mapping[str, Floats],
    fit: Callable[[frozenset[str]], Beliefs],
) -> list[Bias]:
    """Keep biases that are not the shadow of a larger one.

    A judge that always takes the first answer makes others look as if they preferred the second, if
    the order is not balanced. So the largest
    bias of a kind is kept, and every other one is estimated again without the judges that are
    already known to be biased.
    """
    shadows = set()
    for kind, took in sides.items():
        if kind == "yes":  # is told beside the median, on which one judge has little influence
            continue
        own = [bias for bias in biases if bias.kind == kind and bias.is_found]
        known: list[str] = []
        for bias in sorted(own, key=lambda bias: -abs(bias.shift or 0.0)):
            assert bias.judge is not None
            others = frozenset(panel.judges) - {bias.judge, *known}
            if known and len(others) >= MIN_OTHERS:
                again = _of_judge(panel, kind, took, bias.judge, {bias.judge: fit(others)})
                if not _stands_out(again, bias):
                    shadows.add((kind, bias.judge))
                    continue
            known.append(bias.judge)
    return [
        replace(bias, is_found=bias.is_found and (bias.kind, bias.judge) not in shadows)
        for bias in biases
    ]


def _stands_out(again: Bias, before: Bias) -> bool:
    """Whether a bias that was estimated again still matters, and on the same side."""
    if again.preference is None or again.preference.p_value > LEVEL:
        return False
    shift, first = again.shift or 0.0, before.shift or 0.0
    return abs(shift) >= MIN_SHIFT and (shift > 0) == (first > 0)


def benjamini_hochberg(p_values: Floats, level: float = LEVEL) -> Mask:
    """Mark the hypotheses to reject so that few of these are true (Benjamini, Hochberg, 1995).

    >>> benjamini_hochberg(np.array([0.001, 0.04, 0.9])).tolist()
    [True, False, False]
    """
    count = len(p_values)
    order = np.argsort(p_values)
    passed = np.flatnonzero(p_values[order] <= level * np.arange(1, count + 1) / max(count, 1))
    rejected = np.zeros(count, np.bool_)
    rejected[order[: passed.max(initial=-1) + 1]] = True
    return rejected


def _in_total(kind: str, biases: Sequence[Bias]) -> Bias | None:
    """Return the mean bias of judges: random effects, after DerSimonian and Laird (1986)."""
    known = [(bias, bias.preference) for bias in biases if bias.preference is not None]
    if len(known) < 2:
        return None
    effect = np.array([preference.log_odds for _, preference in known])
    variance = np.array([preference.error for _, preference in known]) ** 2
    weight = 1.0 / variance
    fixed = float(np.average(effect, weights=weight))
    excess = float(weight @ (effect - fixed) ** 2) - (len(known) - 1)
    scale = weight.sum() - (weight**2).sum() / weight.sum()
    weight = 1.0 / (variance + max(excess / scale, 0.0))
    mean = Preference(float(np.average(effect, weights=weight)), float(weight.sum() ** -0.5))
    counts = np.array([bias.n_verdicts for bias, _ in known])
    share = float(np.average([bias.share for bias, _ in known], weights=counts))
    believed = float(np.average([bias.believed for bias, _ in known], weights=counts))
    stands_out = 2.0 * ndtr(-abs(mean.log_odds) / mean.error) <= LEVEL
    total = Bias(kind, None, int(counts.sum()), share, believed, mean)
    return replace(total, is_found=bool(stands_out) and abs(total.shift or 0.0) >= MIN_SHIFT)


def _consistency(panel: Panel) -> list[Consistency]:
    """Compare the verdicts of judges on questions that they saw in both orders."""
    found = []
    known = ~np.isnan(panel.swapped)
    for index, judge in enumerate(panel.judges):
        own = known & (panel.judge == index)
        plain = _only(panel, own & (panel.swapped == 0))
        turned = _only(panel, own & (panel.swapped == 1))
        both = sorted(plain.keys() & turned.keys())
        if len(both) < MIN_PAIRS:
            continue
        same = sum(plain[item][0] == turned[item][0] for item in both)
        firsts = [plain[item][1] + turned[item][1] for item in both]
        found.append(Consistency(judge, len(both), same, firsts.count(2.0), firsts.count(0.0)))
    return found


def _only(panel: Panel, which: Mask) -> dict[int, tuple[int, float]]:
    """Return statement and side of the verdicts on items that have one such verdict."""
    items, place, count = np.unique(panel.item[which], return_index=True, return_counts=True)
    statement, first = panel.statement[which], panel.took_first[which]
    return {
        int(item): (int(statement[at]), float(first[at]))
        for item, at, n in zip(items, place, count, strict=True)
        if n == 1
    }
