"""GTM: numbers with normal errors, whose size is a matter of the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.data.notes import Note, plural
from veracity.data.output.results import Estimates
from veracity.data.truth.known import KnownTruth
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.numeric.numbers import (
    COVERAGE,
    Numbers,
    deviation,
    judgement,
    needed_numbers,
    notes_of,
    votes_on_others,
    weighted_mean,
    weighted_median,
)
from veracity.models.per_source import Learned, SourceLearner, check_iterations, largest_change
from veracity.models.whole_table import WholeTable


class GTM(WholeTable, SourceLearner):
    """Gaussian truth model: a claim is the truth plus a normal error of the source's own size.

    Zhao and Han, A probabilistic model for estimating real-valued truth from conflicting sources,
    QDB 2012. The numbers claimed for an item are first brought to one scale,
    z = (x - m) / s, with m their median, s their standard deviation (n - 1 in its denominator),
    and outliers set aside. Then

        variance of a source    v_s ~ inverse gamma(alpha, beta)
        truth of an item          t ~ normal(mu, sigma^2)
        claim of a source         z ~ normal(t, v_s)

    Expectation maximisation finds the variances with the largest posterior probability, over all
    truths. With w the weight of claims, 1 unless given:

        E step   1 / r^2 = 1 / sigma^2 + sum w / v_s      t = r^2 (mu / sigma^2 + sum w z / v_s)
        M step   v_s = (2 beta + sum w ((z - t)^2 + r^2)) / (2 (alpha + 1) + sum w)

    The truth of an item is m + s t, with standard error s r. Since s comes from the n claims of
    the item alone, the 95 % interval is that of Student's t with n - 1 degrees of freedom about it.

    It assumes that errors are independent, normal and as often too high as too low, and that a
    source errs alike on all items, measured by how far claims about them are apart. Items with
    one claim, or whose claims all agree, have no scale: they teach nothing about sources, what is
    claimed is believed, and the standard error is null. Denials name no number and are left out.
    Attributes that are not declared to be numbers are decided by majority vote. The plausibility
    of a claimed number is the probability that no other claimed one is nearer to the truth, if
    the truth is normal about m + s t with its standard error.

    An item with known truth keeps it throughout: t is what is known, r is 0, and m is t.

    Parameters
    ----------
    alpha, beta
        Of the prior of variances, whose mode is beta / (alpha + 1). The defaults count as much as
        22 claims.
    mu, sigma
        Mean and standard deviation of the prior of truths, on the scale of z.
    centre
        What m is: the ``median`` or the ``mean`` of the claims of the item.
    max_deviations
        Claims that are further from m than so many standard deviations are outliers. They are set
        aside, the standard deviation is taken of the others, and so on until none is left. None
        keeps all.
    max_relative_error
        Claims with |x - m| / |m| above this are outliers as well, from the start; the paper does
        so for populations of towns. None by default, since it is for numbers that are never near
        zero.
    max_iter, tol
        Iterations at most, and the largest change of a variance to stop at.
    random_state
        Seed for breaking ties.

    Attributes
    ----------
    history_
        Of each iteration, the change of the variances, and the logarithm of their posterior
        density before it, but for a constant, which never falls.

    Examples
    --------
    >>> from veracity import GTM, Attribute, Claims
    >>> depths = [("ann", "sea", "10"), ("bob", "sea", "10.5"), ("cat", "sea", "14")]
    >>> claims = Claims.from_triples(depths, attributes={"*": Attribute(values="number")})
    >>> truths = GTM().fit_predict(claims)
    >>> round(float(truths["value"][0].as_py()), 1)
    11.2
    """

    uses_known_truth = True
    needs_numbers = True

    def __init__(
        self,
        alpha: float = 10.0,
        beta: float = 10.0,
        mu: float = 0.0,
        sigma: float = 1.0,
        centre: Literal["median", "mean"] = "median",
        max_deviations: float | None = 2.5,
        max_relative_error: float | None = None,
        max_iter: int = 500,
        tol: float | None = 1e-6,
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.mu = mu
        self.sigma = sigma
        self.centre = centre
        self.max_deviations = max_deviations
        self.max_relative_error = max_relative_error
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _fit_table(self, claims: Claims, known: KnownTruth | None) -> Judgement:
        self._check()
        numbers = needed_numbers(claims, type(self).__name__)
        scaled = self._scaled(numbers, None if known is None else known.number)
        self.notes_ += notes_of(claims, numbers)
        if scaled.n_outliers:
            text = f"Set {plural(scaled.n_outliers, 'claim')} aside as far from all others."
            self.notes_.append(Note("outliers", text, scaled.n_outliers))
        self.learned_ = self._learn(numbers, scaled)
        self._source_labels = claims.matrix.sources
        return self._judgement(claims, numbers, scaled, self.learned_)

    def _judge(self, claims: Claims) -> Judgement:
        numbers = needed_numbers(claims, type(self).__name__)
        learned = self.learned_.at(self._places(claims.matrix))
        return self._judgement(claims, numbers, self._scaled(numbers), learned)

    def _learn(self, numbers: Numbers, scaled: Scaled) -> Learned:
        prior = self.beta / (self.alpha + 1)
        variance = np.full(numbers.matrix.n_sources, prior)

        def step() -> dict[str, float]:
            nonlocal variance
            posterior = self._truths(numbers, scaled, variance)
            objective = self._log_posterior(numbers, scaled, variance, posterior)
            new = self._variances(numbers, scaled, posterior)
            change, variance = largest_change(new, variance), new
            return {"change": change, "log_posterior": objective}

        self._iterate(step)
        return Learned({"variance": variance}, {"variance": prior})

    def _truths(self, numbers: Numbers, scaled: Scaled, variance: Floats) -> Posterior:
        """E step: the mean and variance of the truth of each item, given those of sources."""
        precision = scaled.weight / variance[numbers.source]
        spread = 1.0 / (1.0 / self.sigma**2 + numbers.sum_by_item(precision))
        mean = spread * (self.mu / self.sigma**2 + numbers.sum_by_item(precision * scaled.z))
        fixed = scaled.known
        return Posterior(np.where(fixed, 0.0, mean), np.where(fixed, 0.0, spread))

    def _variances(self, numbers: Numbers, scaled: Scaled, truth: Posterior) -> Floats:
        """M step: the variance of each source, given what is thought of truths."""
        weight = scaled.weight
        away = (scaled.z - truth.mean[numbers.item]) ** 2 + truth.variance[numbers.item]
        total = 2 * self.beta + numbers.sum_by_source(weight * away)
        return total / (2 * (self.alpha + 1) + numbers.sum_by_source(weight))

    def _log_posterior(
        self, numbers: Numbers, scaled: Scaled, variance: Floats, truth: Posterior
    ) -> float:
        """Return the log density of variances given the claims, but for a constant."""
        each = variance[numbers.source]
        claims = -0.5 * np.sum(scaled.weight * (np.log(each) + scaled.z**2 / each))
        free = ~scaled.known & scaled.has_scale
        mean, spread = truth.mean[free], truth.variance[free]
        items = 0.5 * np.sum(np.log(spread) + mean**2 / spread)
        prior = -np.sum((self.alpha + 1) * np.log(variance) + self.beta / variance)
        return float(claims + items + prior)

    def _judgement(
        self, claims: Claims, numbers: Numbers, scaled: Scaled, learned: Learned
    ) -> Judgement:
        truth = self._truths(numbers, scaled, learned.of_source["variance"])
        # Without a scale all claims are the same, but for outliers and what is known.
        scale = np.where(scaled.has_scale, scaled.scale, 0.0)
        value = scaled.centre + scale * truth.mean
        error = np.where(scaled.has_scale, scale * np.sqrt(truth.variance), np.nan)
        error = np.where(scaled.known, 0.0, error)
        reach = special.stdtrit(np.maximum(scaled.n_kept - 1, 1.0), (1 + COVERAGE) / 2) * error
        estimates = Estimates(value, error, value - reach, value + reach)
        return judgement(numbers, estimates, votes_on_others(claims, numbers))

    def _scaled(self, numbers: Numbers, known: Floats | None = None) -> Scaled:
        """Bring the claims of every item to one scale, without its outliers."""
        average = weighted_median if self.centre == "median" else weighted_mean
        middle = average(numbers, numbers.weight)
        is_known = np.zeros(len(middle), np.bool_) if known is None else ~np.isnan(known)
        centre = middle if known is None else np.where(is_known, known, middle)
        kept = self._without_outliers(numbers, centre)
        weight = np.where(kept, numbers.weight, 0.0)
        n_kept = numbers.sum_by_item(kept.astype(np.float64))
        scale = deviation(numbers, weight) * np.sqrt(n_kept / np.maximum(n_kept - 1, 1.0))
        has_scale = scale > ROUNDING * np.abs(centre)
        of_claim = has_scale[numbers.item]
        away = numbers.value - centre[numbers.item]
        z = np.where(kept & of_claim, away / np.where(of_claim, scale[numbers.item], 1.0), 0.0)
        return Scaled(
            z=z,
            weight=np.where(of_claim, weight, 0.0),
            centre=centre,
            scale=scale,
            has_scale=has_scale,
            known=is_known & numbers.has_number,
            n_kept=n_kept,
            n_outliers=int((~kept).sum()),
        )

    def _without_outliers(self, numbers: Numbers, centre: Floats) -> npt.NDArray[np.bool_]:
        """Mark the claims that are no outliers; an item of which none is left keeps all."""
        away = np.abs(numbers.value - centre[numbers.item])
        kept = np.ones(len(numbers), np.bool_)
        if self.max_relative_error is not None:
            kept = away <= self.max_relative_error * np.abs(centre)[numbers.item]
        while self.max_deviations is not None:
            spread = deviation(numbers, np.where(kept, numbers.weight, 0.0))[numbers.item]
            found = kept & (spread > 0) & (away > self.max_deviations * spread)
            if not found.any():
                break
            kept &= ~found
        left = numbers.sum_by_item(kept.astype(np.float64)) > 0
        return kept | ~left[numbers.item]

    def _check(self) -> None:
        check_iterations(self.max_iter, self.tol)
        for name in ("alpha", "beta", "sigma"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise InvalidParameter(f"{name} must be above 0. Got {value!r} instead.")
        if not np.isfinite(self.mu):
            raise InvalidParameter(f"mu must be a number. Got {self.mu!r} instead.")
        if self.centre not in ("median", "mean"):
            raise InvalidParameter(f"centre must be median or mean. Got {self.centre!r} instead.")
        for name in ("max_deviations", "max_relative_error"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InvalidParameter(f"{name} must be None or above 0. Got {value!r} instead.")


#: Standard deviations below this part of the number come from rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Scaled:
    """Claimed numbers on the scale of their item.

    Attributes
    ----------
    z, weight
        Of each claim, its number and how much it counts, 0 for outliers and where there is no
        scale; (n,).
    centre, scale, has_scale
        Of each item, where 0 and 1 are, and whether its claims differ at all; (n_items,).
    known
        The items whose centre is their known truth; (n_items,).
    n_kept, n_outliers
        How many claims of each item are left, and how many are set aside in all.
    """

    z: Floats
    weight: Floats
    centre: Floats
    scale: Floats
    has_scale: npt.NDArray[np.bool_]
    known: npt.NDArray[np.bool_]
    n_kept: Floats
    n_outliers: int


@dataclass(frozen=True, eq=False)
class Posterior:
    """Mean and variance of the truth of each item; (n_items,)."""

    mean: Floats
    variance: Floats
