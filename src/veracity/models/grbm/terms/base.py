"""Terms: parts of eta with slopes that sources share, and deviations from these of each source.

A term gives every claim i some columns c_i, and adds

    (beta + beta_s) . c_i

to its eta. beta is common to all sources; beta_s is what source s has of its own. Both are drawn to
0, so a source of which little is known has the common slope, and a new one has it too.

A column of the item is the same for all claims about it. What all sources share cannot tell them
apart there, and would be learned from where they agree: in a topic with few classes, nobody would
be believed. So beta is 0 for columns of items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums, Together
from veracity.errors import InvalidParameter, listing, suggestion
from veracity.features.builder import missing_column
from veracity.features.codes import Coded
from veracity.features.columns import is_category, numbers_of

Arrays = dict[str, npt.NDArray[Any]]

#: The attribute of claims, among the columns that may be named.
ATTRIBUTE = "attribute"


class Term(Protocol):
    """What a fit needs of a term, once it has been learned.

    Attributes
    ----------
    kind
        The name under which it is saved.
    columns
        The feature columns that it reads.
    names
        The columns that it gives to claims.
    precision, own_precision
        Of the priors of a common slope, and of a source's deviation from it.
    """

    @property
    def kind(self) -> str: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def precision(self) -> float: ...

    @property
    def own_precision(self) -> float: ...

    def encode(self, claims: Claims, place: Indices) -> Coded:
        """Return the columns of claims, given the place of each of their sources among all."""

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return what was learned, as plain data and arrays."""


@dataclass(frozen=True, eq=False)
class Slopes:
    """The priors of all slopes.

    Attributes
    ----------
    precision, own_precision
        Of common slopes, and of the deviations of sources; (n_columns,).
    is_common
        Marks the columns that have a common slope; (n_columns,).
    """

    precision: Floats
    own_precision: Floats
    is_common: Mask

    def __len__(self) -> int:
        return len(self.precision)


def slopes_of(terms: Sequence[Term]) -> Slopes | None:
    """Return the priors of the slopes; None if there are no terms."""
    if not terms:
        return None
    sizes = [len(term.names) for term in terms]
    return Slopes(
        np.repeat([term.precision for term in terms], sizes),
        np.repeat([term.own_precision for term in terms], sizes),
        np.repeat([not is_of_item(term) for term in terms], sizes),
    )


def is_of_item(term: Term) -> bool:
    """Whether a term is the same for all claims about an item."""
    return all(column == ATTRIBUTE or column.startswith("entity_") for column in term.columns)


# Columns of claims


def feature_columns(blocks: Blocks[ClaimBlock]) -> list[str]:
    """Return the names of the feature columns of all claims."""
    return sorted(blocks.total(_names)["names"].members)


def check_column(column: str, names: Sequence[str], purpose: str) -> None:
    """Refuse a column that the claims do not have."""
    if column not in names:
        raise InvalidParameter(
            f"There is no feature column {column!r} to take {purpose} from."
            f"{suggestion(column, names)} The feature columns are: {listing(names) or 'none'}."
        )


def cells(claims: Claims, column: str) -> Floats:
    """Return the numbers of a column, one for each claim of the matrix."""
    if column not in claims.features.column_names:
        raise missing_column(column, claims.features.column_names)
    given = claims.features[column]
    if is_category(given):
        raise InvalidParameter(f"Feature {column!r} was a number when the model was fitted.")
    return np.asarray(numbers_of(given)[claims.matrix.row])


def _names(block: ClaimBlock) -> Sums:
    return {"names": Together(frozenset(block.claims.features.column_names))}
