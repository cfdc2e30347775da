"""Which values of a given truth occur among the claims."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Indices
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import denies, given_numbers, items_of, matched_statements
from veracity.data.truth.respelling import Respellings

if TYPE_CHECKING:
    from veracity.data.claims import Claims


@dataclass(frozen=True)
class Missed:
    """A given value that nobody claims about its item.

    Attributes
    ----------
    row
        Its row.
    claimed
        By the number of a respelling, the claimed value that it would then mean.
    """

    row: int
    claimed: tuple[tuple[int, str], ...]


@dataclass(frozen=True, eq=False)
class Occurrence:
    """What the claims of a block say about the rows of a given truth.

    Attributes
    ----------
    about
        The rows about items of the block.
    claimed
        Those whose value somebody claims about its item, or is a number. Where one of several given
        values is true, one that is claimed will do.
    missed
        The others, of attributes whose domain is not known.
    words
        Attribute and value of every statement about an attribute whose domain is.
    """

    about: Indices
    claimed: Indices
    missed: frozenset[Missed]
    words: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, claims: Claims, given: pa.Table, closed: Collection[str]) -> Occurrence:
        """Look for rows (entity, attribute, value) among claims.

        `closed` are the attributes whose domain is known; see `domain_is_known`.
        """
        matrix = claims.matrix
        item = items_of(matrix, given)
        about = np.flatnonzero(item >= 0)
        asked, item = given.take(to_arrow(about)), item[about]
        claimed = matched_statements(claims, item, asked) >= 0
        claimed |= denies(claims, item, asked["value"])
        claimed |= ~np.isnan(given_numbers(matrix, item, asked["value"]))
        claimed |= ~matrix.kind_is("multiple")[item] & np.isin(item, item[claimed])
        respellings, missed = Respellings(claims.settings), []
        for place in np.flatnonzero(~claimed).tolist():
            _, attribute, value = (asked[name][place].as_py() for name in asked.column_names[:3])
            if attribute not in closed:
                found = respellings.of(attribute, value, _values_of(matrix, int(item[place])))
                missed.append(Missed(int(about[place]), tuple(found.items())))
        words = frozenset(_words(matrix, closed))
        return cls(about, about[claimed], frozenset(missed), words)


def domain_is_known(profile: AttributeProfile) -> bool:
    """Whether the claims show which values an attribute with one true value can have."""
    if profile.kind == "boolean":
        # The opposite of a word that is the only one has no word of its own.
        return profile.n_values > 1 or profile.negative != f"not {profile.positive}"
    return profile.kind == "single" and profile.domain == "closed" and profile.n_values > 1


def _values_of(matrix: ClaimMatrix, item: int) -> list[str]:
    """Return the values that are claimed about an item."""
    statements = slice(*matrix.statement_start[item : item + 2].tolist())
    values: list[str] = take_labels(matrix.values, matrix.value_index[statements]).to_pylist()
    return values


def _words(matrix: ClaimMatrix, closed: Collection[str]) -> Iterator[tuple[str, str]]:
    """Return the claimed values of some attributes."""
    for index, profile in enumerate(matrix.profiles):
        if profile.name not in closed:
            continue
        if profile.kind == "boolean":
            assert profile.positive is not None
            assert profile.negative is not None
            yield from ((profile.name, profile.positive), (profile.name, profile.negative))
            continue
        items = matrix.items_of_attribute(index)
        own = slice(*matrix.statement_start[[items.start, items.stop]].tolist())
        for value in take_labels(matrix.values, np.unique(matrix.value_index[own])).to_pylist():
            yield profile.name, value
