"""Sums: hubs and authorities."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.per_source import Learned, largest_change
from veracity.models.views.one_true_value import Clamp, Questions
from veracity.models.web.fixpoints import FixpointModel, scaled, shares_of_belief


class Sums(FixpointModel):
    """Trust a source by what it claims, and believe a claim by who makes it.

    Hubs and authorities on the graph of sources and answers (Pasternack and Roth, Knowing what to
    believe when you already know something, COLING 2010, after Kleinberg, 1999). With T the trust
    in a source and B the belief in an answer, both divided by their largest after every round, and
    the same belief in all answers to begin with:

        T(s) = sum over its answers of B(c)        B(c) = sum over its sources of T(s)

    It assumes that a source is the better the more it says that others say too, so prolific
    sources count more than careful ones. The plausibility is the share of an answer in the belief
    in all answers to its question.

    Parameters
    ----------
    max_iter, tol
        Rounds at most, and the largest change of trust to stop at; None for `max_iter` rounds,
        as in the paper.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import Sums
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> Sums().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    def __init__(self, max_iter: int = 20, tol: float | None = None, random_state: int = 0) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        belief, trust = np.ones(questions.n_answers), np.zeros(questions.n_sources)

        def step() -> dict[str, float]:
            nonlocal belief, trust
            new = scaled(self._trust(questions, belief))
            change, trust = largest_change(new, trust), new
            belief = scaled(questions.to_answers(trust))
            return {"change": change}

        self._iterate(step)
        return Learned.with_average(trust=trust)

    def _trust(self, questions: Questions, belief: Floats) -> Floats:
        """Return the trust in each source, given the belief in answers; (n_sources,)."""
        return questions.to_sources(belief)

    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        return shares_of_belief(questions, questions.to_answers(learned.of_source["trust"]))
