"""ClaimMatrix: claims as frozen integer arrays, grouped by item, with their labels."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Mask, freeze, sum_by
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import distinct, nobody_speaks_twice, sorted_pairs
from veracity.data.hierarchy.lineages import Lineages


@dataclass(frozen=True, eq=False)
class ClaimMatrix:
    """Claims encoded once, for every model.

    Claims are grouped by item and, within an item, by statement, so that the claims and the
    statements of item ``i`` are ranges. Denials that follow from the kind of an attribute (who
    names one value of an item does not name the others) are implied, never stored; see
    `veracity.data.encode.denials.implied_denials`.

    Attributes
    ----------
    source_index
        Who claims; (n_claims,).
    statement_index
        What is claimed; (n_claims,).
    claim_value
        1 if the source claims the statement, 0 if it denies it; (n_claims,).
    weight
        Weight of each claim, or None if all count alike.
    row
        Row of the user's table that each claim comes from; (n_claims,).
    claim_start, statement_start
        Where the claims and the statements of each item begin; (n_items + 1,).
    entity_index, attribute_index
        What each item is about; (n_items,).
    value_index
        The value of each statement; (n_statements,).
    sources, entities, attributes, values
        Labels, in the order of their index.
    profiles
        Kind and domain of each attribute.
    """

    source_index: npt.NDArray[np.int32]
    statement_index: npt.NDArray[np.int32]
    claim_value: npt.NDArray[np.uint8]
    weight: Floats | None
    row: npt.NDArray[np.int64]
    claim_start: npt.NDArray[np.int64]
    statement_start: npt.NDArray[np.int64]
    entity_index: npt.NDArray[np.int32]
    attribute_index: npt.NDArray[np.int32]
    value_index: npt.NDArray[np.int32]
    sources: pa.StringArray
    entities: pa.StringArray
    attributes: pa.StringArray
    values: pa.StringArray
    profiles: tuple[AttributeProfile, ...]

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # arrays that come from a file or another process are frozen too

    def _arrays(self) -> list[npt.NDArray[Any]]:
        held = (getattr(self, field.name) for field in fields(self))
        return [value for value in held if isinstance(value, np.ndarray)]

    @property
    def n_claims(self) -> int:
        """Number of claims."""
        return len(self.source_index)

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return len(self.sources)

    @property
    def n_items(self) -> int:
        """Number of items: pairs of entity and attribute."""
        return len(self.entity_index)

    @property
    def n_statements(self) -> int:
        """Number of statements."""
        return len(self.value_index)

    @property
    def nbytes(self) -> int:
        """Memory held by arrays and labels, in bytes."""
        labels = (self.sources, self.entities, self.attributes, self.values)
        return sum(int(part.nbytes) for part in (*self._arrays(), *labels))

    @cached_property
    def item_of_statement(self) -> npt.NDArray[np.int32]:
        """The item of each statement; (n_statements,)."""
        return np.repeat(np.arange(self.n_items, dtype=np.int32), np.diff(self.statement_start))

    @cached_property
    def item_of_claim(self) -> npt.NDArray[np.int32]:
        """The item of each claim; (n_claims,)."""
        return np.repeat(np.arange(self.n_items, dtype=np.int32), np.diff(self.claim_start))

    @property
    def pair_of_claim(self) -> npt.NDArray[np.int64]:
        """One number for the item and the source of each claim; (n_claims,)."""
        return self.item_of_claim.astype(np.int64) * self.n_sources + self.source_index

    @cached_property
    def nobody_speaks_twice(self) -> bool:
        """Whether every source speaks once about an item: the common case, and the quick one."""
        return nobody_speaks_twice(self.item_of_claim, self.source_index, self.n_sources)

    def pairs_of(self, claims: Mask | slice = slice(None)) -> npt.NDArray[np.int64]:
        """Return the different pairs of item and source of some claims, by item."""
        pair = self.pair_of_claim[claims]
        return pair if self.nobody_speaks_twice else distinct(sorted_pairs(pair))

    @cached_property
    def claim_weight(self) -> Floats:
        """The weight of each claim, 1 where none is given; (n_claims,)."""
        return np.ones(self.n_claims) if self.weight is None else self.weight

    @cached_property
    def lineages(self) -> Lineages | None:
        """What each statement lies within, None if no attribute has a hierarchy."""
        if all(profile.hierarchy is None for profile in self.profiles):
            return None
        return Lineages.of(self)

    @cached_property
    def place_of_attribute(self) -> dict[str, int]:
        """The index of each attribute, by its name."""
        return {profile.name: index for index, profile in enumerate(self.profiles)}

    def items_of_attribute(self, index: int) -> slice:
        """Return where the items of an attribute stand, which are side by side."""
        first, last = np.searchsorted(self.attribute_index, (index, index + 1)).tolist()
        return slice(first, last)

    def claims_of_attribute(self, index: int) -> slice:
        """Return where the claims about an attribute stand."""
        items = self.items_of_attribute(index)
        return slice(int(self.claim_start[items.start]), int(self.claim_start[items.stop]))

    def kind_is(self, kind: str) -> npt.NDArray[np.bool_]:
        """Mark the items whose attribute is of a kind; (n_items,)."""
        return np.array([profile.kind == kind for profile in self.profiles])[self.attribute_index]

    @cached_property
    def domain_size(self) -> npt.NDArray[np.int64]:
        """The number of values an item may take: of a closed domain all, else the claimed + 1."""
        closed = [
            max(profile.n_values, 2) if profile.domain == "closed" else 0
            for profile in self.profiles
        ]
        size = np.array(closed, np.int64)[self.attribute_index]
        return np.where(size > 0, size, np.diff(self.statement_start) + 1)

    def sum_by_statement(self, claim_values: Floats) -> Floats:
        """Add up numbers of claims for each statement; (n_statements,)."""
        return sum_by(self.statement_index, claim_values, self.n_statements)

    def sum_by_item(self, statement_values: Floats) -> Floats:
        """Add up numbers of statements for each item; (n_items,)."""
        return np.add.reduceat(statement_values, self.statement_start[:-1])

    def sum_by_source(self, claim_values: Floats) -> Floats:
        """Add up numbers of claims for each source; (n_sources,)."""
        return sum_by(self.source_index, claim_values, self.n_sources)

    def __repr__(self) -> str:
        return (
            f"ClaimMatrix({self.n_claims:,} claims, {self.n_sources:,} sources, "
            f"{self.n_items:,} items, {self.n_statements:,} statements)"
        )
