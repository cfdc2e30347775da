"""Lists: how often sources name several values of an item in one breath.

Where several values can be true, sources give lists: a source names distinct values at once, and
does so regularly. A source that is asked twice, or changes its mind, names several values as well,
but says the same again often enough, or names them at different times. All counts add over
blocks of items, and none depends on the order of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.clean.values import PLAIN_DECIMAL, PLAIN_NUMBER
from veracity.data.encode.grouping import CodedClaims, counted, starts, starts_mask

#: An attribute has several true values if sources give lists this often when they speak ...
LIST_SHARE = 0.25
#: ... if what a source says at once is a list this often when it is more than one claim ...
DISTINCT_SHARE = 0.75
#: ... and if this many of the sources that give lists do so regularly, in `LIST_SHARE` of cases.
REGULAR_SOURCES_SHARE = 0.5
#: What is counted of an attribute: who speaks, who makes several claims at once, and lists.
COUNTED = ("n_speakings", "n_again", "n_lists")
#: Quantities are no lists: so many values are numbers, and so many of these have decimals.
NUMBERS_SHARE, DECIMALS_SHARE = 0.5, 0.1

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ListCounts:
    """Counts that tell lists from repeats and corrections; see `may_be_lists`.

    Attributes
    ----------
    n_speakings
        How often a source speaks about an item.
    n_again
        How often it makes several claims at once.
    n_lists
        How often these are a list: several values, all of them equally often.
    n_list_sources
        How many sources give lists.
    n_regular_sources
        How many of those do so regularly.
    n_numbers, n_decimals
        How many distinct values are plain numbers, and plain numbers with decimals.
    """

    n_speakings: int = 0
    n_again: int = 0
    n_lists: int = 0
    n_list_sources: int = 0
    n_regular_sources: int = 0
    n_numbers: int = 0
    n_decimals: int = 0

    @property
    def share(self) -> float:
        """How often a source gives a list when it speaks."""
        return self.n_lists / self.n_speakings if self.n_speakings else 0.0

    @property
    def repeat_themselves(self) -> bool:
        """Whether sources that make several claims at once often repeat themselves."""
        return self.n_lists < DISTINCT_SHARE * self.n_again

    @property
    def rarely(self) -> bool:
        """Whether most sources that give lists do so now and then."""
        return self.n_regular_sources < REGULAR_SOURCES_SHARE * self.n_list_sources

    def may_be_lists(self) -> bool:
        """Whether lists are as frequent as they must be, whoever gives them."""
        return self.share >= LIST_SHARE and not self.repeat_themselves

    def are_quantities(self, n_values: int) -> bool:
        """Whether most values are numbers, a good part of them with decimals."""
        numbers = self.n_numbers >= NUMBERS_SHARE * n_values
        return numbers and self.n_decimals > 0 and self.n_decimals >= DECIMALS_SHARE * n_values


@dataclass(frozen=True, eq=False)
class Speakings:
    """Every source that names values of an item, once: (n_speakings,).

    Attributes
    ----------
    attribute, source
        About what, and who.
    again, lists
        Whether it makes several claims at once, and whether some of these are a list.
    """

    attribute: npt.NDArray[np.int32]
    source: npt.NDArray[np.int32]
    again: Mask
    lists: Mask

    @classmethod
    def of(cls, claims: CodedClaims) -> Self:
        """Find who speaks about what, and whether what it says at once is a list."""
        naming = slice(None) if claims.asserts.all() else np.flatnonzero(claims.asserts)
        attribute, source = claims.attribute[naming], claims.source[naming]
        nobody = np.zeros(len(source), np.bool_)
        if claims.nobody_speaks_twice:
            return cls(attribute, source, nobody, nobody)
        pair = claims.item[naming] * claims.n_sources + source
        order = np.argsort(pair, kind="stable")  # claims of an item are in the order of values
        begins = starts_mask(pair[order])
        alone = begins & np.append(begins[1:], True)
        once, several = order[alone], order[~alone]
        time = None if claims.time is None else claims.time[naming][several]
        speaker, again, lists = _told_at_once(pair[several], claims.value[naming][several], time)
        speaking = np.concatenate([once, several[speaker]])
        return cls(
            attribute[speaking],
            source[speaking],
            np.concatenate([nobody[: len(once)], again]),
            np.concatenate([nobody[: len(once)], lists]),
        )

    def by_attribute(self, n_attributes: int) -> dict[str, Counts]:
        """Count, by attribute, speakings, those of several claims at once, and lists."""
        if n_attributes == 1:
            counts = (len(self.attribute), self.again.sum(), self.lists.sum())
            return {name: np.array([n]) for name, n in zip(COUNTED, counts, strict=True)}
        chosen = (self.attribute, self.attribute[self.again], self.attribute[self.lists])
        return {
            name: np.bincount(attribute, minlength=n_attributes)
            for name, attribute in zip(COUNTED, chosen, strict=True)
        }

    def sources_giving_lists(self, n_attributes: int, n_sources: int) -> tuple[Counts, Counts]:
        """Count, by attribute, the sources that give lists, and those that do so regularly."""
        if not self.lists.any():
            nobody = np.zeros(n_attributes, np.int64)
            return nobody, nobody
        pair = self.attribute.astype(np.int64) * n_sources + self.source
        pairs, n_speakings = counted(pair, n_attributes * n_sources)
        listing, n_lists = counted(pair[self.lists], n_attributes * n_sources)
        by_pair = np.zeros((len(pairs), 2), np.int64)
        by_pair[:, 0] = n_speakings
        by_pair[np.searchsorted(pairs, listing), 1] = n_lists
        gives, regular = giving_lists(by_pair)
        attribute = pairs // n_sources
        return (
            np.bincount(attribute[gives], minlength=n_attributes),
            np.bincount(attribute[regular], minlength=n_attributes),
        )

    def by_source(self, attributes: Indices, n_sources: int) -> Counts:
        """Count speakings and lists of each source; (n_sources, n_attributes, 2)."""
        found = np.zeros((n_sources, len(attributes), 2), np.int64)
        for place, attribute in enumerate(attributes):
            own = self.attribute == attribute
            source, lists = self.source[own], self.source[own & self.lists]
            found[:, place, 0] = np.bincount(source, minlength=n_sources)
            found[:, place, 1] = np.bincount(lists, minlength=n_sources)
        return found


def _told_at_once(
    pair: Indices, value: npt.NDArray[np.int32], time: Floats | None
) -> tuple[Indices, Mask, Mask]:
    """Look at claims, sorted by who speaks about what, and then by value.

    Returns a claim of each who speaks, whether it makes several at once, and whether some of these
    are a list.
    """
    order = np.arange(len(pair))
    moment = np.zeros(len(pair), np.int64)
    if time is not None:  # missing times are one moment
        _, moment = np.unique(time, return_inverse=True)
        order = np.lexsort((moment, pair))
        pair, moment, value = pair[order], moment[order], value[order]
    said = starts(pair, moment, value)  # what is said at a moment, and how often
    times = np.diff(np.append(said, len(order)))
    breath = starts(pair[said], moment[said])
    n_distinct = np.diff(np.append(breath, len(said)))
    size, most = np.add.reduceat(times, breath), np.maximum.reduceat(times, breath)
    is_list = (n_distinct > 1) & (most * n_distinct == size)
    first = said[breath]
    speaking = starts(pair[first])
    again = np.logical_or.reduceat(size > 1, speaking)
    return order[first[speaking]], again, np.logical_or.reduceat(is_list, speaking)


def count_list_sources(by_source: Counts) -> tuple[Counts, Counts]:
    """Count, by attribute, the sources that give lists, and those that do so regularly."""
    gives, regular = giving_lists(by_source)
    return gives.sum(axis=0), regular.sum(axis=0)


def giving_lists(counts: Counts) -> tuple[Mask, Mask]:
    """Mark who gives lists, and who does so regularly, by counts of speakings and lists."""
    n_speakings, n_lists = counts[..., 0], counts[..., 1]
    gives = n_lists > 0
    return gives, gives & (n_lists >= LIST_SHARE * n_speakings)


def count_numbers(values: pa.StringArray) -> tuple[int, int]:
    """Count the values that are plain numbers, and those with decimals.

    >>> count_numbers(pa.array(["10", "2.50", "-0.5", "007", "+3", "1e5", "B12"]))
    (3, 2)
    """
    plain, decimal = (
        pc.sum(pc.match_substring_regex(values, pattern)).as_py() or 0
        for pattern in (PLAIN_NUMBER, PLAIN_DECIMAL)
    )
    return plain, decimal
