"""Classes that sources confuse: the tables that a pass over items looks numbers up in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.engines.threads import over_threads
from veracity.models.grbm.observation.confusion_kernels import LEAST
from veracity.models.grbm.observation.source_kernels import (
    below_largest,
    row_odds,
    said_table,
    wrong_mass,
)
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.speaking import SPEAKING_NORM

if TYPE_CHECKING:
    from veracity.models.grbm.observation.confusion import Confusion


#: The largest number that is raised to a power of e.
LARGEST_LOG = 600.0


def log_prior(own: ParameterVector) -> Floats:
    """Return log P(k) of each class."""
    return np.asarray(own["prior"] - np.logaddexp.reduce(own["prior"]))


def _confusions(own: ParameterVector, k: int) -> tuple[Floats, Floats]:
    """Return C and B; where sources have habits only, C is 0 and no source has a B."""
    if "confusion" in own:
        return own["confusion"], own["source_confusion"]
    return np.zeros((k, k)), np.empty((0, k, k))


def _same_share(first: int, last: int, n_whole: int, n_others: int) -> slice:
    """Return the part of some things that is as large a share of them as a run of others is.

    >>> _same_share(2, 4, 4, 10)
    slice(5, 10, None)
    """
    n_whole = max(n_whole, 1)
    return slice(first * n_others // n_whole, last * n_others // n_whole)


@dataclass(frozen=True)
class ClassTables:
    """Functions of the parameters that a pass over classes looks up.

    Attributes
    ----------
    model
        Whose claims they are for.
    strength, slope, grown
        u of each row, its derivative in eta, and e^u; (n_rows,).
    between, deviation
        e^C, and e^B of the sources that have it; (K, K) and (n_confused, K, K).
    even
        e^h; (n_sources, K).
    wrong, mixed
        The sums of e^h, and of e^(h + C + B), over the wrong classes of each truth. These and e^h
        are divided by the largest e^h of the source; (n_sources, K).
    log_weight
        log P(t | k), of the nodes of the hardness of items; (K, n_nodes).
    shift
        The shift of the log-odds at each of these nodes; (n_nodes,).
    norms
        Where sources are judged by their speaking, the log of how much all of these say where each
        class is true; empty if there are none.
    """

    model: Confusion
    strength: Floats
    slope: Floats
    grown: Floats
    between: Floats
    deviation: Floats
    even: Floats
    wrong: Floats
    mixed: Floats
    log_weight: Floats
    shift: Floats
    norms: Floats

    @classmethod
    def of(cls, model: Confusion, own: ParameterVector, eta: Floats) -> ClassTables:
        k, source_habit, x = model.k, own["source_habit"], eta[model.rows]
        u, slope, grown = np.empty((3, len(x)))
        even, wrong, mixed = np.empty((3, *source_habit.shape))
        of_pairs, of_sources = _confusions(own, k)
        between, deviation = np.exp(of_pairs), np.empty(of_sources.shape)
        habit, confused = own["habit"], model.place_among_confused

        def work(first: int, last: int) -> None:
            rows = _same_share(first, last, len(even), len(x))  # each row stands by itself
            u[rows], slope[rows] = model.data.strength(x[rows], float(np.log(k - 1.0)))
            np.exp(np.minimum(u[rows], LARGEST_LOG), out=grown[rows])
            own_confusions = slice(*np.searchsorted(model.confused, [first, last]).tolist())
            np.exp(of_sources[own_confusions], out=deviation[own_confusions])
            here = even[first:last]
            below_largest(first, last, habit, source_habit, even)
            np.exp(here, out=here)
            wrong_mass(first, last, even, between, deviation, confused, wrong, mixed)

        over_threads(work, model.habits_before, model.data.threads)
        return cls(
            model, u, slope, grown, between, deviation, even, wrong, mixed,
            model.hardness.by_class(own, k), model.hardness.shift,
            own[SPEAKING_NORM] if SPEAKING_NORM in own else np.empty(0),
        )  # fmt: skip

    @property
    def of_sources(self) -> tuple[Floats, Floats, Floats, Floats, Indices, Floats]:
        """What the loops over the cells of sources look up, in the order of their parameters."""
        confused = self.model.place_among_confused
        return self.even, self.wrong, self.between, self.deviation, confused, self.mixed

    @cached_property
    def share(self) -> Floats:
        """The share of the wrong mass of each truth that falls on the class j that a source says.

        1 for j itself. Where speaking counts, how much the source says; (n_said, K).
        """
        model = self.model
        share = np.empty((len(model.said_pairs), model.k))
        confusions = self.between, self.deviation, model.place_among_confused
        said_table(model.said_pairs, self.even, *confusions, self.mixed, share)
        if len(self.norms):
            model.let_speak(share)
        return share

    @cached_property
    def odds(self) -> Floats:
        """The odds of saying k if it is true, on an item of middling hardness; (n_rows, K)."""
        odds = np.empty((len(self.strength), self.model.k))
        row_odds(self.model.place_of_row, self.grown, self.even, self.wrong, odds)
        return odds

    @property
    def hit(self) -> Floats:
        """P(says k | k, t); (n_rows, n_cells)."""
        return self._rates[0]

    @property
    def miss(self) -> Floats:
        """What is left for other classes; (n_rows, n_cells)."""
        return self._rates[1]

    @cached_property
    def _rates(self) -> tuple[Floats, Floats]:
        """Where speaking counts, n_s / e^norm_k, and e^u times that for the own class.

        There the hardness of the item plays no part.
        """
        grown = (self.odds[:, :, None] * np.exp(self.shift)).reshape(len(self.odds), -1)
        miss = 1.0 / (1.0 + grown)
        hit = grown * miss
        if len(self.norms):
            norm, speaks = np.repeat(self.norms, len(self.shift)), self.model.row_speaks
            hit[speaks] = np.exp(self.strength[speaks, None] - norm)
            miss[speaks] = np.exp(-norm)
        return hit, miss

    @cached_property
    def logs(self) -> tuple[Floats, Floats, Floats]:
        """The logarithms of share, hit and miss."""
        return log_of(self.share), log_of(self.hit), log_of(self.miss)


def log_of(probability: Floats) -> Floats:
    """Return the logarithm of a probability, which is not quite 0."""
    return np.asarray(np.log(np.maximum(probability, LEAST)))
