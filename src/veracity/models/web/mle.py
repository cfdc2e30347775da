"""MLE: maximum likelihood for statements that are true or false."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import TRUE, UNKNOWN, KnownTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Largest, Scattered, Sums
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.grbm.theta import sigmoid
from veracity.models.per_source import (
    Learned,
    Resuming,
    SourceLearner,
    check_iterations,
    largest_change,
)
from veracity.models.views.yes_no import Sayings

Silence = Literal["ignored", "evidence"]

#: Rates are kept this far from 0 and 1, so that no single claim is proof.
SMALLEST_RATE = 1e-6


class Rates(NamedTuple):
    """Rates of each source, tpr and fpr, and the share of true statements."""

    tpr: Floats
    fpr: Floats
    prior: float

    def arrays(self) -> dict[str, Floats]:
        """Return the rates as arrays."""
        return {"tpr": self.tpr, "fpr": self.fpr, "prior": np.array([self.prior])}

    @classmethod
    def of(cls, arrays: dict[str, Floats]) -> Rates:
        """Make rates of what `arrays` returned."""
        return cls(arrays["tpr"], arrays["fpr"], float(arrays["prior"][0]))


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
    judges_statements: ClassVar[bool] = True

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

    def _fit(self, claims: ClaimsInBlocks) -> Judgement | None:
        check_iterations(self.max_iter, self.tol)
        if self.silence not in get_args(Silence):
            raise InvalidParameter(
                f"silence must be 'ignored' or 'evidence'. Got {self.silence!r} instead."
            )
        self._source_labels = claims.sources
        heard = claims.blocks.prepare(_hear, self._sayings)
        n_sources = claims.n_sources
        rates = starting_rates(*_both(heard.total(_speak, n_sources), ""))
        sums = heard.total(_expect, None, rates)

        def step() -> dict[str, float]:
            nonlocal rates, sums
            before, rates = rates, likeliest_rates(sums, rates)
            sums = heard.total(_expect, before, rates)
            return {"change": sums["change"].number, "log_likelihood": sums["log_likelihood"]}

        def go_on(learned: dict[str, Floats]) -> None:
            nonlocal rates, sums
            rates = Rates.of(learned)
            sums = heard.total(_expect, None, rates)

        self._iterate(step, Resuming(lambda: rates.arrays(), go_on))
        shared = {"prior": np.array([rates.prior])}
        self.learned_ = Learned.with_average(shared, tpr=rates.tpr, fpr=rates.fpr)
        return None if heard.only is None else judge(heard.only.sayings, self.learned_)

    def check_blocks(self) -> None:
        """Refuse silence as evidence: every source would speak in every block."""
        if self.silence == "evidence":
            raise InvalidParameter(
                "silence='evidence' needs all claims in memory. Use 'ignored', or drop the memory "
                "limit."
            )

    def _judge(self, claims: Claims) -> Judgement:
        learned = self.learned_.at(self._places(claims.matrix))
        return judge(self._sayings(claims.matrix), learned)

    @property
    def _sayings(self) -> Callable[[ClaimMatrix], Sayings]:
        """How claims are read."""
        return Sayings.of_everyone if self.silence == "evidence" else Sayings.of_speakers


def judge(sayings: Sayings, learned: Learned) -> Judgement:
    """Return plausibilities by what was learned; log-odds rank the values of an item."""
    own = learned.of_source
    rates = Rates(own["tpr"], own["fpr"], float(learned.shared["prior"][0]))
    if_true, if_false = log_joint(sayings, rates, None)
    return Judgement(sigmoid(if_true - if_false), if_true - if_false)


def starting_rates(claimed: Floats, denied: Floats) -> Rates:
    """a_s = share of what s speaks about that it claims, by Laplace's rule; b_s = a_s / 2."""
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


def likeliest_rates(sums: Sums, before: Rates) -> Rates:
    """The M-step: expected claims over expected statements, kept away from 0 and 1."""
    return Rates(
        _share(*_both(sums, " true"), before.tpr),
        _share(*_both(sums, " false"), before.fpr),
        _prior(sums["belief"] / sums["n"]),
    )


def _prior(mean: float) -> float:
    return float(np.clip(mean, SMALLEST_RATE, 1 - SMALLEST_RATE))


def _share(claimed: Floats, denied: Floats, before: Floats) -> Floats:
    """claimed / (claimed + denied); as before for a source about which nothing is said."""
    spoken = claimed + denied
    said = spoken > 0
    share = np.where(said, claimed / np.where(said, spoken, 1.0), before)
    return np.clip(share, SMALLEST_RATE, 1 - SMALLEST_RATE)


@dataclass(eq=False)
class _Heard:
    """What the sources of a block say, their place among all, and what is known of the truth.

    Beliefs by the last rates are kept for as long as the block stays in memory.
    """

    sayings: Sayings
    place: npt.NDArray[np.int64]
    known: KnownTruth | None
    last: tuple[Rates, Floats] | None = None

    def belief(self, rates: Rates) -> Floats:
        """Return the probability of each statement by the rates of all sources."""
        if self.last is None or self.last[0] is not rates:
            if_true, if_false = self.joint(rates)
            self.last = rates, sigmoid(if_true - if_false)
        return self.last[1]

    def joint(self, rates: Rates) -> tuple[Floats, Floats]:
        """Return log P(claims, true) and log P(claims, false) by the rates of all sources."""
        own = Rates(rates.tpr[self.place], rates.fpr[self.place], rates.prior)
        return log_joint(self.sayings, own, self.known)

    def scattered(self, name: str, of_statement: Floats, size: int) -> Sums:
        """Add up numbers of what each source claims, and of what it denies."""
        sides = zip(("claimed", "denied"), self.sayings.to_sources(of_statement), strict=True)
        return {f"{side}{name}": Scattered(self.place, numbers, size) for side, numbers in sides}


def _hear(block: ClaimBlock, read: Callable[[ClaimMatrix], Sayings]) -> _Heard:
    return _Heard(read(block.matrix), block.place, block.known)


def _speak(heard: _Heard, n_sources: int) -> Sums:
    return heard.scattered("", np.ones(heard.sayings.n_statements), n_sources)


def _expect(heard: _Heard, before: Rates | None, now: Rates) -> Sums:
    """Do the expectation step on a block, and compare with beliefs by the previous rates."""
    was = None if before is None else heard.belief(before)
    if_true, if_false = heard.joint(now)
    belief = sigmoid(if_true - if_false)
    heard.last = now, belief
    change = 0.0 if was is None else largest_change(belief, was)
    size = len(now.tpr)
    return {
        **heard.scattered(" true", belief, size),
        **heard.scattered(" false", 1 - belief, size),
        "belief": float(belief.sum()),
        "n": len(belief),
        "log_likelihood": float(np.logaddexp(if_true, if_false).sum()),
        "change": Largest(change),
    }


def _both(sums: Sums, name: str) -> tuple[Floats, Floats]:
    return sums[f"claimed{name}"].everywhere(), sums[f"denied{name}"].everywhere()
