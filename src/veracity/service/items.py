"""All items of a run to search, filter, sort and page through, as arrays."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Mask, numbers_of
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import starts_mask
from veracity.data.labels.lookup import Labels
from veracity.data.matrix import ClaimMatrix
from veracity.models.grbm.plausibility import PLAIN_SHARES, claim_shares
from veracity.service.results import DECISIONS, Results

Places = npt.NDArray[np.int32]

#: How many answers to a query are kept, so that paging through one is quick.
KEPT_QUERIES = 32
#: Items that are fewer than one in so many are sorted, rather than picked from all in order.
FEW = 20
SORTS = ("contested", "plausibility", "change", "sources", "entity")
#: How each sort runs if nothing is said: the most telling first.
DEFAULT_ORDER = {
    "contested": "asc",
    "plausibility": "asc",
    "change": "desc",
    "sources": "desc",
    "entity": "asc",
}


@dataclass(frozen=True)
class ItemQuery:
    """Which items to show.

    Attributes
    ----------
    q
        Text that entity, attribute or a claimed value contains, whatever its case.
    attribute, decision
        The attribute, and the decision.
    contested, marked
        Whether several values are claimed, and whether there is a mark; None for both.
    max_plausibility, min_change
        Of the believed value; and by how much that is away from its share of the claims.
    sort, order
        Contested: the smallest margin first, among items with several values.
    """

    q: str = ""
    attribute: str | None = None
    decision: str | None = None
    contested: bool | None = None
    marked: bool | None = None
    max_plausibility: float | None = None
    min_change: float | None = None
    sort: str = "contested"
    order: str | None = None


class ItemIndex:
    """The items of a run.

    `profiles` are those of a run whose words for yes and no are to be used, for claims that are
    only some of its own.
    """

    def __init__(
        self,
        matrix: ClaimMatrix,
        results: Results,
        profiles: Mapping[str, AttributeProfile] | None = None,
    ) -> None:
        self.matrix, self.results = matrix, results
        self._entity_index = numbers_of(matrix.entity_index)
        self._attribute_index = numbers_of(matrix.attribute_index)
        self._value_index = numbers_of(matrix.value_index)
        self.entities, self.attributes = Labels(matrix.entities), Labels(matrix.attributes)
        self.claimed, self.believed = Labels(matrix.values), Labels(results.value)
        self.contested: Mask = results.n_values > 1
        share = claim_shares(matrix, matrix.claim_weight, constants=PLAIN_SHARES)
        boolean = matrix.kind_is("boolean")
        named = profiles or {}
        self._negative = [named.get(profile.name, profile).negative for profile in matrix.profiles]
        own = share[results.statement]
        self.share = np.where(results.holds, own, np.where(boolean, 1.0 - own, 0.0))
        self.change: Floats = results.item_plausibility - self.share
        vote, vote_holds, self.vote_share = _vote(matrix, results, share, boolean)
        self._vote, self._vote_holds = numbers_of(vote), numbers_of(vote_holds)
        self._kept: OrderedDict[tuple[Any, ...], Places] = OrderedDict()
        self._ranks: dict[str, Places] = {}
        self._lock = Lock()

    def prepare(self) -> None:
        """Do the work that the first requests would wait for."""
        for name in SORTS:
            self._rank(name)
        for labels in (self.entities, self.attributes, self.claimed):
            labels.prepare()

    def __len__(self) -> int:
        return self.matrix.n_items

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many items there are of each kind."""
        found = np.bincount(self.results.decision, minlength=len(DECISIONS)).tolist()
        named = dict(zip(DECISIONS, found, strict=True))
        return {"contested": int(self.contested.sum()), **named}

    # Order

    def order(self, sort: str) -> Places:
        """Return the items in an order, the smallest first; each is made once."""
        return {
            "contested": self._by_contest,
            "plausibility": self._by_plausibility,
            "change": self._by_change,
            "sources": self._by_sources,
            "entity": self._by_entity,
        }[sort]

    @cached_property
    def _by_contest(self) -> Places:
        margin = np.where(self.contested, self.results.margin, 2.0 + self.results.margin)
        return _ordered(margin)

    @cached_property
    def _by_plausibility(self) -> Places:
        return _ordered(self.results.item_plausibility)

    @cached_property
    def _by_change(self) -> Places:
        return _ordered(np.abs(self.change))

    @cached_property
    def _by_sources(self) -> Places:
        return _ordered(self.results.n_sources)

    @cached_property
    def _by_entity(self) -> Places:
        matrix = self.matrix  # labels are in the order of their text
        return np.lexsort((matrix.attribute_index, matrix.entity_index)).astype(np.int32)

    # Search

    def find(self, query: ItemQuery, marked: Callable[[], tuple[object, Places]]) -> Places:
        """Return the items of a query, in its order.

        `marked` gives what changes with the marks, and the items that have one.
        """
        version, places = marked() if query.marked is not None else (None, np.empty(0, np.int32))
        key = (query, version)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        mask = self._mask(query, places)
        found = self._ordered(mask, query.sort, query.order or DEFAULT_ORDER[query.sort])
        with self._lock:
            self._kept[key] = found
            if len(self._kept) > KEPT_QUERIES:
                self._kept.popitem(last=False)
        return found

    def _ordered(self, mask: Mask | None, sort: str, order: str) -> Places:
        """Return the items of a mask in an order; few are sorted, of many the rest is left out."""
        whole = self.order(sort)
        if mask is None:
            found = whole
        elif (few := np.flatnonzero(mask)).size * FEW < len(self):
            found = few[np.argsort(self._rank(sort)[few])].astype(np.int32)
        else:
            found = whole[mask[whole]]
        return found[::-1] if order == "desc" else found

    def _rank(self, sort: str) -> Places:
        """Return the place of each item in an order."""
        if sort not in self._ranks:
            rank = np.empty(len(self), np.int32)
            rank[self.order(sort)] = np.arange(len(self), dtype=np.int32)
            self._ranks[sort] = rank
        return self._ranks[sort]

    def _mask(self, query: ItemQuery, marked: Places) -> Mask | None:
        results, masks = self.results, []
        if query.q:
            masks.append(self._contain(query.q))
        if query.attribute is not None:
            masks.append(self.matrix.attribute_index == self.attributes.index_of(query.attribute))
        if query.decision is not None:
            masks.append(results.decision == DECISIONS.index(query.decision))
        if query.contested is not None:
            masks.append(self.contested == query.contested)
        if query.marked is not None:
            has_mark = np.zeros(len(self), np.bool_)
            has_mark[marked] = True
            masks.append(has_mark == query.marked)
        if query.max_plausibility is not None:
            masks.append(results.item_plausibility <= query.max_plausibility)
        if query.min_change is not None:
            masks.append(np.abs(self.change) >= query.min_change)
        return np.logical_and.reduce(masks) if masks else None

    def _contain(self, text: str) -> Mask:
        """Mark the items whose entity, attribute, a claimed value or believed value has a text."""
        matrix = self.matrix
        found = np.zeros(len(self), np.bool_)
        value, entity, attribute = (
            labels.contain(text) for labels in (self.claimed, self.entities, self.attributes)
        )
        if value.any():
            found[matrix.item_of_statement[np.flatnonzero(value[matrix.value_index])]] = True
        if entity.any():
            found |= entity[matrix.entity_index]
        if attribute.any():
            found |= attribute[matrix.attribute_index]
        if not self.results.holds.all():  # a value that nobody claims is believed
            found |= self.believed.contain(text)
        return found

    @cached_property
    def _hardnesses(self) -> Sequence[float]:
        hardness = self.results.hardness
        return numbers_of(np.sort(hardness[np.isfinite(hardness)]))

    # One item

    def harder_than(self, hardness: float) -> float | None:
        """Return the share of items that are less hard, or None where nothing is known."""
        if hardness != hardness or not len(self._hardnesses):  # NaN
            return None
        return bisect_left(self._hardnesses, hardness) / len(self._hardnesses)

    def entity(self, item: int) -> str:
        """Return what an item is about."""
        return self.entities[self._entity_index[item]]

    def attribute(self, item: int) -> str:
        """Return which attribute an item is."""
        return self.attributes[self._attribute_index[item]]

    def kind(self, item: int) -> str:
        """Return whether an item has one true value, several, or yes and no."""
        kind: str = self.matrix.profiles[self._attribute_index[item]].kind
        return kind

    def find_item(self, entity: str, attribute: str) -> int | None:
        """Return the item of labels, or None."""
        matrix = self.matrix
        key = self.entities.index_of(entity), self.attributes.index_of(attribute)
        if min(key) < 0:
            return None
        # Items are sorted by attribute, then by entity.
        first, last = np.searchsorted(matrix.attribute_index, [key[1], key[1] + 1])
        place = first + int(np.searchsorted(matrix.entity_index[first:last], key[0]))
        found = place < last and matrix.entity_index[place] == key[0]
        return int(place) if found else None

    def value(self, statement: int) -> str:
        """Return the value of a statement."""
        return self.claimed[self._value_index[statement]]

    def negative(self, item: int) -> str:
        """Return the other value of a boolean item."""
        word = self._negative[self._attribute_index[item]]
        return f"not {self.value(int(self.matrix.statement_start[item]))}" if word is None else word

    def vote_value(self, item: int) -> str:
        """Return the value that most claims name."""
        statement = self._vote[item]
        return self.value(statement) if self._vote_holds[item] else self.negative(item)

    def row(self, item: int, mark: list[str] | None) -> dict[str, Any]:
        """Return an item as in a list."""
        results = self.results
        return {
            "id": item,
            "entity": self.entity(item),
            "attribute": self.attribute(item),
            "value": self.believed[item],
            "further_values": self.further_values(item),
            "plausibility": float(results.item_plausibility[item]),
            "margin": float(results.margin[item]),
            "n_sources": int(results.n_sources[item]),
            "n_values": int(results.n_values[item]),
            "decision": DECISIONS[results.decision[item]],
            "tie": bool(results.tie[item]),
            "vote_value": self.vote_value(item),
            "vote_share": float(self.vote_share[item]),
            "change": float(self.change[item]),
            "known": bool(results.known[item]),
            "mark": mark,
        }

    def further_values(self, item: int) -> list[str]:
        """Return the believed values beside the first, the most plausible first."""
        matrix, results = self.matrix, self.results
        if self.kind(item) != "multiple":
            return []
        first, last = matrix.statement_start[item], matrix.statement_start[item + 1]
        others = [
            statement
            for statement in range(int(first), int(last))
            if results.believed[statement] and statement != results.statement[item]
        ]
        others.sort(key=lambda statement: -results.plausibility[statement])
        return [self.value(statement) for statement in others]


def _ordered(numbers: npt.NDArray[Any]) -> Places:
    return np.argsort(numbers, kind="stable").astype(np.int32)


def _vote(
    matrix: ClaimMatrix, results: Results, share: Floats, boolean: Mask
) -> tuple[npt.NDArray[np.int64], Mask, Floats]:
    """Return the statement of each item with most claims, whether they say yes, and their share.

    Of values with as many claims, the believed one.
    """
    item = matrix.item_of_statement
    order = np.lexsort((-results.plausibility, ~results.believed, -share, item))
    chosen = order[np.flatnonzero(starts_mask(item[order]))]
    yes = share[chosen]
    holds = ~boolean | (yes > 0.5) | ((yes == 0.5) & results.holds)
    return chosen, holds, np.where(holds, yes, 1.0 - yes)
