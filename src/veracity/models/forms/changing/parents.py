"""Sources that follow another: what one says of an item, the other says later, right or wrong.

Who follows a source agrees with what that one said last, and with it more often than with others.
Counted are claims in which a source does not just repeat itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from veracity.data.arrays import Indices, Mask
from veracity.data.compiled import compiled
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.models.forms.changing.histories import Histories

#: With more sources nobody looks for followers: all pairs are counted.
MOST_SOURCES = 1_000
#: How many of the last that spoke about an item a claim is compared with.
RECENT = 16
#: A source follows another if it agrees so often with it, and beyond chance by so much.
LEAST_AGREEMENT, LEAST_Z = 0.85, 4.5
#: Claims of pairs that are needed.
LEAST_CLAIMS = 10

NOBODY = -1


def find_parents(held: Blocks[Any], n_sources: int) -> Indices:
    """Return whom each source follows, `NOBODY` for most; (n_sources,)."""
    nobody = np.full(n_sources, NOBODY)
    if n_sources > MOST_SOURCES:
        return nobody
    found = held.total(_count_pairs, n_sources)
    met, agreed = found["met"], found["agreed"]
    # The others are those whom the source meets besides.
    rest_met = met.sum(axis=1, keepdims=True) - met
    rest = (agreed.sum(axis=1, keepdims=True) - agreed + 1.0) / (rest_met + 2.0)
    share = agreed / np.maximum(met, 1.0)
    z = (share - rest) * np.sqrt(np.maximum(met, 1.0) / (rest * (1.0 - rest)))
    fits = (met >= LEAST_CLAIMS) & (share >= LEAST_AGREEMENT) & (z >= LEAST_Z)
    best = np.argmax(np.where(fits, z, -np.inf), axis=1)
    return np.where(fits.any(axis=1), best, nobody)


def _count_pairs(held: tuple[Histories, Indices], n_sources: int) -> Sums:
    histories, place = held
    met, agreed = np.zeros((n_sources, n_sources)), np.zeros((n_sources, n_sources))
    source = step_sources(histories, place)
    named = histories.made & ~histories.denies
    _pairs(histories.chains, source, named, histories.repeats, met, agreed)
    return {"met": met, "agreed": agreed}


def step_sources(histories: Histories, place: Indices) -> Indices:
    """Return the place of the source of each step among all sources, -1 for no claim."""
    own = place[histories.matrix.source_index[histories.claim]]
    return np.where(histories.made, own, NOBODY)


@compiled
def _pairs(chains: Any, source: Any, named: Any, repeats: Any, met: Any, agreed: Any) -> None:
    who, what = np.empty(RECENT, np.int64), np.empty(RECENT, np.int64)
    for item in range(len(chains.start) - 1):
        first, last = chains.start[item], chains.start[item + 1]
        for step in range(first, last):
            if not named[step] or repeats[step]:
                continue
            count, earlier = 0, step - 1
            while earlier >= first and count < RECENT:
                other = source[earlier]
                known = other == source[step] or not named[earlier]
                known = known or chains.time[earlier] >= chains.time[step]
                for at in range(count):
                    known = known or who[at] == other
                if not known:
                    who[count], what[count] = other, chains.slot[earlier]
                    count += 1
                earlier -= 1
            for at in range(count):
                met[source[step], who[at]] += 1.0
                agreed[source[step], who[at]] += 1.0 if what[at] == chains.slot[step] else 0.0


def with_parents(histories: Histories, place: Indices, parent: Indices) -> Histories:
    """Return histories that know what was said before by those whom sources follow."""
    spoke, same = _parent_said(histories, step_sources(histories, place), parent)
    return replace(histories, parent_spoke=spoke, parent_same=same)


def _parent_said(histories: Histories, source: Indices, parent: Indices) -> tuple[Mask, Mask]:
    """Mark the steps whose source's parent spoke before, and those that say the same."""
    spoke = np.zeros(len(source), np.bool_)
    same = np.zeros(len(source), np.bool_)
    named = histories.made & ~histories.denies
    if (parent >= 0).any():
        _last_words(histories.chains, source, parent, named, spoke, same)
    return spoke, same


@compiled
def _last_words(chains: Any, source: Any, parent: Any, named: Any, spoke: Any, same: Any) -> None:
    for item in range(len(chains.start) - 1):
        first, last = chains.start[item], chains.start[item + 1]
        for step in range(first, last):
            if not named[step] or parent[source[step]] < 0:
                continue
            earlier = step - 1
            while earlier >= first:
                if (
                    named[earlier]
                    and source[earlier] == parent[source[step]]
                    and chains.time[earlier] < chains.time[step]
                ):
                    spoke[step] = True
                    same[step] = chains.slot[earlier] == chains.slot[step]
                    break
                earlier -= 1
