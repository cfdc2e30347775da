"""Result: trust in sources and belief in values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from veracity.errors import InputError, listing, suggestion

Name = Hashable


@dataclass(frozen=True)
class Result:
    """What a run found.

    Attributes
    ----------
    trust
        The trust in each source.
    belief
        The belief in each value of each variable.
    time_taken
        Seconds.
    iterations
        Rounds, None of an algorithm that has none.
    model
        The fitted model of this library.
    """

    trust: dict[Name, float]
    belief: dict[Name, dict[Name, float]]
    time_taken: float
    iterations: int | None = None
    model: Any = None

    def get_most_believed_values(self, var: Name) -> Iterator[Name]:
        """Yield the values of a variable with the largest belief; several if they are tied."""
        if var not in self.belief:
            near = suggestion(str(var), map(str, self.belief))
            raise InputError(
                f"There is no variable {var!r}.{near} There are {listing(self.belief, 8)}."
            )
        largest = max(self.belief[var].values())
        yield from (value for value, belief in self.belief[var].items() if belief == largest)

    def filter(
        self, sources: Iterable[Name] | None = None, variables: Iterable[Name] | None = None
    ) -> Result:
        """Return the result for some sources and variables only."""
        trust, belief = self.trust, self.belief
        if sources is not None:
            trust = {name: trust[name] for name in sources if name in trust}
        if variables is not None:
            belief = {name: belief[name] for name in variables if name in belief}
        return replace(self, trust=trust, belief=belief)

    def get_trust_stats(self) -> tuple[float, float]:
        """Return mean and standard deviation of trust."""
        return _stats(self.trust.values())

    def get_belief_stats(self) -> dict[Name, tuple[float, float]]:
        """Return mean and standard deviation of the beliefs in the values of each variable."""
        return {var: _stats(values.values()) for var, values in self.belief.items()}


def _stats(numbers: Iterable[float]) -> tuple[float, float]:
    array = np.array(list(numbers), np.float64)
    return float(array.mean()), float(array.std())
