"""Dataset: claims as (source, variable, value)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from veracity.compat.panel import Panel, texts
from veracity.compat.truthdiscovery.result import Name, Result
from veracity.data.arrays import Floats, Indices
from veracity.data.claims import Claims
from veracity.errors import InputError

#: Of two values of a variable: how much the first speaks for the second, or None.
Implication = Callable[[Any, Any, Any], float | None]


class Dataset:
    """Claims of sources about variables.

    Parameters
    ----------
    triples
        (source, variable, value) of each claim. Missing values are no claims, and a claim that is
        repeated counts once.
    implication_function
        A function of (variable, value, other value) from -1 to 1, or None: how much the value
        speaks for the other one. `TruthFinder` uses it.

    Examples
    --------
    >>> from veracity.compat.truthdiscovery import Dataset
    >>> Dataset([("ann", "x", 4), ("bob", "x", 3), ("bob", "y", 7)]).num_claims
    3
    """

    def __init__(
        self,
        triples: Iterable[Sequence[Any]],
        implication_function: Implication | None = None,
    ) -> None:
        self.implication_function = implication_function
        self._sources: dict[Name, int] = {}
        self._variables: dict[Name, int] = {}
        self._values: dict[tuple[int, Name], int] = {}
        votes: dict[tuple[int, int], None] = {}
        for triple in triples:
            source, variable, value = _checked(triple)
            if value is None or value != value or value is np.ma.masked:
                continue
            at = self._variables.setdefault(variable, len(self._variables))
            said = self._values.setdefault((at, value), len(self._values))
            votes[self._sources.setdefault(source, len(self._sources)), said] = None
        if not votes:
            raise InputError("The dataset has no claims. Give at least one (source, var, value).")
        pairs = np.array(list(votes), np.int64)
        self.source: Indices = pairs[:, 0]
        self.value: Indices = pairs[:, 1]
        #: The variable of each value that is claimed.
        self.variable: Indices = np.array([at for at, _ in self._values], np.int64)

    @property
    def num_sources(self) -> int:
        """The number of sources."""
        return len(self._sources)

    @property
    def num_variables(self) -> int:
        """The number of variables."""
        return len(self._variables)

    @property
    def num_claims(self) -> int:
        """The number of distinct values of variables."""
        return len(self._values)

    @cached_property
    def panel(self) -> Panel:
        """The same as labels of items."""
        distinct: dict[Name, int] = {}
        of_value = [distinct.setdefault(value, len(distinct)) for _, value in self._values]
        named = texts(distinct)
        if self.implication_function is not None:
            # Values get names of their own, by which the function knows the variable.
            of_value = list(range(self.num_claims))
            named = [str(place) for place in of_value]
        self._text_of_value = np.array(of_value, np.int64)
        return Panel(
            self.variable[self.value],
            self.source,
            self._text_of_value[self.value],
            texts(self._variables),
            texts(self._sources),
            named,
        )

    @cached_property
    def claims(self) -> Claims:
        """The same as claims of this library."""
        return self.panel.claims("open")

    def plausibilities(self, statements: Any) -> Floats:
        """Return the plausibility of each value, from a table of statements; (num_claims,)."""
        item, label, plausibility = self.panel.places(statements)
        width = len(self.panel.labels)
        order = np.argsort(item * width + label)
        wanted = self.variable * width + self._text_of_value
        place = np.searchsorted((item * width + label)[order], wanted)
        return np.asarray(plausibility[order][place])

    def implied(self, first: str, second: str) -> float:
        """Return how much a value speaks for another one of the same variable."""
        assert self.implication_function is not None
        (at, value), (_, other) = self._names[int(first)], self._names[int(second)]
        return self.implication_function(self._variable_names[at], value, other) or 0.0

    @cached_property
    def _names(self) -> list[tuple[int, Name]]:
        return list(self._values)

    @cached_property
    def _variable_names(self) -> list[Name]:
        return list(self._variables)

    def trust_by_name(self, trust: Mapping[str, float]) -> Floats:
        """Return trust in the order of sources, given by the texts of their names."""
        return np.array([trust[name] for name in texts(self._sources)], np.float64)

    def trust_dict(self, trust: Floats) -> dict[Name, float]:
        """Return trust in each source."""
        return dict(zip(self._sources, trust.tolist(), strict=True))

    def belief_dict(self, belief: Floats) -> dict[Name, dict[Name, float]]:
        """Return belief in each value of each variable."""
        found: dict[Name, dict[Name, float]] = {variable: {} for variable in self._variables}
        for (at, value), number in zip(self._values, belief.tolist(), strict=True):
            found[self._variable_names[at]][value] = number
        return found

    def to_values(self, of_source: Floats) -> Floats:
        """Add up numbers of sources for each value that they claim; (num_claims,)."""
        sums = np.bincount(self.value, of_source[self.source], self.num_claims)
        return np.asarray(sums, np.float64)

    @cached_property
    def n_given(self) -> Floats:
        """The number of claims of each source; (num_sources,)."""
        return np.bincount(self.source, minlength=self.num_sources).astype(np.float64)

    def influence(self, score: Floats) -> Floats:
        """Return what the other values of its variable add to each value's score; (num_claims,)."""
        added = np.zeros(self.num_claims)
        if self.implication_function is None:
            return added
        for at in range(self.num_variables):
            rivals = np.flatnonzero(self.variable == at)
            for first in rivals:
                for second in rivals:
                    if first != second:
                        added[second] += self.implied(str(first), str(second)) * score[first]
        return added


