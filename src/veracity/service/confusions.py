"""How each source answers closed questions: a histogram of its claims, and a confusion matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.matrix import ClaimMatrix
from veracity.service.sources import SourceIndex


class Confusions:
    """The confusion matrices of a run, by source.

    Parameters
    ----------
    table
        As in ``confusions`` of the run, sorted by source; None if the run has none.
    sources
        The sources of the run.
    """

    def __init__(self, table: pa.Table | None, sources: SourceIndex) -> None:
        self._sources = sources
        self._table = table
        if table is not None:
            coded = table["source"].combine_chunks().dictionary_encode()
            starts = np.append(
                np.flatnonzero(np.append(True, np.diff(coded.indices.to_numpy()) != 0)), len(table)
            )
            names = coded.dictionary.to_pylist()
            self._rows = {
                name: (int(first), int(last))
                for name, first, last in zip(names, starts[:-1], starts[1:], strict=True)
            }

    def of(self, source: int) -> list[dict[str, Any]]:
        """Return how a source answers, attribute by attribute."""
        name = self._sources.names[source]
        if self._table is None or name not in self._rows:
            return []
        first, last = self._rows[name]
        own = self._table.slice(first, last - first)
        counts = self._counts(source)
        found = []
        for attribute in pc.unique(own["attribute"]).to_pylist():
            cells = own.filter(pc.equal(own["attribute"], attribute)).to_pylist()
            values = self._in_order(attribute, (cell["believed"] for cell in cells))
            found.append(_answers(attribute, values, cells, counts.get(attribute, {})))
        return found

    def _in_order(self, attribute: str, values: Iterable[str]) -> list[str]:
        """Return the values of an attribute, each once, from low to high if they are ordered."""
        profiles = {profile.name: profile for profile in self._sources.matrix.profiles}
        return profiles[attribute].in_order(dict.fromkeys(values))

    def _counts(self, source: int) -> dict[str, dict[str, int]]:
        """Count the claims of a source by attribute and value."""
        matrix: ClaimMatrix = self._sources.matrix
        claims = self._sources.claims_of(source)
        attribute = matrix.attribute_index[matrix.item_of_claim[claims]]
        value = matrix.value_index[matrix.statement_index[claims]]
        yes = matrix.claim_value[claims] == 1
        keys, count = np.unique(
            np.stack([attribute, value, yes], axis=1).astype(np.int64), axis=0, return_counts=True
        )
        found: dict[str, dict[str, int]] = {}
        for (which, said, asserts), n in zip(keys.tolist(), count.tolist(), strict=True):
            profile = matrix.profiles[which]
            if not asserts and profile.kind != "boolean":
                continue
            label = matrix.values[said].as_py() if asserts else str(profile.negative)
            found.setdefault(profile.name, {})[label] = n
        return found


def _answers(
    attribute: str, values: list[str], cells: list[dict[str, Any]], counts: dict[str, int]
) -> dict[str, Any]:
    share = {(cell["believed"], cell["claimed"]): cell for cell in cells}
    rows = []
    for believed in values:
        own = [share.get((believed, claimed)) for claimed in values]
        weight = sum(cell["weight"] for cell in own if cell is not None)
        shares = [0.0 if cell is None else cell["share"] for cell in own]
        # Of what hardly ever is believed, shares would be those of chance.
        rows.append(
            {
                "believed": believed,
                "weight": weight,
                "shares": shares if weight >= LEAST_WEIGHT else [None] * len(values),
            }
        )
    return {
        "attribute": attribute,
        "values": values,
        "counts": [counts.get(value, 0) for value in values],
        "confusion": rows,
    }


#: Rows that stand for less than this many claims have no shares.
LEAST_WEIGHT = 0.5
