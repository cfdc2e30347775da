"""Average·Log: how well a source does on average, and a little of how much it says."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.views.one_true_value import Questions
from veracity.models.web.fixpoints import ratio
from veracity.models.web.sums import Sums


class AverageLog(Sums):
    """Trust a source by what it claims on average, and a little by how much it claims.

    Average·Log (Pasternack and Roth, Knowing what to believe when you already know something,
    COLING 2010) believes answers as `Sums` does, but trusts a source by the mean belief in its n
    answers, times the logarithm of n. With T the trust in a source and B the belief in an answer,
    both divided by their largest after every round:

        T(s) = log n(s) * mean over its answers of B(c)      B(c) = sum over its sources of T(s)

    It assumes that a source that says much is somewhat better than one that says little, all else
    being equal. With a single answer a source has no trust at all, since log 1 = 0; where nobody
    else speaks, votes are counted. With weights, n is the weight of all answers of a source, and
    no trust is negative. The plausibility is the share of an answer in the belief in all answers to
    its question.

    Parameters
    ----------
    max_iter, tol
        Rounds at most, and the largest change of trust to stop at; None for `max_iter` rounds,
        as in the paper.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import AverageLog
    >>> claims = {
    ...     "source": ["a", "a", "b", "b", "c"],
    ...     "entity": ["sky", "sea", "sky", "sea", "sky"],
    ...     "value": ["blue", "green", "blue", "green", "red"],
    ... }
    >>> model = AverageLog().fit(claims)
    >>> model.source_parameters_["trust"].to_pylist()
    [1.0, 1.0, 0.0]
    """

    def _trust(self, questions: Questions, belief: Floats) -> Floats:
        n_given = questions.n_given
        mean = ratio(questions.to_sources(belief), n_given)
        return np.asarray(np.log(np.maximum(n_given, 1.0)) * mean)
