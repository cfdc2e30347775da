"""MACE: sources that know the truth or make something up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.labels.hashes import hash_at, mix
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.tables import Table
from veracity.data.truth.known import KnownTruth
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.crowd.crowd_kernels import Likelihoods
from veracity.models.crowd.crowd_model import CrowdModel, check_positive
from veracity.models.crowd.mace_kernels import (
    evidence,
    made_up_from_right,
    spam_from_counts,
    strategy_from_counts,
)
from veracity.models.per_source import Learned, largest_change
from veracity.models.views.by_class import Ballots, Cells, Tally
from veracity.models.whole_table import WholeTable

#: How often a source makes its answers up, before anything is known.
FIRST_SPAMMING = 0.5


@dataclass(frozen=True, eq=False)
class Habits:
    """How sources answer.

    Attributes
    ----------
    log_spam, log_know
        Log-weight of making an answer up, and of knowing it; (n_sources,).
    log_strategy
        Log-weight of what is said, if it is made up; (n_cells,).
    log_prior
        What the prior adds to the log-likelihood.
    """

    log_spam: Floats
    log_know: Floats
    log_strategy: Floats
    log_prior: float = 0.0

    def likelihoods(self, cells: Cells, log_prior: Floats) -> Likelihoods:
        """Return what the expectation step needs."""
        ratio, base = np.empty(len(cells)), np.empty(len(cells))
        evidence(cells.source, self.log_spam, self.log_know, self.log_strategy, ratio, base)
        return Likelihoods(log_prior, cells.at, np.empty(0), ratio, base)


@dataclass(frozen=True, eq=False)
class _Run:
    """One run from one start."""

    habits: Habits
    spam: Floats
    tally: Tally
    history: list[dict[str, float]]
    converged: bool


class MACE(WholeTable, CrowdModel):
    """Tell sources that know the truth from those that make something up.

    Multi-annotator competence estimation (Hovy, Berg-Kirkpatrick, Vaswani and Hovy, Learning whom
    to trust with MACE, NAACL 2013). For every claim a source makes its answer up with probability
    theta_s, and then says a with probability xi_s(a), whatever the truth is; else it says what is
    true:

        P(s says a | truth t) = theta_s xi_s(a) + (1 - theta_s) [a = t]

    All classes are equally probable beforehand. It assumes that sources are never wrong on
    purpose, that what they make up has nothing to do with the item, and that they do it
    independently of each other.

    By default theta and xi have prior distributions and are learned by variational Bayes, else by
    expectation maximisation with a little smoothing. Both find one of several optima, so they are
    run from several starts: first the shares of the votes, then shares with random factors that
    depend on the seed and on what is claimed, but not on who claims it. The run with the best
    likelihood (for variational Bayes, with the best lower bound of it) is kept.

    A closed attribute has its claimed values as classes, a boolean one yes and no, and each value
    of an attribute with several true ones is a question for yes and no by itself. An answer to an
    open question is made up by choosing any of the claimed answers and one more with equal
    probability; there is no strategy to learn.

    Parameters
    ----------
    variational
        Whether to learn by variational Bayes.
    spam_prior
        Parameters of the Beta distribution of theta, for making up and for knowing.
    strategy_prior
        Parameter of the Dirichlet distribution of xi, for each class.
    smoothing
        Without variational Bayes: a count that is spread over the outcomes of every distribution.
    n_restarts
        How often to start.
    max_iter, tol
        Iterations of each run at most, and the largest change of a plausibility or theta to stop
        at; None for `max_iter` iterations. Numbers of starts and iterations and the priors are the
        defaults of the authors' program.
    random_state
        Seed for the starts, and for breaking ties.

    Attributes
    ----------
    strategy_
        What each source says when it makes something up: source, attribute, said, probability.
        What a source never says has no row.
    restarts_
        The log-likelihood that each run ended with; history_ is that of the best run.

    Examples
    --------
    >>> from veracity import MACE
    >>> colours = ["blue", "blue", "red", "green", "green", "red"]
    >>> entities = ["sky"] * 3 + ["grass"] * 3
    >>> claims = {"source": ["a", "b", "c"] * 2, "entity": entities, "value": colours}
    >>> MACE().fit_predict(claims)["value"].to_pylist()
    ['green', 'blue']
    """

    restarts_: list[float]

    def __init__(
        self,
        variational: bool = True,
        spam_prior: tuple[float, float] = (0.5, 0.5),
        strategy_prior: float = 10.0,
        smoothing: float = 0.01,
        n_restarts: int = 10,
        max_iter: int = 50,
        tol: float | None = None,
        random_state: int = 0,
    ) -> None:
        self.variational = variational
        self.spam_prior = spam_prior
        self.strategy_prior = strategy_prior
        self.smoothing = smoothing
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        if len(self.spam_prior) != 2:
            raise InvalidParameter(
                f"spam_prior must be two numbers. Got {self.spam_prior!r} instead."
            )
        spam, know = self.spam_prior
        check_positive(**{"spam_prior[0]": spam, "spam_prior[1]": know})
        check_positive(strategy_prior=self.strategy_prior, smoothing=self.smoothing)
        if self.n_restarts < 1:
            raise InvalidParameter(
                f"n_restarts must be 1 or more. Got {self.n_restarts!r} instead."
            )

    def _fit_table(self, claims: Claims, known: KnownTruth | None) -> Judgement:
        ballots = self._all_ballots(claims.matrix, known)
        seeds = np.random.default_rng(self.random_state).integers(2**31, size=self.n_restarts)
        best, self.restarts_ = None, []
        for place, seed in enumerate(seeds.tolist()):
            noise = random_factors(claims.matrix, ballots, seed) if place else None
            run = self._run(ballots, noise)
            self.restarts_.append(run.history[-1]["log_likelihood"])
            if best is None or self.restarts_[-1] > best.history[-1]["log_likelihood"]:
                best = run
        assert best is not None
        self.history_, self.n_iter_, self.converged_ = best.history, len(best.history), True
        if self.tol is not None and not best.converged:
            self.converged_ = False
            change = best.history[-1]["change"]
            self._note_unfinished(self.n_iter_, f"the last change was {change:.2g}")
        cells, habits = ballots.cells, best.habits
        shared: dict[str, npt.NDArray[Any]] = {
            "cell_source": cells.source,
            "cell_scale": cells.scale,
            "cell_said": cells.said,
            "cell_width": cells.width,
            "log_strategy": habits.log_strategy,
        }
        self.learned_ = Learned.with_average(
            shared, spam=best.spam, log_spam=habits.log_spam, log_know=habits.log_know
        )
        return Judgement(ballots.plausibility(best.tally.belief))

    def _run(self, ballots: Ballots, noise: Floats | None) -> _Run:
        cells, log_prior = ballots.cells, np.log(ballots.scales.uniform)
        given = ballots.sum_by_source(ballots.cell_weight)
        tally = ballots.start(noise)
        spam = np.full(ballots.questions.n_sources, FIRST_SPAMMING)
        habits = Habits(np.log(spam), np.log1p(-spam), -np.log(cells.width))
        likelihoods = habits.likelihoods(cells, log_prior)
        history: list[dict[str, float]] = []
        converged = False
        for iteration in range(1, self.max_iter + 1):
            before = spam
            habits, spam = self._habits(ballots, given, tally, habits, likelihoods.base)
            likelihoods = habits.likelihoods(cells, log_prior)
            new = ballots.expect(likelihoods)
            change = max(largest_change(new.belief, tally.belief), largest_change(spam, before))
            tally = new
            objective = tally.log_likelihood + habits.log_prior
            history.append({"iteration": iteration, "log_likelihood": objective, "change": change})
            if self.tol is not None and change <= self.tol:
                converged = True
                break
        return _Run(habits, spam, tally, history, converged)

    def _habits(
        self, ballots: Ballots, given: Floats, tally: Tally, habits: Habits, base: Floats
    ) -> tuple[Habits, Floats]:
        """Learn from how often each cell is right, and what was learned before; also return theta.

        `given` is the weight of all votes of each source, `base` that of making an answer up.
        """
        cells, weight = ballots.cells, ballots.cell_weight
        made_up, spam = np.empty(len(cells)), np.zeros(len(given))
        made_up_from_right(tally.right, weight, cells.source, habits.log_know, base, made_up, spam)
        theta, log_spam, log_know = (np.empty(len(given)) for _ in range(3))
        half = self.smoothing / 2
        a, b = self.spam_prior if self.variational else (half, half)
        log_prior = spam_from_counts(
            spam, given, float(a), float(b), self.variational, theta, log_spam, log_know
        )
        log_strategy = -np.log(cells.width)  # what it stays on open questions
        extra = self.strategy_prior if self.variational else self.smoothing
        log_prior += strategy_from_counts(
            made_up, cells.pair_start, cells.width, float(extra), self.variational, log_strategy
        )
        return Habits(log_spam, log_know, log_strategy, log_prior), theta

    @property
    def _cells(self) -> Cells:
        shared = self.learned_.shared
        names = ("cell_source", "cell_scale", "cell_said", "cell_width")
        return Cells(*(shared[name].astype(np.int64) for name in names))

    def _believe(self, ballots: Ballots, claims: Claims) -> Floats:
        learned, new = self._learned_at(claims), ballots.cells
        own = self._cells.find(self._places(claims.matrix)[new.source], new.scale, new.said)
        strategy = np.where(own >= 0, learned.shared["log_strategy"][own], -np.log(new.width))
        of_source = learned.of_source
        habits = Habits(of_source["log_spam"], of_source["log_know"], strategy)
        log_prior = np.log(ballots.scales.uniform)
        return ballots.expect(habits.likelihoods(new, log_prior)).belief

    @property
    def strategy_(self) -> Table:
        """What each source says when it makes something up."""
        self._check_fitted("strategy_")
        cells, scales = self._cells, self.scales_
        chosen = np.flatnonzero(cells.scale >= 0)
        scale = cells.scale[chosen]
        columns = {
            "source": self._source_labels.take(to_arrow(cells.source[chosen])),
            "attribute": pa.array(scales.names, pa.string()).take(to_arrow(scale)),
            "said": scales.class_labels.take(to_arrow(scales.first[scale] + cells.said[chosen])),
            "probability": to_arrow(np.exp(self.learned_.shared["log_strategy"][chosen])),
        }
        return Table("strategy", pa.table(columns))


def random_factors(matrix: ClaimMatrix, ballots: Ballots, seed: int) -> Floats:
    """Return a random factor for each answer, by seed and by what it says; (n_answers,).

    They are drawn from an exponential distribution, by hashes of labels: neither the order of the
    claims nor the sources have a part in it.
    """
    item = matrix.item_of_statement
    code = hash_at(matrix.values, matrix.value_index, seed)
    code = mix(code ^ mix(hash_at(matrix.entities, matrix.entity_index[item], seed)))
    code = mix(code ^ mix(hash_at(matrix.attributes, matrix.attribute_index[item], seed)))
    questions = ballots.questions
    factor = np.ones(questions.n_answers)
    factor[questions.answer_of_statement] = _exponential(code)
    says_no = questions.answer_of_statement[questions.by_itself] + 1
    factor[says_no] = _exponential(mix(code + np.uint64(1)))[questions.by_itself]
    return factor


def _exponential(code: npt.NDArray[np.uint64]) -> Floats:
    uniform = ((code >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return np.asarray(-np.log(uniform))
