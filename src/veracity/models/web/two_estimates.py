"""2-Estimates: how true answers are, and how much sources err."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.base import Judgement
from veracity.models.per_source import Learned, largest_change
from veracity.models.views.one_true_value import Clamp, Questions
from veracity.models.views.votes import Scale, Views
from veracity.models.web.fixpoints import FixpointModel, check_share, ratio


class TwoEstimates(FixpointModel):
    """Estimate in turn how true answers are and how much sources err.

    2-Estimates (Galland, Abiteboul, Marian and Senellart, Corroborating information from
    disagreeing views, WSDM 2010). With e the error of a source, 0 in the beginning, and t the
    truth of an answer, means over those who are for it, by giving it, and those who are against
    it, by giving another answer to the same question:

        t(c) = mean of 1 - e(s) over those for it, and of e(s) over those against it
        e(s) = mean of 1 - t(c) over what it is for, and of t(c) over what it is against

    The means alone would draw everything to the middle, so both are spread over 0 to 1 again after
    every step. A number x becomes

        spread * (x - min) / (max - min) + (1 - spread) * round(x)

    It assumes that a source errs as often in one question as in another. The best source counts as
    nearly faultless and the worst one as nearly always wrong, however close they are: with few
    sources or few claims that goes too far. The plausibility is t, spread as in the last round.

    Parameters
    ----------
    spread
        How numbers are spread: 1 by their range, 0 by rounding, or something of both; lambda in
        the paper.
    max_iter, tol
        Rounds at most, and the largest change of an error to stop at; None for `max_iter` rounds.
        Rounding may keep the errors going to and fro, which is then noted.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import TwoEstimates
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> TwoEstimates().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    def __init__(
        self,
        spread: float = 0.5,
        max_iter: int = 100,
        tol: float | None = 1e-6,
        random_state: int = 0,
    ) -> None:
        self.spread = spread
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        check_share("spread", self.spread)
        views = Views(questions)
        error = np.zeros(questions.n_sources)

        def step() -> dict[str, float]:
            nonlocal error
            estimated = truth(views, error)
            believed = Scale.of(estimated, self.spread)(estimated)
            mistaken = views.wrong_on_average(believed)
            new = Scale.of(mistaken, self.spread)(mistaken)
            change, error = largest_change(new, error), new
            return {"change": change}

        self._iterate(step)
        last = truth(views, error)
        span = np.array([last.min(), last.max()])
        return Learned.with_average(error=error, shared={"truth": span})

    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        return self._spread_as_learned(truth(Views(questions), learned.of_source["error"]), learned)

    def _judgement(self, questions: Questions, learned: Learned) -> Judgement:
        estimated = truth(Views(questions), learned.of_source["error"])
        believed = self._spread_as_learned(estimated, learned)
        place = questions.answer_of_statement
        # New claims may be out of the range of those learned from: only the estimate ranks them.
        return Judgement(believed[place], score=estimated[place])

    def _spread_as_learned(self, estimated: Floats, learned: Learned) -> Floats:
        low, high = learned.shared["truth"].tolist()
        return Scale(low, high, self.spread)(estimated)


def truth(views: Views, error: Floats) -> Floats:
    """Return how true each answer is, if sources err so often; (n_answers,)."""
    n_for, _ = views.counts
    errors_for, errors_against = views.on_answers(error)
    return ratio(n_for - errors_for + errors_against, views.n_on_answer)
