"""Perturbed copies of public sets: data that nobody has tuned a model on.

A copy is made from the claims alone, never from the truth, and depends on nothing but the name of
the set, the kind of copy and its number. All claims of a source about an item stay together, so
that a list of authors stays whole and a judge who is asked twice remains so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from public_sets import codes, generator, lowest

#: Copies of each kind.
COPIES = 5
#: Sets with more claims than this are cut first, by whole items, but not below so many items.
MAX_CLAIMS, MIN_ITEMS = 30_000, 200
#: A copy with fewer claims than this is left out.
MIN_CLAIMS = 200
#: Attributes with more values than this have no side that a source could take.
MAX_SIDES = 24
#: Clones that are added to the one who is cloned.
CLONES = 10
#: Items that a source keeps in a long tail.
TAIL_ITEMS = 5

Codes = npt.NDArray[np.int64]


def half_the_sources(claims: pa.Table, seed: str) -> pa.Table:
    """Keep half of the sources, with all their claims."""
    return claims.filter(pa.array(lowest(codes(claims, "source"), 0.5, seed)))


def thinned(claims: pa.Table, seed: str) -> pa.Table:
    """Keep 40 % of what sources say about items."""
    visit = codes(claims, "source", "entity", "attribute")
    return claims.filter(pa.array(lowest(visit, 0.4, seed)))


def fifth_of_the_items(claims: pa.Table, seed: str) -> pa.Table:
    """Keep a fifth of the items, with all claims about them."""
    return claims.filter(pa.array(lowest(codes(claims, "entity", "attribute"), 0.2, seed)))


def one_sided(claims: pa.Table, seed: str) -> pa.Table:
    """Let each source keep the claims of one of the values it says, for each attribute.

    Attributes with more than `MAX_SIDES` values are dropped.
    """
    attribute, pair = codes(claims, "attribute"), codes(claims, "attribute", "value")
    sides = np.bincount(_of_first(pair, attribute))
    claims = claims.filter(pa.array(sides[attribute] <= MAX_SIDES))
    own = codes(claims, "source", "attribute")
    side = codes(claims, "source", "attribute", "value")
    draw = generator(seed).random(int(side.max(initial=-1)) + 1)
    best = np.full(int(own.max(initial=-1)) + 1, -1.0)
    np.maximum.at(best, own, draw[side])
    return claims.filter(pa.array(draw[side] == best[own]))


def cloned(claims: pa.Table, seed: str) -> pa.Table:
    """Add `CLONES` sources that repeat every claim of a weak one.

    Weak is who agrees with the others' vote less than the median of those who say as much as the
    median source or more; one of them is drawn.
    """
    source = codes(claims, "source")
    chosen = generator(seed).choice(_weak(claims, source))
    repeated = claims.filter(pa.array(source == chosen))
    place = claims.column_names.index("source")
    (name,) = set(repeated["source"].to_pylist())
    clones = [
        repeated.set_column(place, "source", pa.array([f"{name} clone {n}"] * len(repeated)))
        for n in range(1, CLONES + 1)
    ]
    return pa.concat_tables([claims, *clones])


def long_tail(claims: pa.Table, seed: str) -> pa.Table:
    """Let each source keep what it says about `TAIL_ITEMS` items at most."""
    visit = codes(claims, "source", "entity", "attribute")
    first = np.unique(visit, return_index=True)[1]  # a claim of each visit
    source = codes(claims, "source")[first]
    order = np.lexsort((generator(seed).random(len(first)), source))
    starts = np.searchsorted(source[order], source[order])
    kept = np.zeros(len(first), np.bool_)
    kept[order] = np.arange(len(first)) - starts < TAIL_ITEMS
    return claims.filter(pa.array(kept[visit]))


KINDS: Mapping[str, Callable[[pa.Table, str], pa.Table]] = {
    "half the sources": half_the_sources,
    "40 % of the claims": thinned,
    "a fifth of the items": fifth_of_the_items,
    "one-sided sources": one_sided,
    "a source cloned ten times": cloned,
    "five items a source": long_tail,
}
#: Those by which the default is judged; the long tail is there on request.
JUDGED = tuple(KINDS)[:5]
#: Those that are like the set itself, only smaller.
SMALLER = JUDGED[:3]


def copy_of(claims: pa.Table, name: str, kind: str, number: int) -> pa.Table:
    """Return a copy of the claims of a set."""
    return KINDS[kind](claims, f"{name} {kind} {number}")


def _of_first(code: Codes, wanted: Codes) -> Codes:
    """Return what belongs to the first row of each code."""
    return np.asarray(wanted[np.unique(code, return_index=True)[1]])


def _weak(claims: pa.Table, source: Codes) -> Codes:
    """Return the sources that agree least with the others, of those who say enough."""
    item, statement = codes(claims, "entity", "attribute"), _statements(claims)
    votes = np.bincount(statement)
    others = votes[statement] - 1.0  # without the claim itself
    speakers = np.maximum(np.bincount(item)[item] - 1.0, 1.0)
    said = np.bincount(source)
    agreement = np.bincount(source, others / speakers) / said
    enough = np.flatnonzero(said >= np.median(said))
    return enough[agreement[enough] <= np.median(agreement[enough])]


def _statements(claims: pa.Table) -> Codes:
    return codes(claims, "entity", "attribute", "value")
