"""Investment: sources put their trust into what they claim, and get it back with interest."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.errors import InvalidParameter
from veracity.models.per_source import Learned, largest_change
from veracity.models.views.one_true_value import Clamp, Questions
from veracity.models.web.fixpoints import FixpointModel, is_given, ratio, scaled, shares_of_belief


class Investment(FixpointModel):
    """Let sources invest their trust in what they claim, and earn what is believed of it.

    Investment (Pasternack and Roth, Knowing what to believe when you already know something,
    COLING 2010). A source spreads its trust T evenly over its n answers. What an answer collects,
    H, grows to the belief B in it, which is paid back to its sources by what each of them put in:

        H(c) = sum over its sources of T(s) / n(s)      B(c) = H(c) ** growth
        T(s) = sum over its answers of B(c) * (T(s) / n(s)) / H(c)

    where B and H on the right are those of the round before. In the beginning all sources are
    trusted alike, and B(c) is the share of votes on its question that the answer has. Trust is
    divided by its largest after every round, which changes no ranking and keeps it finite.

    It assumes that support grows more than in proportion: whom others back gets richer. The
    plausibility is the share of an answer in the belief in all answers to its question. With
    weights, a source invests in proportion to them.

    Parameters
    ----------
    growth
        The exponent by which belief grows; 1.2 in the paper, 1 for no growth.
    max_iter, tol
        Rounds at most, and the largest change of trust to stop at; None for `max_iter` rounds,
        as in the paper.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import Investment
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> Investment().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    def __init__(
        self,
        growth: float = 1.2,
        max_iter: int = 20,
        tol: float | None = None,
        random_state: int = 0,
    ) -> None:
        self.growth = growth
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # What a variant may change

    def _first_beliefs(self, questions: Questions) -> Floats:
        """Return the belief in each answer before the first round; (n_answers,)."""
        return questions.shares(questions.n_votes)

    def _yields(self, questions: Questions, collected: Floats) -> Floats:
        """Return the belief in each answer, for each unit of trust put in it; (n_answers,)."""
        return _power(collected, self.growth - 1)

    def _beliefs(self, questions: Questions, collected: Floats) -> Floats:
        """Return the belief in each answer, up to a factor for each question; (n_answers,)."""
        return _power(relative(questions, collected), self.growth)

    # What it does

    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        if not (np.isfinite(self.growth) and self.growth >= 1):
            raise InvalidParameter(
                f"growth must be a number, 1 or more. Got {self.growth!r} instead."
            )
        given, n_given = is_given(questions), questions.n_given
        stake = ratio(np.ones(questions.n_sources), n_given)
        collected = np.where(given, questions.to_answers(stake), 0.0)
        paid = ratio(np.where(given, self._first_beliefs(questions), 0.0), collected)
        trust = np.ones(questions.n_sources)

        def step() -> dict[str, float]:
            nonlocal trust, paid
            new = scaled(ratio(trust, n_given) * np.maximum(questions.to_sources(paid), 0.0))
            change, trust = largest_change(new, trust), new
            collected = np.where(given, questions.to_answers(ratio(trust, n_given)), 0.0)
            paid = np.where(given, self._yields(questions, np.maximum(collected, 0.0)), 0.0)
            return {"change": change}

        self._iterate(step)
        # Later claims are judged by the stake, not by the trust, which is spread over all claims.
        return Learned.with_average(trust=trust, stake=ratio(trust, n_given))

    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        collected = np.maximum(questions.to_answers(learned.of_source["stake"]), 0.0)
        return shares_of_belief(questions, self._beliefs(questions, collected))


def relative(questions: Questions, of_answer: Floats) -> Floats:
    """Divide numbers of answers by the largest of the question, so that none of it vanishes."""
    return ratio(of_answer, questions.max_by_question(of_answer)[questions.question_of_answer])


def _power(numbers: Floats, exponent: float) -> Floats:
    return np.asarray(np.where(numbers > 0, np.where(numbers > 0, numbers, 1.0) ** exponent, 0.0))
