"""LTM: the latent truth model, by collapsed Gibbs sampling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.data.claims import Claims
from veracity.data.labels.hashes import Hashes, hash_at, mix
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import TRUE, UNKNOWN, KnownTruth
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.grbm.theta import sigmoid
from veracity.models.per_source import Learned, SourceLearner
from veracity.models.views.yes_no import Sayings
from veracity.models.whole_table import WholeTable


class LTM(WholeTable, SourceLearner):
    """Sample which statements are true, with the sensitivity of each source integrated out.

    The latent truth model of Zhao, Rubinstein, Gemmell and Han, A Bayesian approach to discovering
    truth from conflicting sources for data integration, PVLDB 5(6), 2012. Every statement is true
    or false by itself. A source that names values of an item claims those statements and denies
    the item's others; about items that it does not mention it says nothing.

        phi0_s ~ Beta(alpha0)    the rate at which s claims what is false
        phi1_s ~ Beta(alpha1)    the rate at which s claims what is true (its sensitivity)
        theta_f ~ Beta(beta),  t_f ~ Bernoulli(theta_f),  claims of s on f ~ Bernoulli(phi_t_s)

    Rates integrate out, so that only the labels t_f are sampled. With n_s[t, c] the number of
    times that s says c (1 claims, 0 denies) about other statements labelled t:

        P(t_f = i | rest) ~ beta_i prod over s of (alpha_i,c + n_s[i, c]) / sum over c of the same

    The plausibility is the mean of this probability over the samples kept, which estimates the
    same posterior as the mean of the labels does, with less noise. New claims are judged by the
    expected rates of their sources, given the plausibilities of the fit (the paper's LTMinc); the
    plausibilities of the fit itself are the sampled ones, so `predict` on the claims of the fit
    may differ a little from them. A source that was not seen gets the means of the priors.

    The strong prior on phi0, of 1 % false claims, says which of two mirror images is the truth.
    Its counts are those of the paper's smaller data set; the paper advises counts of the size of
    the data. Random numbers depend on the seed and on what a statement says, and statements are
    visited in the order of their labels, so that neither rows nor names of sources matter.

    Values of an item with one true value are judged each by itself as well, and the most plausible
    is believed. A boolean item is one statement. A weight counts a claim as that many.

    Parameters
    ----------
    alpha0, alpha1
        Prior counts of claims and of denials: for false statements (false positives, true
        negatives), and for true ones (true positives, false negatives).
    beta
        Prior counts of true and of false statements.
    n_iter, burn_in, gap
        Sweeps over all statements; how many of them to leave out at first; and how many between
        samples that are kept. By default 16 samples are kept.
    random_state
        Seed for sampling, and for breaking ties.

    Examples
    --------
    >>> from veracity import LTM
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> LTM().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    uses_known_truth: ClassVar[bool] = True
    judges_statements: ClassVar[bool] = True
    is_sampled = True

    def __init__(
        self,
        alpha0: Sequence[float] = (10.0, 1000.0),
        alpha1: Sequence[float] = (50.0, 50.0),
        beta: Sequence[float] = (10.0, 10.0),
        n_iter: int = 100,
        burn_in: int = 20,
        gap: int = 4,
        random_state: int = 0,
    ) -> None:
        self.alpha0 = alpha0
        self.alpha1 = alpha1
        self.beta = beta
        self.n_iter = n_iter
        self.burn_in = burn_in
        self.gap = gap
        self.random_state = random_state

    def _fit_table(self, claims: Claims, known: KnownTruth | None) -> Judgement:
        self._check_parameters()
        sayings = Sayings.of_speakers(claims.matrix)
        judgement = self._sample(claims.matrix, sayings, known)
        self.learned_ = self._expected_rates(sayings, judgement.plausibility)
        self._source_labels = claims.matrix.sources
        self.n_iter_, self.converged_ = self.n_iter, True
        return judgement

    def _judge(self, claims: Claims) -> Judgement:
        rates = self.learned_.at(self._places(claims.matrix)).of_source
        tpr, fpr = rates["tpr"], rates["fpr"]
        log_odds = self._prior_log_odds() + Sayings.of_speakers(claims.matrix).to_statements(
            np.log(tpr / fpr), np.log((1 - tpr) / (1 - fpr))
        )
        return Judgement(sigmoid(log_odds), log_odds)

    def _sample(self, matrix: ClaimMatrix, sayings: Sayings, known: KnownTruth | None) -> Judgement:
        """Run the sampler; average the probability of each statement over the samples kept."""
        prior_counts = np.array([self.alpha0[::-1], self.alpha1[::-1]], np.float64)
        keys = statement_keys(matrix, _seed(self.random_state))
        chain = sweeps(sayings, keys, known, prior_counts, self._prior_log_odds())
        log_true = np.full(matrix.n_statements, -np.inf)
        log_false = log_true.copy()
        for iteration in range(1, self.n_iter + 1):
            log_odds, n_changed, n_true = next(chain)
            self.history_.append(
                {"iteration": iteration, "changed": n_changed, "believed": n_true / len(keys)}
            )
            if iteration > self.burn_in and (iteration - self.burn_in) % (self.gap + 1) == 0:
                # On the log scale, where also probabilities next to 0 and 1 can be told apart.
                log_true = np.logaddexp(log_true, -np.logaddexp(0.0, -log_odds))
                log_false = np.logaddexp(log_false, -np.logaddexp(0.0, log_odds))
        score = log_true - log_false
        return Judgement(sigmoid(score), score)

    def _expected_rates(self, sayings: Sayings, plausibility: Floats) -> Learned:
        """Return the mean of each rate given expected counts, which the priors smooth."""
        rates = {}
        for name, prior, p in (
            ("tpr", self.alpha1, plausibility),
            ("fpr", self.alpha0, 1 - plausibility),
        ):
            claimed, denied = sayings.to_sources(p)
            rates[name] = (claimed + prior[0]) / (claimed + denied + sum(prior))
        unseen = {"tpr": mean_of_beta(self.alpha1), "fpr": mean_of_beta(self.alpha0)}
        return Learned(rates, unseen)

    def _prior_log_odds(self) -> float:
        return float(np.log(self.beta[0] / self.beta[1]))

    def _check_parameters(self) -> None:
        for name in ("alpha0", "alpha1", "beta"):
            counts = getattr(self, name)
            if not _are_two_counts(counts):
                raise InvalidParameter(
                    f"{name} must be two numbers above 0. Got {counts!r} instead."
                )
        if self.burn_in < 0 or self.gap < 0:
            raise InvalidParameter(
                f"burn_in and gap must be 0 or more. Got {self.burn_in!r} and {self.gap!r} instead."
            )
        if self.n_iter < self.burn_in + self.gap + 1:
            raise InvalidParameter(
                "n_iter must be at least burn_in + gap + 1, so that a sample is kept. "
                f"Got {self.n_iter!r} instead, with {self.burn_in!r} + {self.gap!r} + 1."
            )


def mean_of_beta(counts: Sequence[float]) -> float:
    """Return the mean of a Beta distribution."""
    return counts[0] / (counts[0] + counts[1])


def sweeps(
    sayings: Sayings,
    keys: Hashes,
    known: KnownTruth | None,
    prior_counts: Floats,
    prior_log_odds: float,
) -> Iterator[tuple[Floats, int, int]]:
    """Yield, sweep by sweep, log-odds of statements, how many changed, and how many are true.

    The log-odds are those from which labels were drawn, infinite for known ones; the next sweep
    writes over them. ``prior_counts[t, c]`` counts those who say c about statements labelled t.
    """
    from veracity.models.web.ltm_kernels import DENIES, sweep

    n_statements = sayings.n_statements
    truth = np.full(n_statements, UNKNOWN) if known is None else known.statement
    is_known = truth != UNKNOWN
    label = np.where(is_known, truth == TRUE, draws(keys, 0) < 0.5)
    counts = label_counts(sayings, label) + prior_counts
    log_odds = np.where(label, np.inf, -np.inf)
    said = np.full(len(sayings.speakings), DENIES)
    arrays = _grouped(sayings)
    number = 0
    while True:
        number += 1
        uniform = draws(keys, number)
        n_changed = sweep(*arrays, is_known, uniform, prior_log_odds, said, counts, label, log_odds)
        yield log_odds, int(n_changed), int(label.sum())


def label_counts(sayings: Sayings, label: npt.NDArray[np.bool_]) -> Floats:
    """Count how often each source says no and yes about the false and the true statements.

    The axes are source, label and what is said; (n_sources, 2, 2).
    """
    counts = np.empty((sayings.n_sources, 2, 2))
    for truth in (0, 1):
        counts[:, truth, 1], counts[:, truth, 0] = sayings.to_sources(
            (label == truth).astype(np.float64)
        )
    return counts


def statement_keys(matrix: ClaimMatrix, seed: int) -> Hashes:
    """Hash each statement by the seed and by what it says; (n_statements,)."""
    entity = hash_at(matrix.entities, matrix.entity_index, seed + 1)
    attribute = hash_at(matrix.attributes, matrix.attribute_index, seed + 2)
    value = hash_at(matrix.values, matrix.value_index, seed)
    return mix(value ^ mix(entity ^ mix(attribute))[matrix.item_of_statement])


def draws(keys: Hashes, number: int) -> Floats:
    """Return one random number in [0, 1) for each key; others for each number."""
    step = mix(np.array([number], np.uint64) * np.uint64(2) + np.uint64(1))
    return (mix(keys + step) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _grouped(sayings: Sayings) -> tuple[npt.NDArray[Any], ...]:
    """Return the arrays of sayings as the sweep reads them."""
    speakings, claims, denials = sayings.speakings, sayings.claims, sayings.denials
    return (
        sayings.scope_of_statement,
        _starts(speakings.about, sayings.n_scopes),
        speakings.source,
        speakings.weight,
        _starts(claims.about, sayings.n_statements),
        sayings.speaking_of_claim,
        claims.weight,
        _starts(denials.about, sayings.n_statements),
        denials.source,
        denials.weight,
    )


def _starts(group: Indices, n_groups: int) -> Indices:
    """Return where each of the sorted groups begins; (n_groups + 1,)."""
    return np.append(0, np.cumsum(np.bincount(group, minlength=n_groups)))


def _seed(random_state: int) -> int:
    return int(np.random.default_rng(random_state).integers(2**63))


def _are_two_counts(counts: object) -> bool:
    try:
        numbers = np.asarray(counts, np.float64)
    except (TypeError, ValueError):
        return False
    return numbers.shape == (2,) and bool(np.all(np.isfinite(numbers) & (numbers > 0)))
