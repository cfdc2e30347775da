"""What the confidence that a judge states is worth, beside what all other judges believe.

A verdict that a judge states with confidence c is right with the probability

    r(c) = σ(α + β logit(c))

with α = 0 and β = 1 for a judge that means what it says. By the others, the verdict is right with
plausibility q, so that the judge gives it with the probability

    q r + (1 - q) (1 - r) / (D - 1)

where D is the number of possible verdicts. Averaging q over verdicts of one confidence would not
do: where others know nothing, q is a half whatever the judge knows.

How sure the others are cannot be known without labels, so q is taken three ways: as if judges erred
independently (see `sharpening`), which gives the estimate; as the model has it, which flatters the
judge; and the plausibility by all judges together in place of the mixture, which is too low. What a
stated confidence is worth is told with an interval that spans all three, and a judge's confidence
is called off only if all of them say so. Known truth narrows the interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit, ndtr

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.terms.confidence import MIN_PERCENT
from veracity.workflow.jury.beliefs import Beliefs
from veracity.workflow.jury.biases import benjamini_hochberg
from veracity.workflow.jury.panel import Panel
from veracity.workflow.jury.preference import MIN_VERDICTS, REACH, sandwich_errors

Scale = Literal["probability", "score"]
#: Mean and standard deviation of the priors of α and β: what is said is meant.
SHIFT, SLOPE = (0.0, 1.5), (1.0, 1.0)
#: A score that is no probability says nothing by itself.
SLOPE_OF_SCORE = (0.0, 1.0)
CLIP = 0.01
#: The confidence whose worth is told, and the share of verdicts that must be stated on one side.
ASKED, ONE_SIDED = 0.9, 0.95
BINS = 5
MIN_IN_BIN = 10


@dataclass(frozen=True)
class Bin:
    """Verdicts of about the same stated confidence, and how often they are right."""

    stated: float
    right: float
    low: float
    high: float
    n_verdicts: int


@dataclass(frozen=True)
class Calibration:
    """What the stated confidence of a judge is worth.

    Attributes
    ----------
    judge, n_verdicts
        Whose, and on how many verdicts it rests.
    slope, slope_low, slope_high
        How much the confidence says: 1 for an honest judge, 0 for one whose confidence says
        nothing; of a score, the log-odds that a standard deviation adds.
    worth, worth_low, worth_high
        How often a verdict stated with 90 % is right; None for a score.
    ece
        Mean distance of stated confidence from the share that is right, over bins; None for a
        score.
    bins
        The reliability curve.
    is_off
        Whether 90 % is clearly not worth 90 %, when all judges are tested together.
    """

    judge: str
    n_verdicts: int
    slope: float
    slope_low: float
    slope_high: float
    worth: float | None
    worth_low: float | None
    worth_high: float | None
    ece: float | None
    bins: Sequence[Bin]
    p_value: float
    is_off: bool = False


@dataclass(frozen=True)
class Confidence:
    """Stated confidence of all judges: on which scale, and what it is worth.

    ``too_few`` names the judges that state it too seldom to say.
    """

    scale: Scale
    judges: Sequence[Calibration] = ()
    too_few: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Seen:
    """The verdicts of a judge that state a confidence; (n_verdicts,).

    Attributes
    ----------
    stated
        The confidence.
    others, unsure
        How plausible the verdict is without the judge, sharpened and as the model has it.
    all_judges
        How plausible it is with all of them.
    n_values
        How many verdicts are possible.
    question
        A number for its question.
    """

    stated: Floats
    others: Floats
    unsure: Floats
    all_judges: Floats
    n_values: Floats
    question: Indices

    def wrong(self, right: Floats) -> Floats:
        """Return the mean plausibility of the verdicts that were not given."""
        return np.asarray((1.0 - right) / np.maximum(self.n_values - 1.0, 1.0))


def calibrate(
    panel: Panel, full: Beliefs, without: Mapping[str, Beliefs], sharp: Mapping[str, Beliefs]
) -> Confidence | None:
    """Measure what stated confidence is worth; None where nobody states any.

    Parameters
    ----------
    panel
        The verdicts.
    full, without
        What is believed with all judges, and without each of them.
    sharp
        The latter, as sure as if judges erred independently.
    """
    stated, scale = on_scale(panel)
    if np.isnan(stated).all():
        return None
    found, too_few = [], []
    sizes = panel.matrix.domain_size[panel.item].astype(np.float64)
    for judge, beliefs in sharp.items():
        own = (panel.judge == panel.judges.index(judge)) & ~np.isnan(stated)
        if not own.any():
            continue
        own &= beliefs.heard[panel.item]
        if own.sum() < MIN_VERDICTS or np.ptp(stated[own]) == 0:
            too_few.append(judge)
            continue
        said = panel.statement[own]
        seen = Seen(
            stated[own],
            beliefs.plausibility[said],
            without[judge].plausibility[said],
            full.plausibility[said],
            sizes[own],
            panel.item[own],
        )
        found.append(_of_judge(judge, seen, scale))
    off = benjamini_hochberg(np.array([one.p_value for one in found]))
    marked = [
        Calibration(**{**vars(one), "is_off": bool(mark) and one.worth is not None})
        for one, mark in zip(found, off, strict=True)
    ]
    return Confidence(scale, marked, too_few)


def on_scale(panel: Panel) -> tuple[Floats, Scale]:
    """Return stated confidence as the probability of the own verdict, or as a score as it is."""
    stated = panel.confidence
    known = stated[~np.isnan(stated)]
    if not len(known) or known.min() < 0 or known.max() > 100:
        return stated, "score"
    if known.max() > 1:
        if known.max() < MIN_PERCENT:
            return stated, "score"
        stated = stated / 100.0
    return _of_own_verdict(stated, panel), "probability"


def _of_own_verdict(stated: Floats, panel: Panel) -> Floats:
    """Turn round the probability of one verdict, such as yes, where a judge gives the other."""
    value = panel.matrix.value_index[panel.statement]
    sure = ~np.isnan(stated) & (stated != 0.5)
    if not sure.any():
        return stated
    low, high = value[sure & (stated < 0.5)], value[sure & (stated > 0.5)]
    if len(low) < MIN_IN_BIN or len(high) < MIN_IN_BIN:
        return stated
    commonest = np.bincount(low).argmax()
    is_cut = (low == commonest).mean() > ONE_SIDED and (high != commonest).mean() > ONE_SIDED
    return np.where(value == commonest, 1.0 - stated, stated) if is_cut else stated


def _of_judge(judge: str, seen: Seen, scale: Scale) -> Calibration:
    n, wrong = len(seen.stated), seen.wrong(seen.others)
    bins = _bins(seen.stated, seen.others, wrong)
    if scale == "score":
        x = (seen.stated - seen.stated.mean()) / max(float(seen.stated.std()), 1e-9)
        line = _fit(x, seen.others, wrong, seen.question, (SHIFT, SLOPE_OF_SCORE))
        return Calibration(judge, n, *line.slope, None, None, None, None, bins, line.p_of_slope)
    x = logit(np.clip(seen.stated, CLIP, 1.0 - CLIP))
    apart, flattered, together = (
        _fit(x, right, others, seen.question, (SHIFT, SLOPE))
        for right, others in (
            (seen.others, wrong),
            (seen.unsure, seen.wrong(seen.unsure)),
            (seen.all_judges, None),
        )
    )
    ends = [line.at(float(logit(ASKED))) for line in (apart, flattered, together)]
    worth = float(expit(ends[0][0]))
    low = float(expit(min(level - REACH * error for level, error in ends)))
    high = float(expit(max(level + REACH * error for level, error in ends)))
    z = np.array([(level - float(logit(ASKED))) / error for level, error in ends])
    one_sided = bool((z > 0).all() or (z < 0).all())
    p_value = float(2.0 * ndtr(-np.abs(z).min())) if one_sided else 1.0
    counts = np.array([one.n_verdicts for one in bins], np.float64)
    gaps = np.array([abs(one.right - one.stated) for one in bins])
    ece = float(counts @ gaps / counts.sum()) if len(bins) else None
    return Calibration(judge, n, *apart.slope, worth, low, high, ece, bins, p_value)


@dataclass(frozen=True, eq=False)
class Line:
    """A fitted line α + β x in log-odds, with the covariance of α and β."""

    coefficients: Floats
    covariance: Floats

    @property
    def slope(self) -> tuple[float, float, float]:
        """β, and its 90 % interval."""
        beta, error = float(self.coefficients[1]), float(np.sqrt(self.covariance[1, 1]))
        return beta, beta - REACH * error, beta + REACH * error

    @property
    def p_of_slope(self) -> float:
        """How likely so large a slope is where there is none."""
        beta, error = float(self.coefficients[1]), float(np.sqrt(self.covariance[1, 1]))
        return float(2.0 * ndtr(-abs(beta) / error))

    def at(self, x: float) -> tuple[float, float]:
        """Return the log-odds at x, and their error."""
        place = np.array([1.0, x])
        return float(place @ self.coefficients), float(np.sqrt(place @ self.covariance @ place))


def _fit(
    x: Floats,
    right: Floats,
    wrong: Floats | None,
    question: Indices,
    prior: tuple[tuple[float, float], tuple[float, float]],
) -> Line:
    """Fit r = σ(α + β x), by the mixture of right and wrong, or to shares that are right."""
    design = np.stack([np.ones(len(x)), x], axis=1)
    centre = np.array([one[0] for one in prior])
    precision = np.array([one[1] for one in prior]) ** -2.0

    def of_verdicts(at: Floats) -> tuple[Floats, Floats]:
        r = expit(design @ at)
        if wrong is None:
            likelihood = right * np.log(np.maximum(r, 1e-300))
            likelihood += (1.0 - right) * np.log(np.maximum(1.0 - r, 1e-300))
            return likelihood, (right - r)[:, None] * design
        total = np.maximum(right * r + wrong * (1.0 - r), 1e-300)
        return np.log(total), ((right - wrong) * r * (1.0 - r) / total)[:, None] * design

    def negative(at: Floats) -> tuple[float, Floats]:
        likelihood, gradient = of_verdicts(at)
        pull = precision * (at - centre)
        value = -float(likelihood.sum()) + 0.5 * float(pull @ (at - centre))
        return value, pull - gradient.sum(axis=0)

    found = minimize(negative, centre, jac=True, method="L-BFGS-B").x
    step = 1e-4
    curvature = np.stack(
        [
            of_verdicts(found - move)[1].sum(axis=0) - of_verdicts(found + move)[1].sum(axis=0)
            for move in step * np.eye(2)
        ]
    ) / (2 * step)
    values, vectors = np.linalg.eigh(0.5 * (curvature + curvature.T) + np.diag(precision))
    bread = (vectors / np.maximum(values, precision.min())) @ vectors.T
    scale = sandwich_errors(bread, of_verdicts(found)[1], question) / np.sqrt(np.diag(bread))
    return Line(found, bread * np.outer(scale, scale))


def _bins(stated: Floats, others: Floats, wrong: Floats) -> list[Bin]:
    """Return the share of right verdicts in bins of about equally many."""
    edges = np.unique(np.quantile(stated, np.linspace(0, 1, BINS + 1)))
    place = np.clip(np.searchsorted(edges, stated, side="right") - 1, 0, max(len(edges) - 2, 0))
    found = []
    for number in np.unique(place):
        own = place == number
        if own.sum() < MIN_IN_BIN:
            continue
        right, low, high = share_right(others[own], wrong[own])
        found.append(Bin(float(stated[own].mean()), right, low, high, int(own.sum())))
    return found


def share_right(others: Floats, wrong: Floats) -> tuple[float, float, float]:
    """Return the likeliest share of right verdicts and its 90 % interval, by likelihood.

    >>> share_right(np.ones(10), np.zeros(10))[0]
    1.0
    """
    grid = np.linspace(0.0, 1.0, 401)
    total = others[:, None] * grid + wrong[:, None] * (1.0 - grid)
    log_likelihood = np.log(np.maximum(total, 1e-300)).sum(axis=0)
    inside = grid[log_likelihood >= log_likelihood.max() - 0.5 * REACH**2]
    return float(grid[log_likelihood.argmax()]), float(inside[0]), float(inside[-1])
