"""When the rounds of an algorithm end, and what it starts from."""

from __future__ import annotations

from enum import Enum

from veracity.errors import InvalidParameter

#: Rounds at most of a convergence iterator that has no limit.
MOST_ROUNDS = 1000


class PriorBelief(Enum):
    """The belief in claims before the first round."""

    FIXED = "fixed"
    VOTED = "voted"
    UNIFORM = "uniform"


class DistanceMeasures(Enum):
    """How far trust is from that of the round before."""

    L1 = "l1"
    L2 = "l2"
    L_INF = "l_inf"
    COSINE = "cosine"


class FixedIterator:
    """Do a fixed number of rounds.

    Parameters
    ----------
    limit
        The number of rounds.
    """

    def __init__(self, limit: int = 20) -> None:
        if limit < 1:
            raise InvalidParameter(f"limit must be 1 or more. Got {limit!r} instead.")
        self.limit = limit


class ConvergenceIterator:
    """Do rounds until trust changes little.

    Parameters
    ----------
    distance_measure
        How the change is measured: L_INF, or COSINE of `TruthFinder`.
    threshold
        The change to stop at.
    limit
        Rounds at most; None for 1000. A run that ends there warns and keeps its result.
    """

    def __init__(
        self, distance_measure: DistanceMeasures, threshold: float, limit: int | None = None
    ) -> None:
        self.distance_measure = distance_measure
        self.threshold = threshold
        self.limit = MOST_ROUNDS if limit is None else limit


Iterator = FixedIterator | ConvergenceIterator


def rounds(iterator: Iterator, measure: DistanceMeasures, algorithm: str) -> dict[str, object]:
    """Return the parameters of our model for an iterator."""
    if isinstance(iterator, FixedIterator):
        return {"max_iter": iterator.limit, "tol": None}
    if iterator.distance_measure is not measure:
        raise InvalidParameter(
            f"{algorithm} measures change by {measure}. Got {iterator.distance_measure}. Use that, "
            "or a FixedIterator."
        )
    return {"max_iter": iterator.limit, "tol": iterator.threshold}
