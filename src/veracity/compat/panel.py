"""Panel: labels of sources for items as claims, and the plausibilities of a model as a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.read.settings import ANY_ATTRIBUTE, Attribute, Domain


@dataclass(frozen=True, eq=False)
class Panel:
    """Who gives which item which label, as integers, and their names as text.

    Attributes
    ----------
    item, source, label
        Of each claim, as places in the names; (n_claims,).
    items, sources, labels
        Distinct names.
    """

    item: Indices
    source: Indices
    label: Indices
    items: list[str]
    sources: list[str]
    labels: list[str]

    def claims(self, domain: Domain = "closed") -> Claims:
        """Return the labels as claims; of a closed domain if all items share a set of labels."""
        columns = {"source": self.source, "entity": self.item, "value": self.label}
        names = {"source": self.sources, "entity": self.items, "value": self.labels}
        table = {
            role: pa.array(names[role], pa.string()).take(to_arrow(codes))
            for role, codes in columns.items()
        }
        attributes = {ANY_ATTRIBUTE: Attribute("single", domain, "text")}
        return Claims.from_frame(pa.table(table), attributes=attributes, strip=False)

    def known_truth(self, labels: Indices) -> pa.Table | None:
        """Return the known labels of items, -1 where there is none, as known truth."""
        known = np.flatnonzero(labels >= 0)
        if not len(known):
            return None
        return pa.table({
            "entity": pa.array(self.items, pa.string()).take(to_arrow(known)),
            "value": pa.array(self.labels, pa.string()).take(to_arrow(labels[known])),
        })  # fmt: skip

    def places(self, statements: Any) -> tuple[Indices, Indices, Floats]:
        """Return the item, the label and the plausibility of each row of a table of statements."""
        table = statements.to_arrow()
        item = _places(table["entity"], self.items)
        label = _places(table["value"], self.labels)
        return item, label, np.asarray(table["plausibility"].to_numpy(), np.float64)

    def probabilities(self, statements: Any) -> Floats:
        """Return the probability of each label of each item; (n_items, n_labels).

        What a model leaves for labels that nobody gives an item is shared out evenly among them.
        Items without claims have no probabilities: their rows are NaN.
        """
        item, label, plausibility = self.places(statements)
        probability = np.full((len(self.items), len(self.labels)), np.nan)
        probability[item, label] = plausibility
        spoken = ~np.isnan(probability).all(axis=1)
        unclaimed = np.isnan(probability)
        rest = np.maximum(1.0 - np.nansum(probability, axis=1), 0.0)
        share = rest / np.maximum(unclaimed.sum(axis=1), 1)
        probability = np.where(unclaimed & spoken[:, None], share[:, None], probability)
        total = probability.sum(axis=1, keepdims=True)
        return np.asarray(probability / np.where(total > 0, total, 1.0))


def texts(names: Iterable[Any]) -> list[str]:
    """Write names as distinct texts: those that look alike get a number, and blanks a word."""
    found: dict[str, None] = {}
    for name in names:
        plain = str(name) if str(name).strip() else "(blank)"
        text, number = plain, 1
        while text in found:
            number += 1
            text = f"{plain} ({number})"
        found[text] = None
    return list(found)


def _places(column: Any, names: list[str]) -> Indices:
    return np.asarray(pc.index_in(column, pa.array(names, pa.string())).to_numpy(), np.int64)
