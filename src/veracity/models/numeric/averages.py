"""Mean and median: numbers by the middle of what is claimed, every source alike."""

from __future__ import annotations

from abc import abstractmethod

from veracity.data.claims import Claims
from veracity.data.output.results import Estimates
from veracity.data.truth.known import KnownTruth
from veracity.models.base import Judgement
from veracity.models.numeric.numbers import (
    Numbers,
    judgement,
    mean_of,
    median_of,
    needed_numbers,
    notes_of,
    votes_on_others,
)
from veracity.models.whole_table import WholeTable


class _Average(WholeTable):
    """Base of models that learn nothing and take the middle of the claimed numbers."""

    needs_numbers = True

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    @abstractmethod
    def _estimate(self, numbers: Numbers) -> Estimates:
        """Return the number of each item."""

    def _fit_table(self, claims: Claims, known: KnownTruth | None) -> Judgement:
        numbers = needed_numbers(claims, type(self).__name__)
        self.notes_ += notes_of(claims, numbers)
        return self._judgement(claims, numbers)

    def _judge(self, claims: Claims) -> Judgement:
        return self._judgement(claims, needed_numbers(claims, type(self).__name__))

    def _judgement(self, claims: Claims, numbers: Numbers) -> Judgement:
        return judgement(numbers, self._estimate(numbers), votes_on_others(claims, numbers))


class Mean(_Average):
    """Believe the mean of the claimed numbers.

    It assumes that errors are as often too high as too low, and of one size for all sources. One
    source that is far off moves it as far as it likes. With n claims of an item, whose standard
    deviation is s (n - 1 in the denominator), the standard error is s / sqrt(n), and the 95 %
    interval is that of Student's t with n - 1 degrees of freedom. Claims with weights count by
    them, with n = (sum w)^2 / sum w^2. From one claim alone neither standard error nor interval
    can be told, and both are null.

    Numbers have to be declared (``--compare NAME=number``); other attributes are decided by
    majority vote. The plausibility of a claimed number is the probability that no other claimed
    one is nearer to the truth, if the truth is normal about the mean with its standard error.

    Parameters
    ----------
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import Attribute, Claims, Mean
    >>> depths = [("ann", "sea", "10"), ("bob", "sea", "11"), ("cat", "sea", "15")]
    >>> claims = Claims.from_triples(depths, attributes={"*": Attribute(values="number")})
    >>> Mean().fit_predict(claims)["value"].to_pylist()
    ['12']
    """

    def _estimate(self, numbers: Numbers) -> Estimates:
        return mean_of(numbers, numbers.weight)


class Median(_Average):
    """Believe the median of the claimed numbers.

    It assumes that most sources are about right, and minds neither how far off the others are nor
    how errors are distributed. The 95 % interval runs from the k-th smallest to the k-th largest
    claim, with the largest k for which a binomial (n, 1/2) is below k with a probability of at
    most 2.5 %; fewer than six claims have no such interval, and it is null. The standard error is
    that of Maritz and Jarrett (A note on estimating the variance of the sample median, JASA
    1978); that of one claim is null. Claims with weights count by them.

    Numbers have to be declared (``--compare NAME=number``); other attributes are decided by
    majority vote. Plausibilities are those of `Mean`, with the median in its place.

    Parameters
    ----------
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import Attribute, Claims, Median
    >>> depths = [("ann", "sea", "10"), ("bob", "sea", "11"), ("cat", "sea", "900")]
    >>> claims = Claims.from_triples(depths, attributes={"*": Attribute(values="number")})
    >>> Median().fit_predict(claims)["value"].to_pylist()
    ['11']
    """

    def _estimate(self, numbers: Numbers) -> Estimates:
        return median_of(numbers, numbers.weight)
