"""Read new claims with the settings of the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from veracity.data.claims import Claims
from veracity.data.read.schema import find_columns
from veracity.data.read.settings import Duplicates, declared_attributes, for_spellings, in_use_again
from veracity.workflow import SavedRun

#: The settings of a run that say when two values are the same.
FORMS = ("strip", "casefold", "unicode")


class RunReading:
    """Reads claims with the settings of a run."""

    def __init__(self, saved: SavedRun) -> None:
        described = saved.description
        settings = described.get("settings") or {}
        self.forms = {name: settings[name] for name in FORMS if settings.get(name)}
        said = settings.get("duplicates", "latest")
        has_time = "time" in saved.claims.columns.roles
        self.keeps_latest = said == "latest" or (said == "auto" and has_time)
        self._duplicates = in_use_again(said)
        self.features = {str(name): str(kind) for name, kind in described["features"].items()}
        self._attributes = declared_attributes(described)

    @property
    def only_attribute(self) -> str | None:
        """The name of the attribute, if the run has but one."""
        names = list(self._attributes)
        return names[0] if len(names) == 1 else None

    def claims(self, table: pa.Table, attributes: Iterable[str], new: bool = False) -> Claims:
        """Make claims of a table; attributes that the run does not have are inferred.

        Of `new` claims, the latest of a source count, unless repeats are evidence in the run.
        """
        known = {name: self._attributes[name] for name in attributes if name in self._attributes}
        if not new:  # values have their spelling
            known = for_spellings(known)
        there = set(find_columns(table.column_names, {}).features)
        options: dict[str, Any] = {
            "numbers": [name for name in there if self.features.get(name) == "number"],
            "categories": [name for name in there if self.features.get(name) == "category"],
        }
        duplicates: Duplicates = self._duplicates
        if new and duplicates != "auto":
            duplicates = "latest"
        return Claims.from_frame(
            table, attributes=known, duplicates=duplicates, **self.forms, **options
        )
