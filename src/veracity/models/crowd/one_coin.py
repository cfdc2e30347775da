"""One-coin Dawid-Skene: one reliability per source."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.crowd.ascent import AnyBallots, Ascent, Step
from veracity.models.crowd.crowd_kernels import Likelihoods
from veracity.models.crowd.crowd_model import CrowdModel, check_not_negative
from veracity.models.per_source import Learned
from veracity.models.views.by_class import LEAST, Ballots, Tally, class_priors, coin


class OneCoin(CrowdModel):
    """Learn how often each source is right, whatever the truth is.

    The model of Dawid and Skene with a single number for each source (Zhang, Chen, Zhou and
    Jordan, Spectral methods meet EM, Journal of Machine Learning Research, 2016). With r_s the
    reliability of source s, D the number of answers that a question may have, and pi the prior
    probability of its classes:

        P(s says a | truth t) = r_s if a = t, else (1 - r_s) / (D - 1)

        P(t | votes)  ~  pi_t  product over the votes a of s of  P(s says a | t)

    It assumes that sources err independently of each other, as often on one question as on
    another, and in all ways alike. Reliabilities and priors are those of the largest likelihood,
    found by expectation maximisation that starts from the shares of the votes.

    A closed attribute has its claimed values as classes, a boolean one yes and no, and each value
    of an attribute with several true ones is a question for yes and no by itself; their priors are
    learned. A question of an open attribute may have the claimed answers and one more, all equally
    probable beforehand.

    Parameters
    ----------
    prior
        How often each source is taken to have been right and wrong before the fit; none by
        default, which is maximum likelihood.
    max_iter, tol
        Iterations at most, and the change of a plausibility to stop at: the largest change or, of
        50,000 answers and more, the mean one. None for `max_iter` iterations.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import OneCoin
    >>> colours = ["blue", "blue", "red", "green", "green", "red"]
    >>> entities = ["sky"] * 3 + ["grass"] * 3
    >>> claims = {"source": ["a", "b", "c"] * 2, "entity": entities, "value": colours}
    >>> OneCoin().fit_predict(claims)["value"].to_pylist()
    ['green', 'blue']
    """

    def __init__(
        self,
        prior: tuple[float, float] | None = None,
        max_iter: int = 500,
        tol: float | None = 1e-5,
        random_state: int = 0,
    ) -> None:
        self.prior = prior
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        if self.prior is None:
            return
        if len(self.prior) != 2:
            raise InvalidParameter(f"prior must be two numbers. Got {self.prior!r} instead.")
        check_not_negative(**{"prior[0]": self.prior[0], "prior[1]": self.prior[1]})

    def _fit(self, claims: ClaimsInBlocks) -> Judgement | None:
        ballots = self._ballots(claims)
        ascent = Ascent(ballots, self._learn, self.tol)
        self._iterate(ascent.step, ascent.resuming())
        class_prior = class_priors(ballots.scales, ascent.counts)
        self.learned_ = Learned.with_average(
            {"prior": class_prior}, reliability=self._reliability(ballots, ascent.counts)
        )
        return ballots.judgement(ascent.tally)

    def _learn(self, ballots: AnyBallots, tally: Tally) -> Step:
        """Do the maximisation step."""
        reliability = self._reliability(ballots, tally)
        prior = class_priors(ballots.scales, tally)
        return Step(likelihoods(ballots, reliability, prior), self._log_prior(reliability))

    def _reliability(self, ballots: AnyBallots, tally: Tally) -> Floats:
        """Return the share of right votes, those imagined beforehand among them; (n_sources,)."""
        right = ballots.sum_by_source(tally.right)
        given = ballots.sum_by_source(ballots.cell_weight)
        before, wrong_before = self.prior or (0.0, 0.0)
        total = given + before + wrong_before
        share = (right + before) / np.where(total > 0, total, 1.0)
        return np.clip(np.where(total > 0, share, 0.5), 0.0, 1.0)

    def _log_prior(self, reliability: Floats) -> float:
        if self.prior is None:
            return 0.0
        right = np.clip(reliability, LEAST, 1 - LEAST)
        return float(np.sum(self.prior[0] * np.log(right) + self.prior[1] * np.log(1 - right)))

    def _believe(self, ballots: Ballots, claims: Claims) -> Floats:
        learned = self._learned_at(claims)
        reliability, prior = learned.of_source["reliability"], learned.shared["prior"]
        return ballots.expect(likelihoods(ballots, reliability, prior)).belief


def likelihoods(ballots: AnyBallots, reliability: Floats, class_prior: Floats) -> Likelihoods:
    """Return what the expectation step needs."""
    ratio, base = coin(reliability, ballots.cells)
    return Likelihoods(np.log(class_prior), ballots.cells.at, np.empty(0), ratio, base)
