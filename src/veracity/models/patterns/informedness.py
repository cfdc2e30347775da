"""How much the answers of each source depend on the truth.

A source is taken to know the answer with probability J, and otherwise to say a with probability
h(a), whatever the truth is. With q the probability of each class by what the others say, and D the
number of classes,

    P(a) = J q(a) + (1 - J) h(a)                          J >= 0
    P(a) = |J| (1 - q(a)) / (D - 1) + (1 - |J|) h(a)      J < 0: it avoids the truth

so J is the informedness of Youden (1950), -1 to 1, and h takes up habits and prevalence: a source
that always says what is nearly always true has a J that its answers hardly tell. The likelihood is
maximised over h, by expectation maximisation, at each J of a grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.models.compiled import compiled
from veracity.models.patterns.answers import ClosedAttributes
from veracity.models.patterns.habits import Counted

#: The grid of J.
GRID = np.round(np.linspace(-1.0, 1.0, 41), 2)
_ZERO = 20
#: Steps of expectation maximisation at each J.
STEPS = 20


@dataclass(frozen=True, eq=False)
class Informedness:
    """The log-likelihood of each source's answers.

    Attributes
    ----------
    source
        The sources that are looked at; (n,).
    n_answers
        How many answers each gives; (n,).
    largest_share
        The share of its answers that are the same, where that is the largest; the mean over
        attributes; (n,).
    curve
        The log-likelihood at each J of `GRID`; (n, 41).
    """

    source: Indices
    n_answers: Floats
    largest_share: Floats
    curve: Floats

    @cached_property
    def best(self) -> Floats:
        """The most likely J; (n,)."""
        return np.asarray(GRID[self.curve.argmax(axis=1)])

    def evidence_against(self, j: float) -> Floats:
        """Return log-evidence for independence of the truth against a J of at least `j`; (n,)."""
        least = int(np.searchsorted(GRID, j - 1e-9))
        return np.asarray(self.curve[:, _ZERO] - self.curve[:, least:].max(axis=1))

    @property
    def evidence_of_avoiding(self) -> Floats:
        """Log-evidence for a J below 0 against all others, the mean over the grid; (n,)."""
        below, above = self.curve[:, :_ZERO], self.curve[:, _ZERO:].max(axis=1, keepdims=True)
        return np.asarray(np.logaddexp.reduce(below - above, axis=1) - np.log(_ZERO))

    @property
    def may_be_independent(self) -> Mask:
        """Marks sources whose answers do not show, at 5 %, that they depend on the truth; (n,)."""
        gain = self.curve[:, _ZERO:].max(axis=1) - self.curve[:, _ZERO]
        return np.asarray(2.0 * gain < 2.706)  # chi-squared, one-sided


def informedness_of(
    counted: Counted, closed: ClosedAttributes, n_sources: int, least: int
) -> Informedness:
    """Work out the likelihoods of the sources with at least so many answers."""
    n_said = counted.in_bin.sum(axis=1)
    n_answers = sum_by(counted.source, n_said, n_sources)
    chosen = np.flatnonzero(n_answers >= least)
    if not len(chosen):
        nothing = np.zeros(0)
        return Informedness(chosen, nothing, nothing, np.zeros((0, len(GRID))))
    rows = np.flatnonzero(n_answers[counted.source] >= least)  # by source and class
    attribute = closed.of_class[counted.said[rows]]
    group = counted.source[rows] * len(closed) + attribute
    begins = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    group_start = np.append(begins, len(rows))
    owner = counted.source[rows][begins]
    source_start = np.append(np.searchsorted(owner, chosen), len(begins))
    q = counted.sum_in_bin[rows] / np.maximum(counted.in_bin[rows], 1e-12)
    n_classes = np.diff(closed.first)[attribute]
    curve = np.zeros((len(chosen), len(GRID)))
    log_likelihoods(
        source_start, group_start, counted.in_bin[rows], q, n_classes, GRID, STEPS, curve
    )
    largest = np.maximum.reduceat(n_said[rows], begins)
    share = sum_by(owner, largest, n_sources)[chosen] / n_answers[chosen]
    return Informedness(chosen, n_answers[chosen], share, curve)


@compiled
def log_likelihoods(
    source_start: Any,
    group_start: Any,
    count: Any,
    q: Any,
    n_classes: Any,
    grid: Any,
    steps: int,
    curve: Any,
) -> None:
    """Add the log-likelihood of each source at each J, with the h that is best there.

    A group of rows are the classes that a source says of an attribute.
    """
    n_bins = count.shape[1]
    for source in range(len(source_start) - 1):
        for group in range(source_start[source], source_start[source + 1]):
            first, last = group_start[group], group_start[group + 1]
            size = last - first
            h, new = np.empty(size), np.empty(size)
            for place in range(len(grid)):
                j = abs(grid[place])
                total = 0.0
                for row in range(size):
                    h[row] = count[first + row].sum()
                    total += h[row]
                for row in range(size):
                    h[row] /= total
                value = 0.0
                for step in range(steps + 1):
                    value, mass = 0.0, 0.0
                    for row in range(size):
                        new[row] = 0.0
                        others = n_classes[first + row] - 1.0
                        for where in range(n_bins):
                            n = count[first + row, where]
                            if n > 0.0:
                                known = q[first + row, where]
                                if grid[place] < 0.0:
                                    known = (1.0 - known) / others
                                guessed = (1.0 - j) * h[row]
                                said = max(j * known + guessed, 1e-300)
                                value += n * np.log(said)
                                new[row] += n * guessed / said
                        mass += new[row]
                    if step < steps and mass > 0.0:
                        for row in range(size):
                            h[row] = new[row] / mass
                curve[source, place] += value
