"""Check: one promise of the contract, and what is said when a model does not keep it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.output.tables import Table
from veracity.errors import ConvergenceWarning, VeracityError
from veracity.models.base import TruthModel

#: How far plausibilities may be apart that ought to be equal: sums in another order.
ROUNDING = 1e-6
#: The same for models that draw at random, at most and on average.
SAMPLED_AT_MOST, SAMPLED_ON_AVERAGE = 0.4, 0.05


class BrokenContract(VeracityError, AssertionError):
    """A model does not do what every model does."""


@dataclass(frozen=True)
class Check:
    """One promise; called with a model, it raises `BrokenContract` unless the model keeps it.

    Attributes
    ----------
    name
        What it is about, in a few words.
    function
        Puts a model, not fitted, to the test.
    """

    name: str
    function: Callable[[TruthModel], None]

    @classmethod
    def of(cls, function: Callable[[TruthModel], None]) -> Check:
        """Make a check of a function, and name it after the function."""
        return cls(function.__name__.replace("_", " "), function)

    def __call__(self, model: TruthModel) -> None:
        """Put a copy of a model to the test; a warning is a failure, but for ConvergenceWarning."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                self.function(fresh(model))
            except Unmet as unmet:
                raise BrokenContract(self._sentence(model, str(unmet))) from None
            except Exception as error:
                came = f"It raised {type(error).__name__}: {error}"
                raise BrokenContract(self._sentence(model, came)) from error

    def _sentence(self, model: TruthModel, came: str) -> str:
        promise = (self.function.__doc__ or "").strip().splitlines()
        said = f" ({promise[0].rstrip('.')})" if promise else ""
        return f"{type(model).__name__} fails the check {self.name!r}{said}. {came}"

    def __str__(self) -> str:
        return self.name


class Unmet(Exception):
    """What was expected, and what came instead."""


def require(condition: object, expected: str, came: object) -> None:
    """Say what was expected and what came, unless the condition holds."""
    if not condition:
        raise Unmet(f"Expected {expected}. Got {came} instead.")


def fresh(model: TruthModel) -> TruthModel:
    """Return a model with the same parameters that has not learned anything."""
    return type(model)(**deepcopy(model.get_params(deep=False)))


def require_equal(first: Table, second: Table, expected: str) -> None:
    """Require that two tables are equal to the bit."""
    if not first.to_arrow().equals(second.to_arrow()):
        require(False, expected, f"{first!r}\nand\n{second!r}")


def require_close(model: TruthModel, first: Table, second: Table, expected: str) -> None:
    """Require that two tables of statements give the same plausibilities, as near as may be."""
    mine, theirs = by_statement(first), by_statement(second)
    require(mine.keys() == theirs.keys(), "the same statements", _unshared(mine, theirs))
    apart = np.array([abs(mine[key] - theirs[key]) for key in mine])
    worst = max(mine, key=lambda key: abs(mine[key] - theirs[key]))
    came = f"{mine[worst]:.6g} and {theirs[worst]:.6g} for {worst}, {np.mean(apart):.2g} on average"
    if model.is_sampled:
        near = bool(np.max(apart) <= SAMPLED_AT_MOST and np.mean(apart) <= SAMPLED_ON_AVERAGE)
        require(near, f"{expected}, but for chance", came)
    else:
        require(np.max(apart) <= ROUNDING, expected, came)


def by_statement(table: Table) -> dict[tuple[str, str, str], float]:
    """Return plausibilities by entity, attribute and value."""
    return {
        (row["entity"], row["attribute"], row["value"]): row["plausibility"]
        for row in table.to_pylist()
    }


def by_item(table: Table, column: str = "value") -> dict[tuple[str, str], set[object]]:
    """Return what a column says about each item, by entity and attribute."""
    found: dict[tuple[str, str], set[object]] = {}
    for row in table.to_pylist():
        found.setdefault((row["entity"], row["attribute"]), set()).add(row[column])
    return found


def numbers(column: pa.ChunkedArray) -> Floats:
    """Return a column of numbers, NaN for nulls."""
    return np.array([np.nan if cell is None else cell for cell in column.to_pylist()], np.float64)


def _unshared(mine: Iterable[object], theirs: Iterable[object]) -> str:
    return f"these in one table only: {sorted(map(str, set(mine) ^ set(theirs)))[:5]}"
