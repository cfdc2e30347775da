"""MLE: maximum likelihood for statements that are true or false."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from veracity.data.claims import Claims
from veracity.data.known import TRUE, UNKNOWN, KnownTruth
from veracity.data.matrix import ClaimMatrix, Floats
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.rbm.theta import sigmoid
from veracity.models.sayings import Sayings
from veracity.models.sources import Learned, SourceLearner, check_iterations, largest_change

Silence = Literal["ignored", "evidence"]

#: Rates are kept this far from 0 and 1, so that no single claim is proof.
SMALLEST_RATE = 1e-6


class Rates(NamedTuple):
    """How likely each source claims what is true, and what is false; and the share of the true."""

    tpr: Floats
    fpr: Floats
    prior: float


class MLE(SourceLearner):
    """Find the rates at which sources claim what is true and what is false, by EM.

    Wang, Kaplan, Le and Abdelzaher, On truth discovery in social sensing: a maximum likelihood
    estimation approach, IPSN 2012. Every statement is true or false by itself, with a prior d;
    source s claims it with probability a_s if it is true and b_s if it is false, independently of
    the others. With c_s = 1 if s claims the statement and 0 if it denies it:

        p     = d A / (d A + (1 - d) B),   A = prod a_s^c_s (1 - a_s)^(1 - c_s),  B alike with b_s
        a_s   = sum p c_s / sum p          b_s = sum (1 - p) c_s / sum (1 - p)         d = mean p

    where products go over the sources that speak about a statement, and sums over the statements
    that a source speaks about. The fit starts from d = 1/2, a_s = the share of statements that s
    claims, by Laplace's rule, and b_s = a_s / 2: it is this start that says which of two mirror
    images is called the truth, and nothing holds the fit to it.

    Who speaks about what is a choice. In the paper's first form every source speaks about every
    statement, so that silence is a denial. That suits sensors that all see everything. Where most
    sources are silent about most things, it separates what is talked about much from what is
    talked about little rather than true from false. The default is the form with a sensing
    topology, where only those speak who could observe: here, the sources that name a value of the
    item, which thereby deny its other values.

    Values of an item with one true value are judged each by itself as well, and the most plausible
    is believed. A boolean item is one statement. Denials count as such in both forms.

    Parameters
    ----------
    silence
        ``ignored``: a source speaks about the items that it names a value of. ``evidence``: every
        source speaks about every statement; of claims judged later, every source among them.
    max_iter, tol
        Iterations at most, and the largest change of a plausibility to stop at; None for
        `max_iter` iterations. The paper leaves both open.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import MLE
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> MLE().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    uses_known_truth: ClassVar[bool] = True

    def __init__(
        self,
        silence: Silence = "ignored",
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        random_state: int = 0,
    ) -> None:
        self.silence = silence
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _fit(self, claims: Claims, known: KnownTruth | None) -> Judgement:
        check_iterations(self.max_iter, self.tol)
        if self.silence not in get_args(Silence):
            raise InvalidParameter(
                f"silence must be 'ignored' or 'evidence'. Got {self.silence!r} instead."
            )
        sayings = self._sayings(claims.matrix)
        self.learned_ = self._learn(sayings, known)
        self._source_labels = claims.matrix.sources
        return judge(sayings, self.learned_)

    def _judge(self, claims: Claims) -> Judgement:
        learned = self.learned_.at(self._places(claims.matrix))
        return judge(self._sayings(claims.matrix), learned)

    def _sayings(self, matrix: ClaimMatrix) -> Sayings:
        heard = Sayings.of_everyone if self.silence == "evidence" else Sayings.of_speakers
        return heard(matrix)

    def _learn(self, sayings: Sayings, known: KnownTruth | None) -> Learned:
        rates = starting_rates(sayings)
        if_true, if_false = log_joint(sayings, rates, known)
        belief = sigmoid(if_true - if_false)

        def step() -> dict[str, float]:
            nonlocal rates, belief
            rates = likeliest_rates(sayings, belief, rates)
            if_true, if_false = log_joint(sayings, rates, known)
            new = sigmoid(if_true - if_false)
            change, belief = largest_change(new, belief), new
            return {
                "change": change,
                "log_likelihood": float(np.logaddexp(if_true, if_false).sum()),
            }

        self._iterate(step)
        return Learned.with_average(
            {"prior": np.array([rates.prior])}, tpr=rates.tpr, fpr=rates.fpr
        )


def judge(sayings: Sayings, learned: Learned) -> Judgement:
    """Return plausibilities by what was learned; log-odds rank the values of an item."""
    own = learned.of_source
    rates = Rates(own["tpr"], own["fpr"], float(learned.shared["prior"][0]))
    if_true, if_false = log_joint(sayings, rates, None)
    return Judgement(sigmoid(if_true - if_false), if_true - if_false)


def starting_rates(sayings: Sayings) -> Rates:
    """a_s = share of what s speaks about that it claims, by Laplace's rule; b_s = a_s / 2."""
    claimed, denied = sayings.to_sources(np.ones(sayings.n_statements))
    tpr = (claimed + 1) / (claimed + denied + 2)
    return Rates(tpr, tpr / 2, 0.5)


def log_joint(sayings: Sayings, rates: Rates, known: KnownTruth | None) -> tuple[Floats, Floats]:
    """log P(claims, true) and log P(claims, false) of each statement; -inf for what is ruled out.

    Both (n_statements,).
    """
    tpr, fpr, prior = rates
    if_true = np.log(prior) + sayings.to_statements(np.log(tpr), np.log1p(-tpr))
    if_false = np.log1p(-prior) + sayings.to_statements(np.log(fpr), np.log1p(-fpr))
    if known is not None:
        truth = known.statement
        if_true = np.where((truth == UNKNOWN) | (truth == TRUE), if_true, -np.inf)
        if_false = np.where(truth == TRUE, -np.inf, if_false)
    return if_true, if_false


def likeliest_rates(sayings: Sayings, belief: Floats, before: Rates) -> Rates:
    """The M-step: expected claims over expected statements, kept away from 0 and 1."""
    return Rates(
        _share(*sayings.to_sources(belief), before.tpr),
        _share(*sayings.to_sources(1 - belief), before.fpr),
        float(np.clip(belief.mean(), SMALLEST_RATE, 1 - SMALLEST_RATE)),
    )


def _share(claimed: Floats, denied: Floats, before: Floats) -> Floats:
    """claimed / (claimed + denied); as before for a source about which nothing is said."""
    spoken = claimed + denied
    said = spoken > 0
    share = np.where(said, claimed / np.where(said, spoken, 1.0), before)
    return np.clip(share, SMALLEST_RATE, 1 - SMALLEST_RATE)
