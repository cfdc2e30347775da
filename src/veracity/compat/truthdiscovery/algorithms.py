"""Algorithms that turn a dataset into trust and belief; the rounds are those of our models."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator as Results
from typing import Any, ClassVar

import numpy as np

from veracity.compat.estimator import Estimator
from veracity.compat.truthdiscovery.dataset import Dataset
from veracity.compat.truthdiscovery.iteration import (
    ConvergenceIterator,
    DistanceMeasures,
    FixedIterator,
    Iterator,
    PriorBelief,
    rounds,
)
from veracity.compat.truthdiscovery.result import Result
from veracity.data.arrays import Floats
from veracity.errors import InvalidParameter
from veracity.models.grbm import estimator
from veracity.models.per_source import SourceModel
from veracity.models.web import average_log, investment, pooled_investment, sums, truthfinder
from veracity.models.web.fixpoints import scaled


class Algorithm(Estimator):
    """Base of all algorithms."""

    @abstractmethod
    def run(self, data: Dataset) -> Result:
        """Return trust and belief for a dataset."""


class MajorityVoting(Algorithm):
    """Believe values by the number of their sources, as a part of the largest number.

    Examples
    --------
    >>> from veracity.compat.truthdiscovery import Dataset, MajorityVoting
    >>> data = Dataset([("ann", "x", 4), ("bob", "x", 3), ("cleo", "x", 3)])
    >>> MajorityVoting().run(data).belief
    {'x': {4: 0.5, 3: 1.0}}
    """

    def __init__(self) -> None:
        pass

    def run(self, data: Dataset) -> Result:
        """Return trust and belief for a dataset."""
        start = time.perf_counter()
        trust = np.ones(data.num_sources)
        belief = scaled(data.to_values(trust))
        taken = time.perf_counter() - start
        return Result(data.trust_dict(trust), data.belief_dict(belief), taken)


class IterativeAlgorithm(Algorithm):
    """Base of algorithms that go back and forth between trust and belief.

    Parameters
    ----------
    iterator
        When to stop; None for the default of the algorithm.
    priors
        The belief to start from. Only that of the algorithm itself is offered.
    """

    _measure: ClassVar[DistanceMeasures] = DistanceMeasures.L_INF
    _start: ClassVar[PriorBelief] = PriorBelief.FIXED

    def __init__(self, iterator: Iterator | None = None, priors: PriorBelief | None = None) -> None:
        self.iterator = iterator
        self.priors = priors

    def run(self, data: Dataset) -> Result:
        """Return trust and belief for a dataset."""
        return self._run(data, self.iterator or self._default_iterator())

    def run_iter(self, data: Dataset) -> Results[Result]:
        """Yield the result after each round."""
        n_rounds = self.run(data).iterations or 0
        for count in range(1, n_rounds + 1):
            yield self._run(data, FixedIterator(count))

    def _run(self, data: Dataset, iterator: Iterator) -> Result:
        name = type(self).__name__
        if self.priors not in (None, self._start):
            raise InvalidParameter(f"{name} starts from {self._start}. Got {self.priors} instead.")
        start = time.perf_counter()
        model = self._fitted(data, rounds(iterator, self._measure, name))
        trust = _trust(data, model)
        belief = data.belief_dict(self._belief(data, self._believed_by(data, model)))
        taken = time.perf_counter() - start
        return Result(data.trust_dict(trust), belief, taken, model.n_iter_, model)

    def _fitted(self, data: Dataset, parameters: dict[str, Any]) -> SourceModel:
        return self._model(data).set_params(**parameters).fit(data.claims)

    def _believed_by(self, data: Dataset, model: SourceModel) -> Floats:
        """Return the trust by which the last beliefs of a run are worked out; (num_sources,)."""
        return _trust(data, model)

    def _default_iterator(self) -> Iterator:
        return FixedIterator(20)

    @abstractmethod
    def _model(self, data: Dataset) -> SourceModel:
        """Return the model of this library."""

    @abstractmethod
    def _belief(self, data: Dataset, trust: Floats) -> Floats:
        """Return the belief in each value, given trust; (num_claims,)."""


class Sums(IterativeAlgorithm):
    """Hubs and authorities (Pasternack and Roth, 2010); see `veracity.Sums`.

    Examples
    --------
    >>> from veracity.compat.truthdiscovery import Dataset, Sums
    >>> data = Dataset([("ann", "x", 4), ("bob", "x", 3), ("cleo", "x", 3)])
    >>> list(Sums().run(data).get_most_believed_values("x"))
    [3]
    """

    def _model(self, data: Dataset) -> SourceModel:
        return sums.Sums()

    def _belief(self, data: Dataset, trust: Floats) -> Floats:
        return scaled(data.to_values(trust))


class AverageLog(Sums):
    """Average belief times the logarithm of the number of claims; see `veracity.AverageLog`."""

    def _model(self, data: Dataset) -> SourceModel:
        return average_log.AverageLog()


class Investment(IterativeAlgorithm):
    """Sources invest their trust in their claims; see `veracity.Investment`.

    Parameters
    ----------
    iterator, priors
        See `IterativeAlgorithm`.
    g
        The exponent by which belief grows.
    """

    _start = PriorBelief.VOTED

    def __init__(
        self,
        iterator: Iterator | None = None,
        priors: PriorBelief | None = None,
        g: float = 1.2,
    ) -> None:
        super().__init__(iterator, priors)
        self.g = g

    def _model(self, data: Dataset) -> SourceModel:
        return investment.Investment(growth=self.g)

    def _belief(self, data: Dataset, trust: Floats) -> Floats:
        return scaled(data.to_values(trust / data.n_given) ** self.g)


class PooledInvestment(Investment):
    """Investments that rivals share out; see `veracity.PooledInvestment`.

    Parameters
    ----------
    iterator, priors
        See `IterativeAlgorithm`.
    g
        The exponent by which the investments of rivals grow.
    """

    _start = PriorBelief.UNIFORM

    def __init__(
        self,
        iterator: Iterator | None = None,
        priors: PriorBelief | None = None,
        g: float = 1.4,
    ) -> None:
        super().__init__(iterator, priors, g)

    def _model(self, data: Dataset) -> SourceModel:
        return pooled_investment.PooledInvestment(growth=self.g)

    def _belief(self, data: Dataset, trust: Floats) -> Floats:
        collected = data.to_values(trust / data.n_given)
        grown = collected**self.g
        pool = np.bincount(data.variable, grown, data.num_variables)[data.variable]
        return scaled(collected * grown / np.where(pool > 0, pool, 1.0))


class TruthFinder(IterativeAlgorithm):
    """Probabilities of being right, and implications between values; see `veracity.TruthFinder`.

    Parameters
    ----------
    iterator, priors
        See `IterativeAlgorithm`. By default, rounds are done until the cosine of trust changes by
        less than 0.001.
    influence_param
        How much implied values count, rho in the paper.
    dampening_factor
        By how much scores are dampened, gamma in the paper.
    initial_trust
        Trust in all sources in the beginning.

    Examples
    --------
    >>> from veracity.compat.truthdiscovery import Dataset, TruthFinder
    >>> data = Dataset([("ann", "x", 4), ("bob", "x", 3), ("cleo", "x", 3)])
    >>> result = TruthFinder().run(data)
    >>> result.trust["bob"] > result.trust["ann"]
    True
    """

    _measure = DistanceMeasures.COSINE

    def __init__(
        self,
        iterator: Iterator | None = None,
        priors: PriorBelief | None = None,
        influence_param: float = 0.5,
        dampening_factor: float = 0.3,
        initial_trust: float = 0.9,
    ) -> None:
        super().__init__(iterator, priors)
        self.influence_param = influence_param
        self.dampening_factor = dampening_factor
        self.initial_trust = initial_trust

    def _default_iterator(self) -> Iterator:
        return ConvergenceIterator(DistanceMeasures.COSINE, 0.001)

    def _model(self, data: Dataset) -> SourceModel:
        return truthfinder.TruthFinder(
            None if data.implication_function is None else data.implied,
            influence=self.influence_param,
            dampening=self.dampening_factor,
            initial_trust=self.initial_trust,
        )

    def _believed_by(self, data: Dataset, model: SourceModel) -> Floats:
        # A round ends with trust, which is the mean of the beliefs that the trust before led to.
        if model.n_iter_ == 1:
            return np.full(data.num_sources, self.initial_trust)
        return _trust(data, self._fitted(data, {"max_iter": model.n_iter_ - 1, "tol": None}))

    def _belief(self, data: Dataset, trust: Floats) -> Floats:
        score = data.to_values(-np.log1p(-np.clip(trust, 0.0, truthfinder.MOST_TRUST)))
        score = score + self.influence_param * data.influence(score)
        return truthfinder.sigmoid(self.dampening_factor * score)


class GRBM(Algorithm):
    """The default model of this library: trust is reliability, belief is plausibility.

    Parameters
    ----------
    model
        A `veracity.GRBM` with settings of your own; None for the default.

    Examples
    --------
    >>> from veracity.compat.truthdiscovery import Dataset, GRBM
    >>> data = Dataset([("ann", "x", 4), ("bob", "x", 3), ("cleo", "x", 3)])
    >>> list(GRBM().run(data).get_most_believed_values("x"))
    [3]
    """

    def __init__(self, model: estimator.GRBM | None = None) -> None:
        self.model = model

    def run(self, data: Dataset) -> Result:
        """Return trust and belief for a dataset."""
        start = time.perf_counter()
        model = estimator.GRBM() if self.model is None else self.model
        model.fit(data.claims)
        table = model.sources_.to_arrow()
        names, rates = table["source"].to_pylist(), table["reliability"].to_pylist()
        trust = data.trust_by_name(dict(zip(names, rates, strict=True)))
        belief = data.belief_dict(data.plausibilities(model.statements_))
        taken = time.perf_counter() - start
        return Result(data.trust_dict(trust), belief, taken, model.n_iter_, model)


def _trust(data: Dataset, model: SourceModel) -> Floats:
    """Return the trust in each source; (num_sources,)."""
    table = model.source_parameters_.to_arrow()
    names, trust = table["source"].to_pylist(), table["trust"].to_pylist()
    return data.trust_by_name(dict(zip(names, trust, strict=True)))
