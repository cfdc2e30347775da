"""Classes that sources confuse: what a pass over items looks up, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.observation.confusion_kernels import (
    LEAST,
    row_odds,
    said_table,
    source_tables,
)
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.speaking import SPEAKING_NORM

if TYPE_CHECKING:
    from veracity.models.grbm.observation.confusion import Confusion


def log_prior(own: ParameterVector) -> Floats:
    """Return log P(k) of each class."""
    return np.asarray(own["prior"] - np.logaddexp.reduce(own["prior"]))


@dataclass(frozen=True)
class ClassSums:
    """What a pass over classes leaves; sums of disjoint sets of items add.

    Attributes
    ----------
    said
        Sum of P(k) over claims, by source and class said; (n_said, K).
    hit
        Sum of P(k, t) P(says k | k, t) over claims, by row; (n_rows, K).
    own
        Sum of P(the class that is claimed) over claims, by row; (n_rows,).
    node
        Sum of P(k, t) over items; (K, n_nodes).
    """

    said: Floats
    hit: Floats
    own: Floats
    node: Floats

    @classmethod
    def empty(cls, tables: ClassTables) -> ClassSums:
        """Return sums of nothing."""
        odds, share = tables.odds, tables.share
        return cls(*(np.zeros(each.shape) for each in (share, odds, odds[:, 0], tables.log_weight)))

    def add(self, other: ClassSums) -> None:
        """Add the sums of other items."""
        for each in fields(self):
            mine: Floats = getattr(self, each.name)
            mine += getattr(other, each.name)


def _confusions(own: ParameterVector, k: int) -> tuple[Floats, Floats]:
    """Return e^C and e^B; where sources have habits only, C is 0 and no source has a B."""
    if "confusion" in own:
        return np.exp(own["confusion"]), np.exp(own["source_confusion"])
    return np.ones((k, k)), np.empty((0, k, k))


@dataclass(frozen=True)
class ClassTables:
    """Functions of the parameters that a pass over classes looks up.

    Attributes
    ----------
    strength, slope
        u of each row, and its derivative in eta; (n_rows,).
    between, deviation
        e^C, and e^B of the sources that have it; (K, K) and (n_confused, K, K).
    even
        e^h; (n_sources, K).
    wrong, mixed
        The sums of e^h, and of e^(h + C + B), over the wrong classes of each truth. These and e^h
        are divided by the largest e^h of the source; (n_sources, K).
    share
        The share of the wrong mass of each truth that falls on the classes j that sources say, 1
        for j itself; (n_said, K).
    odds
        The odds of saying k if it is true, on an item of middling hardness; (n_rows, K).
    log_weight
        log P(t | k), of the nodes of the hardness of items; (K, n_nodes).
    shift
        The shift of the log-odds at each of these nodes; (n_nodes,).
    speaks, norms
        The rows of sources that are judged by their speaking, and the log of how much all of these
        say where each class is true; both empty if there are none.
    """

    strength: Floats
    slope: Floats
    between: Floats
    deviation: Floats
    even: Floats
    wrong: Floats
    mixed: Floats
    share: Floats
    odds: Floats
    log_weight: Floats
    shift: Floats
    speaks: Indices
    norms: Floats

    @classmethod
    def of(cls, model: Confusion, own: ParameterVector, eta: Floats) -> ClassTables:
        k, source_habit = model.k, own["source_habit"]
        u, slope = model.data.strength(eta[model.rows], float(np.log(k - 1.0)))
        even, wrong, mixed = np.empty((3, *source_habit.shape))
        between, deviation = _confusions(own, k)
        confusions = (between, deviation, model.place_among_confused)
        source_tables(own["habit"], source_habit, *confusions, even, wrong, mixed)
        share = np.empty((len(model.said_pairs), k))
        said_table(model.said_pairs, even, *confusions, mixed, share)
        odds = np.empty((len(u), k))
        row_odds(model.place_of_row, u, even, wrong, odds)
        speaks, norms = np.empty(0, np.int64), np.empty(0)
        if SPEAKING_NORM in own:
            speaks, norms = model.let_speak(share), own[SPEAKING_NORM]
        return cls(
            u, slope, between, deviation, even, wrong, mixed, share, odds,
            model.hardness.by_class(own, k), model.hardness.shift, speaks, norms,
        )  # fmt: skip

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
        norm = np.repeat(self.norms, len(self.shift))
        if len(self.speaks):
            hit[self.speaks] = np.exp(self.strength[self.speaks, None] - norm)
            miss[self.speaks] = np.exp(-norm)
        return hit, miss

    @cached_property
    def logs(self) -> tuple[Floats, Floats, Floats]:
        """The logarithms of share, hit and miss."""
        return log_of(self.share), log_of(self.hit), log_of(self.miss)


def log_of(probability: Floats) -> Floats:
    """Return the logarithm of a probability, which is not quite 0."""
    return np.asarray(np.log(np.maximum(probability, LEAST)))
