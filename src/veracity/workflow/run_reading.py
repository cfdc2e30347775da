"""Read new claims with the settings of the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.claims import Claims
from veracity.data.fields.registry import FIELDS
from veracity.data.read.declared_features import features_of
from veracity.data.read.frames import plain_text
from veracity.data.read.plain import plain_claims
from veracity.data.read.schema import LABELLED, Columns
from veracity.data.read.settings import (
    ANY_ATTRIBUTE,
    Attribute,
    Duplicates,
    Settings,
    declared_attributes,
    for_spellings,
    in_use_again,
)
from veracity.errors import InvalidParameter

if TYPE_CHECKING:
    from veracity.workflow.saved_run import SavedRun

#: The settings of a run that say when two values are the same.
FORMS = ("strip", "casefold", "unicode")
ROLES = (*LABELLED, "asserts", "time", "weight")


class RunReading:
    """Reads claims with the settings of a run."""

    def __init__(self, saved: SavedRun) -> None:
        described = saved.description
        settings = described.get("settings") or {}
        self.forms = {name: settings[name] for name in FORMS if settings.get(name)}
        self._said: Duplicates = settings.get("duplicates", "latest")
        self.has_time = "time" in described["columns"]
        self.keeps_latest = self._said in ("latest", "error") or (
            self._said == "auto" and self.has_time
        )
        self.features = {str(name): str(kind) for name, kind in described["features"].items()}
        self._attributes = declared_attributes(described)
        self._named = features_of(settings.get("features") or {})

    @property
    def only_attribute(self) -> str | None:
        """The name of the attribute, if the run has but one."""
        names = list(self._attributes)
        return names[0] if len(names) == 1 else None

    def table(self, claims: Any, options: Mapping[str, Any]) -> pa.Table:
        """Return new claims under our column names, as they are written.

        Features have their names in the run, and claims that name no attribute speak about the only
        one of the run.
        """
        table, columns = self._written(claims, options)
        if "attribute" not in columns.roles and self.only_attribute is not None:
            only = pa.repeat(pa.scalar(self.only_attribute), table.num_rows)
            table = table.set_column(table.column_names.index("attribute"), "attribute", only)
        return self._spelled(table)

    def _written(self, claims: Any, options: Mapping[str, Any]) -> tuple[pa.Table, Columns]:
        """Return new claims as they are written, and which columns they came from."""
        if not isinstance(claims, Claims):
            # When two values are the same is said by the run, once all claims are together.
            attributes = {ANY_ATTRIBUTE: Attribute(values="text")}
            said: Any = {**options, "attributes": attributes, "familiar_features": self._named}
            plain = None
            if isinstance(claims, pa.Table) and not options:
                plain = plain_claims(claims, Settings.of(said))
            if plain is not None:
                return plain
            claims = Claims.of(claims, **said)
        return plain_text(claims.to_arrow()), claims.columns

    def _spelled(self, table: pa.Table) -> pa.Table:
        """Return new claims with values spelled as the run reads dates, amounts and so on."""
        fields = {
            name: Attribute(values=own.values, notation=own.notation)
            for name, own in self._attributes.items()
            if own.values in FIELDS and name in _labels(table["attribute"])
        }
        if not fields:
            return table
        told: Any = {role: role for role in ROLES if role in table.column_names}
        said = {ANY_ATTRIBUTE: Attribute(values="text"), **fields}
        return plain_text(
            Claims.from_frame(table, attributes=said, duplicates="all", **told).to_arrow()
        )

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a user without those that the run has settled.

        Raises
        ------
        InvalidParameter
            If one of these is not as in the run.
        """
        options = dict(given)
        settled = {**dict.fromkeys(FORMS), **self.forms, "duplicates": self._said}
        for name, here in settled.items():
            asked = options.pop(name, None)
            if asked and asked not in ("auto", here):
                raise InvalidParameter(
                    f"{name} is settled by the run, which was made with {name}={here!r}. Leave it "
                    "out."
                )
        return options

    def claims(
        self,
        table: pa.Table,
        new: bool = False,
        attributes: Mapping[str, Attribute] | None = None,
    ) -> Claims:
        """Make claims of a table under our column names.

        Attributes that the run does not have are as given, else inferred. Of `new` claims, the
        latest of a source count, unless repeats are evidence in the run.
        """
        named = _labels(table["attribute"])
        known = {**(attributes or {}), **for_spellings(self._attributes)}
        if named <= known.keys():  # nothing is to be found out about others
            known.setdefault(ANY_ATTRIBUTE, Attribute(values="text"))
        if pc.min(table["asserts"]).as_py():
            table = table.drop_columns(["asserts"])  # which says nothing, but has to be read
        there = set(table.column_names)
        duplicates = in_use_again(self._said)
        if new and self._said in ("latest", "error"):
            duplicates = "latest"
        options: dict[str, Any] = {
            "numbers": self._of_type("number", there),
            "categories": self._of_type("category", there),
            **{role: role for role in ROLES if role in there},
        }
        return Claims.from_frame(
            table,
            attributes={
                name: said for name, said in known.items() if name in named | {ANY_ATTRIBUTE}
            },
            duplicates=duplicates,
            **self.forms,
            **options,
        )

    def _of_type(self, kind: str, there: Iterable[str]) -> list[str]:
        return [name for name in there if self.features.get(name) == kind]


def _labels(column: pa.ChunkedArray) -> set[str]:
    return set(column.cast(pa.string()).unique().to_pylist())
