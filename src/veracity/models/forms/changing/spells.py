"""Spells: the runs of time in which one value of an item is believed, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.compiled import compiled
from veracity.data.matrix import ClaimMatrix
from veracity.models.forms.changing.chain import find_spells
from veracity.models.forms.changing.clock import Clock
from veracity.models.forms.changing.histories import Histories
from veracity.models.forms.changing.reports import Likelihoods

#: Numbers of a spell, in the order in which `find_spells` sets them.
N_NUMBERS = 8


@dataclass(frozen=True, eq=False)
class Spells:
    """The believed timelines of the items of a block, by item and in the order of time.

    Attributes
    ----------
    item, value
        What each is about, and its value by its place among those of the item; (n_spells,).
    begin, end
        From when to when it is the most plausible value, NaN where no claim shows it; (n_spells,).
    plausibility
        How plausible the value is, on average over the claims in this time; (n_spells,).
    low, high
        The times between which the change that begins it happened, with a probability of 90 %, as
        far as the times of claims can tell; (n_spells,).
    sure
        How plausible it is that the value changed just there, between the two claims around the
        begin; (n_spells,).
    """

    item: Indices
    value: Indices
    begin: Floats
    end: Floats
    plausibility: Floats
    low: Floats
    high: Floats
    sure: Floats

    @classmethod
    def of(cls, histories: Histories, found: Likelihoods, rate: Floats) -> Spells:
        """Find the spells of all items of a block; `rate` is that of each item."""
        rows = np.empty((len(histories.claim), N_NUMBERS))
        count = find_spells(histories.chains, rate, found.hit, found.miss, rows)
        item, value, *numbers = rows[:count].T
        return cls(item.astype(np.int64), value.astype(np.int64), *numbers)

    def n_changes(self, n_items: int) -> Indices:
        """Return how often the believed value of each item changes; (n_items,)."""
        return np.maximum(np.bincount(self.item, minlength=n_items) - 1, 0)

    def at(self, moment: Floats, value: Indices) -> Indices:
        """Return the spell of each item that holds a value at a time, -1 if none does."""
        place = np.full(len(moment), -1)
        when = moment[self.item]
        begun = np.isnan(self.begin) | (self.begin <= when)
        lasts = np.isnan(self.end) | (when < self.end)
        holds = np.flatnonzero(begun & lasts & (value[self.item] == self.value))
        place[self.item[holds]] = holds
        return place

    def table(self, matrix: ClaimMatrix, clock: Clock) -> pa.Table:
        """Return the timelines as a table."""
        item = self.item
        return pa.table(
            {
                "entity": take_labels(matrix.entities, matrix.entity_index[item]),
                "attribute": take_labels(matrix.attributes, matrix.attribute_index[item]),
                "value": self._values(matrix),
                "valid_from": clock.shown(self.begin),
                "valid_to": clock.shown(self.end),
                "plausibility": to_arrow(self.plausibility),
                "change_plausibility": to_arrow(self.sure, nan_is_null=True),
                "changed_after": clock.shown(self.low),
                "changed_before": clock.shown(self.high),
            }
        )

    def _values(self, matrix: ClaimMatrix) -> pa.Array:
        boolean = matrix.kind_is("boolean")[self.item]
        first = matrix.statement_start[:-1][self.item]
        value = matrix.value_index[first + np.where(boolean, 0, self.value)].astype(np.int64)
        no = np.flatnonzero(boolean & (self.value == 1))
        if len(no):
            words = {word: place for place, word in enumerate(matrix.values.to_pylist())}
            negative = [words.get(profile.negative, -1) for profile in matrix.profiles]
            value[no] = np.array(negative)[matrix.attribute_index[self.item[no]]]
        return take_labels(matrix.values, value)


def times_behind(histories: Histories, spells: Spells) -> Floats:
    """Return how long before each step its value was last believed, NaN if it never was before.

    A value that is believed at the time of the step may have been believed before, too; (n_steps,).
    """
    behind = np.full(len(histories.claim), np.nan)
    _behind(histories.chains, spells.item, spells.value, spells.end, behind)
    return behind


@compiled
def _behind(chains: Any, spell_item: Any, spell_value: Any, spell_end: Any, behind: Any) -> None:
    spell = 0
    for item in range(len(chains.start) - 1):
        ended = np.full(chains.n_values[item] + 1, np.nan)
        for step in range(chains.start[item], chains.start[item + 1]):
            while (
                spell < len(spell_item)
                and spell_item[spell] == item
                and spell_end[spell] <= chains.time[step]
            ):
                ended[spell_value[spell]] = spell_end[spell]
                spell += 1
            behind[step] = chains.time[step] - ended[chains.slot[step]]
        while spell < len(spell_item) and spell_item[spell] == item:
            spell += 1
