"""Outcome of an update: counts, changed verdicts, and tables made on request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from veracity.data.notes import Note
from veracity.data.output.tables import Table
from veracity.errors import InputError

#: Columns by which a verdict is compared with the one before.
_VERDICT = ["entity", "attribute", "value", "plausibility"]


@dataclass
class Update:
    """Counts of an update: new claims, items and sources.

    Attributes
    ----------
    n_claims, n_known
        New claims, and claims that were known already and are left out.
    n_items, n_new_items, n_new_sources
        Items that were judged again or for the first time, and how many items and sources are new.
    n_labels
        Items whose truth was given.
    refitted
        Whether all was fitted anew.
    changed
        Verdicts on old items that changed: entity, attribute, before, after, plausibility.
    notes, origin
        What was noticed on reading the new claims, and where they came from.
    """

    n_claims: int = 0
    n_known: int = 0
    n_items: int = 0
    n_new_items: int = 0
    n_new_sources: int = 0
    n_labels: int = 0
    refitted: bool = False
    changed: list[dict[str, Any]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    origin: list[dict[str, object]] = field(default_factory=list)


class StoredTable(Table):
    """A table that is made when somebody asks for it."""

    def __init__(self, name: str, make: Callable[[], Iterator[pa.Table]]) -> None:
        self.name, self._make = name, make
        self._made: pa.Table | None = None

    def parts(self) -> Iterator[pa.Table]:
        """Return the table part by part."""
        return iter(self._make())

    @property
    def _table(self) -> pa.Table:
        if self._made is None:
            self._made = pa.concat_tables(self.parts())
        return self._made


def changes(before: pa.Table, after: pa.Table) -> list[dict[str, Any]]:
    """List the verdicts on items that are not what they were."""
    was, now = _by_item(before), _by_item(after)
    for attribute, entity in now.keys() - was.keys():
        raise InputError(
            f"The history of the run is damaged: it has no verdict on {attribute} of {entity}."
        )
    return [
        {
            "entity": entity,
            "attribute": attribute,
            "before": was[attribute, entity][0],
            "after": value,
            "plausibility": plausibility,
        }
        for (attribute, entity), (value, plausibility) in now.items()
        if value != was[attribute, entity][0]
    ]


def _by_item(truths: pa.Table) -> dict[tuple[str, str], tuple[str, float]]:
    """Return the believed values of each item, and the plausibility of the first."""
    found: dict[tuple[str, str], tuple[str, float]] = {}
    for row in truths.select(_VERDICT).to_pylist():
        key = row["attribute"], row["entity"]
        value, plausibility = found.get(key, ("", row["plausibility"]))
        found[key] = f"{value}, {row['value']}" if value else str(row["value"]), plausibility
    return found
