"""How much the answers of each source depend on the truth.

A source is taken to know the answer with probability J, and otherwise to say a with probability
h(a), whatever the truth is; with a negative J, it avoids the truth with probability |J|. So J is
the informedness of Youden (1950), -1 to 1. Let q(a) be the probability of what is said, by what the
others say, pi the share of each class in all questions, and pi_s that in those which the source
answers. Then what the source and the others say about a question has a probability in proportion to

    J u q + (1 - J) h(a) (u q + v (1 - q))                            J >= 0
    |J| v (1 - q) / (D - 1) + (1 - |J|) h(a) (u q + v (1 - q))        J < 0

with u = pi_s(a) / pi(a), v = (1 - pi_s(a)) / (1 - pi(a)) and D the number of classes. The
likelihood is maximised over h and pi_s, by expectation maximisation, at each J of a grid. So
neither habits nor prevalence make a source look informed or not: a source that always says the same
tells nothing about its J, unless the others say something else here and there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.data.encode.grouping import distinct
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
    depends
        Marks those whose answers depend on the truth in any way, at 1 %: who takes one class for
        another is not informed of both, and yet does not answer at random; (n,).
    """

    source: Indices
    n_answers: Floats
    largest_share: Floats
    curve: Floats
    depends: Mask

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
        """Marks sources whose answers do not show, at 1 %, that they depend on the truth; (n,)."""
        gain = self.curve[:, _ZERO:].max(axis=1) - self.curve[:, _ZERO]
        return np.asarray((2.0 * gain < 5.412) & ~self.depends)  # chi-squared, one-sided


def informedness_of(counted: Counted, closed: ClosedAttributes, n_sources: int) -> Informedness:
    """Work out the likelihoods of the sources that answer often."""
    rows = counted.frequent  # by source and class
    source, n_said = counted.source[rows], counted.n_answers[rows]
    chosen = distinct(source)
    if not len(chosen):
        nothing = np.zeros(0)
        return Informedness(chosen, nothing, nothing, np.zeros((0, len(GRID))), chosen > 0)
    from veracity.models.patterns.kernels import log_likelihoods  # takes a while to import

    n_answers = sum_by(source, n_said, n_sources)
    attribute = closed.of_class[counted.said[rows]]
    group = source * len(closed) + attribute
    begins = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    group_start = np.append(begins, len(rows))
    owner = source[begins]
    source_start = np.append(np.searchsorted(owner, chosen), len(begins))
    q = counted.sum_in_bin / np.maximum(counted.in_bin, 1e-12)
    of_class = counted.of_class + 1.0
    prior = of_class / sum_by(closed.of_class, of_class, len(closed))[closed.of_class]
    curve = np.zeros((len(chosen), len(GRID)))
    log_likelihoods(
        source_start, group_start, closed.first[attribute[begins]],
        np.diff(closed.first)[attribute[begins]], counted.said[rows], counted.in_bin, q,
        prior, GRID, STEPS, curve,
    )  # fmt: skip
    largest = np.maximum.reduceat(n_said, begins)
    share = sum_by(owner, largest, n_sources)[chosen] / n_answers[chosen]
    depends = _depends(counted.confusion[rows], begins, owner)
    return Informedness(chosen, n_answers[chosen], share, curve, depends[chosen])


def _depends(confusion: Floats, begins: Indices, owner: Indices) -> Mask:
    """Mark sources for which what is said depends on what is believed, by a G-test; (n_sources,).

    Counts are expected ones, which makes them look more alike than they are.
    """
    from veracity.models.gamma import chances_above

    said = confusion.sum(axis=1, keepdims=True)
    believed = np.add.reduceat(confusion, begins, axis=0)
    size = np.diff(np.append(begins, len(confusion)))
    total = np.repeat(believed.sum(axis=1), size)[:, None]
    expected = said * np.repeat(believed, size, axis=0) / np.maximum(total, 1e-12)
    ratio = np.where(confusion > 0.0, confusion / np.maximum(expected, 1e-300), 1.0)
    g = 2.0 * (confusion * np.log(ratio)).sum(axis=1)
    freedom = (size - 1.0) * ((believed > 0.5).sum(axis=1) - 1.0)
    n_sources = int(owner.max()) + 1
    statistic = sum_by(owner, np.add.reduceat(g, begins), n_sources)
    degrees = sum_by(owner, np.maximum(freedom, 0.0), n_sources)
    p = chances_above(np.maximum(degrees, 1.0), np.maximum(statistic, 0.0))
    return np.asarray((degrees > 0) & (p < 0.01))