class MatrixDataset(Dataset):
    """Claims as a matrix, sources by variables, whose masked or missing cells are no claims.

    Parameters
    ----------
    matrix
        A masked array, an array with NaN, or a list of lists with None.
    implication_function
        See `Dataset`.

    Examples
    --------
    >>> from veracity.compat.truthdiscovery import MatrixDataset
    >>> MatrixDataset([[4, 7, None], [None, 7, 8]]).num_variables
    3
    """

    def __init__(self, matrix: Any, implication_function: Implication | None = None) -> None:
        rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix
        cells = ((i, j, value) for i, row in enumerate(rows) for j, value in enumerate(row))
        super().__init__(cells, implication_function)

    @classmethod
    def from_csv(cls, path: str | Path, implication_function: Implication | None = None) -> Self:
        """Read a matrix of numbers from a CSV file; empty cells are no claims."""
        with Path(path).open(newline="", encoding="utf-8") as file:
            rows = [[_number(cell) for cell in row] for row in csv.reader(file)]
        return cls(rows, implication_function)


class SupervisedData:
    """A dataset and the true values of some variables.

    Parameters
    ----------
    data
        The dataset.
    values
        The true value of each variable that is known.
    """

    def __init__(self, data: Dataset, values: Mapping[Hashable, Any]) -> None:
        self.data = data
        self.values = values

    def get_accuracy(self, result: Result) -> float:
        """Return the share of known variables whose most believed value is true.

        A value that is tied with others counts as its part.
        """
        hits = []
        for variable, truth in self.values.items():
            if variable in result.belief:
                best = list(result.get_most_believed_values(variable))
                hits.append((truth in best) / len(best))
        if not hits:
            raise InputError("None of the variables with a known value is in the result.")
        return float(np.mean(hits))


def _number(cell: str) -> float | None:
    if not cell.strip():
        return None
    try:
        return float(cell)
    except ValueError:
        raise InputError(f"The cells of a matrix must be numbers. Got {cell!r} instead.") from None


def _checked(triple: Sequence[Any]) -> Sequence[Any]:
    if isinstance(triple, str) or len(triple) != 3:
        raise InputError(f"A claim must be (source, var, value). Got {triple!r} instead.")
    return triple
