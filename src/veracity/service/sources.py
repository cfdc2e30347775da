"""The sources of a run: how reliable they are, what they say, and who says the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.labels.lookup import Labels
from veracity.data.matrix import ClaimMatrix
from veracity.service.items import ItemIndex, Places
from veracity.service.results import RATES, Results

#: Orders that are not falling unless somebody asks for it.
RISING = ("source",)
#: How many similar sources are shown, and on how many items they must speak together.
SIMILAR_SHOWN, MIN_SHARED = 8, 3
#: Of a source that says more, so many claims are compared with those of others.
CLAIMS_COMPARED = 200_000


class SourceIndex:
    """The sources of a run."""

    def __init__(self, items: ItemIndex) -> None:
        self.items = items
        self.matrix: ClaimMatrix = items.matrix
        self.results: Results = items.results
        self.names = Labels(self.matrix.sources)
        self.n_claims = np.bincount(self.matrix.source_index, minlength=len(self.names))
        self.similar = lru_cache(maxsize=256)(self._similar)

    def prepare(self) -> None:
        """Do the work that the first requests would wait for."""
        self._claims_by_source  # noqa: B018
        self.names.prepare()

    def __len__(self) -> int:
        return len(self.names)

    def find(
        self, q: str, sort: str, order: str | None, further: Mapping[str, Floats] | None = None
    ) -> Places:
        """Return sources whose name contains a text, in an order.

        `further` has numbers to sort by that are not of the run; without them, such an order is
        that of names. Sources without a number come last.
        """
        keys = {
            "reliability": self.results.rates["reliability"],
            "claims": self.n_claims,
            "agreement": self.results.agreement,
            "source": np.arange(len(self)),  # labels are in the order of their text
            **(further or {}),
        }
        sort = sort if sort in keys else "source"
        key = keys[sort].astype(np.float64)
        descending = (order or ("asc" if sort in RISING else "desc")) == "desc"
        found = np.argsort(-key if descending else key, kind="stable").astype(np.int32)
        return found[self.names.contain(q)[found]] if q else found

    def row(self, source: int) -> dict[str, Any]:
        """Return a source as in a list."""
        results = self.results
        return {
            "id": source,
            "source": self.names[source],
            "n_claims": int(self.n_claims[source]),
            **{name: _number(results.rates[name][source]) for name in RATES},
            "agreement": _number(results.agreement[source]),
            "pattern": results.pattern[source],
            "pattern_of": results.pattern_of[source],
        }

    # What a source says

    @cached_property
    def _claims_by_source(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        order = np.argsort(self.matrix.source_index, kind="stable").astype(np.int32)
        return order, np.concatenate([[0], np.cumsum(self.n_claims)])

    def claims_of(self, source: int) -> npt.NDArray[np.int32]:
        """Return the claims of a source, in the order of items."""
        order, start = self._claims_by_source
        return order[start[source] : start[source + 1]]

    def claim_row(self, claim: int) -> dict[str, Any]:
        """Return a claim of a source, beside what is believed."""
        matrix, results, items = self.matrix, self.results, self.items
        statement, item = int(matrix.statement_index[claim]), int(matrix.item_of_claim[claim])
        yes, believed = bool(matrix.claim_value[claim]), bool(results.believed[statement])
        plausibility = float(results.plausibility[statement])
        boolean = matrix.profiles[int(matrix.attribute_index[item])].kind == "boolean"
        says = items.value(statement) if yes or not boolean else items.negative(item)
        return {
            "claim": claim,
            "item": item,
            "entity": items.entity(item),
            "attribute": items.attribute(item),
            "says": says,
            "asserts": yes or boolean,
            "believed": items.believed[item],
            "agrees": yes == believed,
            "plausibility": plausibility if yes else 1.0 - plausibility,
        }

    # Who says the same

    def _similar(self, source: int) -> list[dict[str, Any]]:
        """Return the sources that agree most with one, over the items that both speak about."""
        matrix = self.matrix
        own = self.claims_of(source)
        own = own[matrix.claim_value[own] == 1] if len(own) > CLAIMS_COMPARED else own
        own = own[:CLAIMS_COMPARED]
        item = matrix.item_of_claim[own]
        item, first = np.unique(item, return_index=True)
        said = 2 * matrix.statement_index[own[first]].astype(np.int64)
        said += matrix.claim_value[own[first]]
        begin, end = matrix.claim_start[item], matrix.claim_start[item + 1]
        size = end - begin
        place = np.repeat(np.arange(len(item)), size)
        offset = np.arange(len(place)) - np.repeat(np.cumsum(size) - size, size)
        claims = begin[place] + offset
        speaker = matrix.source_index[claims]
        answer = 2 * matrix.statement_index[claims].astype(np.int64) + matrix.claim_value[claims]
        shared = np.bincount(speaker, minlength=len(self))
        agree = np.bincount(speaker, answer == said[place], minlength=len(self))
        candidates = np.flatnonzero(shared >= MIN_SHARED)
        candidates = candidates[candidates != source]
        share = agree[candidates] / shared[candidates]
        # Of sources that agree as often, who shares more items tells more: a lower bound.
        bound = share - np.sqrt(0.25 / shared[candidates])
        best = candidates[np.argsort(-bound, kind="stable")[:SIMILAR_SHOWN]].tolist()
        return [
            {
                "id": other,
                "source": self.names[other],
                "n_shared": int(shared[other]),
                "agreement": float(min(agree[other] / shared[other], 1.0)),
            }
            for other in best
        ]


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
