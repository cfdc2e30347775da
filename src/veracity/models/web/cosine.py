"""Cosine: how much what a source says looks like what is believed."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.per_source import Learned, largest_change
from veracity.models.views.one_true_value import Clamp, Questions
from veracity.models.views.votes import EQUAL, Views
from veracity.models.web.fixpoints import FixpointModel, check_share


class Cosine(FixpointModel):
    """Trust a source by the angle between what it says and what is believed.

    Cosine (Galland, Abiteboul, Marian and Senellart, Corroborating information from disagreeing
    views, WSDM 2010). An answer is true with a = 1 and false with a = -1. What a source says is a
    vector with 1 for every answer that it gives and -1 for every other answer to the same
    questions. Its trust t moves by a part, `damping`, towards the cosine of the angle between
    that vector and the a of those answers; an answer is judged by those for and against it:

        t(s) = (1 - damping) t(s) + damping * (sum for a - sum against a) / sqrt(n(s) * sum a²)
        a(c) = (sum for t³ - sum against t³) / sum |t|³

    It assumes that a source errs as often in one question as in another; one that is mostly wrong
    has negative trust and speaks against what it says. The plausibility is (1 + a) / 2, which is,
    while no trust is negative, the share of t³ that is for the answer.

    The paper begins with the cosine between a source and "all is true". Where who is for one
    answer is against the others that says little (it is 0 for two answers), so we begin with equal
    trust 1, and the first round counts votes. The paper divides by the sum of t³, which is the
    same while no trust is negative, and without bounds otherwise.

    Parameters
    ----------
    damping
        How far trust moves in a round; 0.2 in the paper.
    max_iter, tol
        Rounds at most, and the largest change of trust to stop at; None for `max_iter` rounds.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import Cosine
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> Cosine().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    def __init__(
        self,
        damping: float = 0.2,
        max_iter: int = 200,
        tol: float | None = 1e-4,
        random_state: int = 0,
    ) -> None:
        self.damping = damping
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        check_share("damping", self.damping)
        views = Views(questions)
        trust = np.ones(questions.n_sources)

        def step() -> dict[str, float]:
            nonlocal trust
            seen = cosine(views, truth(views, trust), trust)
            new = (1 - self.damping) * trust + self.damping * seen
            change, trust = largest_change(new, trust), new
            return {"change": change}

        self._iterate(step)
        return Learned.with_average(trust=trust)

    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        return (1 + truth(Views(questions), learned.of_source["trust"])) / 2


def truth(views: Views, trust: Floats) -> Floats:
    """Return how true each answer is, from -1 to 1; (n_answers,)."""
    cube = trust**3
    votes_for, votes_against = views.on_answers(cube)
    whole = np.add(*views.on_answers(np.abs(cube)))
    known = whole > 0
    return np.asarray(np.where(known, votes_for - votes_against, 0.0) / np.where(known, whole, 1.0))


def cosine(views: Views, of_answer: Floats, otherwise: Floats) -> Floats:
    """Return the cosine between what each source says and numbers of answers; (n_sources,).

    Of a source that speaks about nothing but undecided answers, it is what is given otherwise.
    """
    votes_for, votes_against = views.of_sources(of_answer)
    squares = np.add(*views.of_sources(of_answer**2))
    length = np.sqrt(np.maximum(views.n_of_source * squares, 0.0))
    known = length > EQUAL
    found = (votes_for - votes_against) / np.where(known, length, 1.0)
    return np.where(known, np.clip(found, -1.0, 1.0), otherwise)
