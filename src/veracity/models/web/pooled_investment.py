"""PooledInvestment: the answers to a question share out what was invested in all of them."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.per_source import Learned
from veracity.models.views.one_true_value import Questions
from veracity.models.web.fixpoints import is_given
from veracity.models.web.investment import Investment, relative

#: The part of a plausibility that goes by votes: more than rounding, and nothing that is seen.
BY_VOTES = 1e-6


class PooledInvestment(Investment):
    """Let sources invest their trust in what they claim, and rivals share out the return.

    PooledInvestment (Pasternack and Roth, Knowing what to believe when you already know something,
    COLING 2010). Sources invest and are paid back as in `Investment`, but the belief in an answer
    is what it collects, H, times its share in the grown investments in all answers d to the same
    question:

        B(c) = H(c) * H(c) ** growth / sum over d of H(d) ** growth

    In the beginning all sources are trusted alike, and the answers that are given to a question
    are believed in equal parts. Trust is divided by its largest after every round.

    It assumes that exactly one answer to a question is true; a question on which all agree pays
    back what was put in, no more. Votes by sources that say nothing else are not counted: as all
    answers begin alike, each side collects the same, however many it is. The plausibility is the
    share of an answer in the belief in all answers to its question, but for a millionth that goes
    by votes, which settles such ties. With weights, a source invests in proportion to them.

    Parameters
    ----------
    growth
        The exponent by which the investments of rivals grow; 1.4 in the paper.
    max_iter, tol
        Rounds at most, and the largest change of trust to stop at; None for `max_iter` rounds,
        as in the paper.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import PooledInvestment
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> PooledInvestment().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    def __init__(
        self,
        growth: float = 1.4,
        max_iter: int = 20,
        tol: float | None = None,
        random_state: int = 0,
    ) -> None:
        super().__init__(growth, max_iter, tol, random_state)

    def _first_beliefs(self, questions: Questions) -> Floats:
        return questions.shares(is_given(questions).astype(float))

    def _yields(self, questions: Questions, collected: Floats) -> Floats:
        # Answers that are as good but for rounding have to stay so: growth blows up differences.
        return questions.shares(np.round(relative(questions, collected), 12) ** self.growth)

    def _beliefs(self, questions: Questions, collected: Floats) -> Floats:
        return relative(questions, collected) ** (1 + self.growth)

    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        votes = questions.shares(questions.n_votes)
        return (1 - BY_VOTES) * super()._believe(questions, learned) + BY_VOTES * votes
