"""3-Estimates: how true answers are, how much sources err, and how hard answers are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.base import Judgement
from veracity.models.per_source import Learned, largest_change
from veracity.models.views.one_true_value import Clamp, Questions
from veracity.models.views.votes import EQUAL, Scale, Views
from veracity.models.web.fixpoints import FixpointModel, check_share, ratio

#: Spreads numbers, which are named, over 0 to 1.
Spread = Callable[[str, Floats], Floats]


class ThreeEstimates(FixpointModel):
    """Estimate in turn how true answers are, how much sources err, and how hard answers are.

    3-Estimates (Galland, Abiteboul, Marian and Senellart, Corroborating information from
    disagreeing views, WSDM 2010) adds to `TwoEstimates` that some answers are harder to judge than
    others. With e the error of a source and h how hard an answer is, a source is wrong about an
    answer with probability e h. With t the truth of an answer, means over those who are for it,
    by giving it, and those who are against it, by giving another answer to the same question:

        t(c) = mean of 1 - e(s) h(c) over those for it, and of e(s) h(c) over those against it
        e(s) = mean of (1 - t(c)) / h(c) over what it is for, of t(c) / h(c) over the rest
        h(c) = mean of (1 - t(c)) / e(s) over those for it, of t(c) / e(s) over the rest

    where whatever would be divided by 0 is left out. All three are spread over 0 to 1 after every
    step, as in `TwoEstimates`. In the beginning all e are 0, and all h are `first_hardness`.

    It assumes that a hard answer is equally harder for all. New claims are judged with the errors
    of their sources as learned: truth and hardness are estimated in turn, as often as there were
    rounds in the fit. The claims of the fit are judged in the same way, which is the same where
    the fit has converged. The plausibility is t, spread as in the last round.

    Parameters
    ----------
    spread
        How numbers are spread: 1 by their range, 0 by rounding, or something of both; lambda in
        the paper.
    first_hardness
        How hard answers are in the beginning.
    max_iter, tol
        Rounds at most, and the largest change of an error to stop at; None for `max_iter` rounds.
        Dividing by small numbers and rounding often keep the errors going to and fro, which is
        then noted.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import ThreeEstimates
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> ThreeEstimates().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    def __init__(
        self,
        spread: float = 0.5,
        first_hardness: float = 0.1,
        max_iter: int = 20,
        tol: float | None = 1e-6,
        random_state: int = 0,
    ) -> None:
        self.spread = spread
        self.first_hardness = first_hardness
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        check_share("spread", self.spread)
        check_share("first_hardness", self.first_hardness)
        views = Views(questions)
        error = np.zeros(questions.n_sources)
        hard = np.full(questions.n_answers, float(self.first_hardness))
        spans: dict[str, Floats] = {}

        def spread(name: str, numbers: Floats) -> Floats:
            spans[name] = np.array([numbers.min(), numbers.max()])
            return Scale.of(numbers, self.spread)(numbers)

        def step() -> dict[str, float]:
            nonlocal error, hard
            believed = spread("truth", truth(views, error, hard))
            new = spread("error", errors(views, believed, hard, error))
            change, error = largest_change(new, error), new
            hard = spread("hardness", hardness(views, believed, error, hard))
            return {"change": change}

        self._iterate(step)
        spread("truth", truth(views, error, hard))
        return Learned.with_average(error=error, shared=spans)

    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        return self._spread_as_learned(learned)("truth", self._estimate(questions, learned))

    def _judgement(self, questions: Questions, learned: Learned) -> Judgement:
        estimated = self._estimate(questions, learned)
        believed = self._spread_as_learned(learned)("truth", estimated)
        place = questions.answer_of_statement
        # New claims may be out of the range of those learned from: only the estimate ranks them.
        return Judgement(believed[place], score=estimated[place])

    def _estimate(self, questions: Questions, learned: Learned) -> Floats:
        """Return how true each answer is, sources being as learned; (n_answers,)."""
        views, error = Views(questions), learned.of_source["error"]
        spread = self._spread_as_learned(learned)
        hard = np.full(questions.n_answers, float(self.first_hardness))
        for _ in range(self.n_iter_):
            believed = spread("truth", truth(views, error, hard))
            hard = spread("hardness", hardness(views, believed, error, hard))
        return truth(views, error, hard)

    def _spread_as_learned(self, learned: Learned) -> Spread:
        def spread(name: str, numbers: Floats) -> Floats:
            low, high = learned.shared[name].tolist()
            return Scale(low, high, self.spread)(numbers)

        return spread


def truth(views: Views, error: Floats, hard: Floats) -> Floats:
    """Return how true each answer is; (n_answers,)."""
    n_for, _ = views.counts
    errors_for, errors_against = views.on_answers(error)
    return ratio(n_for + hard * (errors_against - errors_for), views.n_on_answer)


def errors(views: Views, believed: Floats, hard: Floats, otherwise: Floats) -> Floats:
    """Return how much each source errs; what is given otherwise where nothing tells; (n_sources,).

    The arguments are how true answers are, and how hard.
    """
    tells = hard > EQUAL
    divided = np.where(tells, 1.0 / np.where(tells, hard, 1.0), 0.0)
    wrong_for, _ = views.of_sources((1 - believed) * divided)
    _, wrong_against = views.of_sources(believed * divided)
    n_telling = np.add(*views.of_sources(tells.astype(np.float64)))
    return np.where(n_telling > EQUAL, ratio(wrong_for + wrong_against, n_telling), otherwise)


def hardness(views: Views, believed: Floats, error: Floats, otherwise: Floats) -> Floats:
    """Return how hard each answer is; what is given otherwise where nothing tells; (n_answers,).

    The arguments are how true answers are, and how much sources err.
    """
    tells = error > EQUAL
    divided = np.where(tells, 1.0 / np.where(tells, error, 1.0), 0.0)
    divided_for, divided_against = views.on_answers(divided)
    n_telling = np.add(*views.on_answers(tells.astype(np.float64)))
    wrong = (1 - believed) * divided_for + believed * divided_against
    return np.where(n_telling > EQUAL, ratio(wrong, n_telling), otherwise)
