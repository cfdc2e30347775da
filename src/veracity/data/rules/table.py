"""Rules: a table of rules, read from a file or a frame."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from veracity.data.notes import plural
from veracity.data.read.formats import Location, locate
from veracity.data.read.ingest import label_text
from veracity.data.read.tables import FileOptions, RawTable, open_frame, open_location
from veracity.data.read.workbench import Workbench
from veracity.data.rules.rule import KINDS, Kind, Rule
from veracity.errors import InputError, MissingColumn, listing, suggestion

#: The columns of the two statements, which every rule fills in.
STATEMENTS = ("if_attribute", "if_value", "then_attribute", "then_value")
COLUMNS = (*STATEMENTS, "kind", "weight")


class Rules:
    """Rules over the attributes of an entity, in the order of their table.

    >>> table = {"if_attribute": ["born_in"], "if_value": ["Paris"],
    ...          "then_attribute": ["country"], "then_value": ["France"]}
    >>> [str(rule) for rule in Rules.of(table)]
    ['born_in = Paris implies country = France']
    """

    def __init__(self, rules: tuple[Rule, ...], origin: Location | None = None) -> None:
        self._rules = rules
        self._origin = origin

    @classmethod
    def of(cls, rules: Any, *, encoding: str = "utf-8") -> Rules:
        """Return rules as they are, and make them of a frame or the path of a file.

        The columns are if_attribute, if_value, then_attribute and then_value; kind (``implies`` if
        left out, or ``excludes``) and weight (empty for a hard rule) may be missing.
        """
        if isinstance(rules, Rules):
            return rules
        location = locate(rules) if isinstance(rules, str | Path) else None
        try:
            with Workbench() as workbench:
                if location is None:
                    raw = open_frame(workbench, rules)
                else:
                    raw = open_location(workbench, location, FileOptions(encoding))
                return cls(tuple(_rules(_cells(workbench, raw))), location)
        except InputError as error:
            raise type(error)(f"In the rules: {error}") from error

    def describe_origin(self) -> list[dict[str, object]]:
        """List the file that the rules were read from."""
        return [] if self._origin is None else self._origin.describe()

    def to_arrow(self) -> pa.Table:
        """Return the rules as a table that can be read again."""
        fields = [(name, pa.string()) for name in COLUMNS[:-1]] + [("weight", pa.float64())]
        columns = {
            name: pa.array([getattr(rule, name) for rule in self._rules], kind)
            for name, kind in fields
        }
        return pa.table(columns)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)

    def __repr__(self) -> str:
        return f"Rules({plural(len(self), 'rule')})"


def _cells(workbench: Workbench, raw: RawTable) -> list[dict[str, str | None]]:
    """Return the cells of the table as text, None where they are empty."""
    found = {name.strip().casefold(): name for name in raw.names}
    for column in STATEMENTS:
        if column not in found:
            raise MissingColumn(
                f"There is no column {column!r}.{suggestion(column, raw.names)} Expected "
                f"{listing(STATEMENTS)}, and perhaps kind and weight. The table's columns are: "
                f"{listing(raw.names)}."
            )
    unknown = [name for folded, name in found.items() if folded not in COLUMNS]
    if unknown:
        raise InputError(
            f"The column {unknown[0]!r} means nothing here.{suggestion(unknown[0], COLUMNS)} "
            f"Expected {listing(COLUMNS)}."
        )
    types = [str(row[1]).split("(")[0] for row in workbench.rows(f"DESCRIBE {raw.relation}")]
    chosen = []
    for column in COLUMNS:
        if column not in found:
            chosen.append(f"CAST(NULL AS VARCHAR) AS {column}")
            continue
        name = found[column]
        text = label_text(raw.column(name), types[raw.names.index(name)])
        cell = text if column in STATEMENTS else f"trim({text})"
        chosen.append(f"nullif({cell}, '') AS {column}")
    table = workbench.arrow(f"SELECT {', '.join(chosen)} FROM ({raw.relation})")
    rows: list[dict[str, str | None]] = table.to_pylist()
    raw.check()
    return rows


def _rules(rows: list[dict[str, str | None]]) -> Iterator[Rule]:
    """Read each row; those that are wholly empty do not count."""
    if not any(any(row.values()) for row in rows):
        raise InputError(f"There are none. Expected a row for each, with {listing(STATEMENTS)}.")
    for number, row in enumerate(rows, start=1):
        if not any(row.values()):
            continue
        missing = [column for column in STATEMENTS if row[column] is None]
        if missing:
            raise InputError(
                f"Rule {number} has no {missing[0]}. Fill it in, or leave the rule out."
            )
        statements = {column: str(row[column]) for column in STATEMENTS}
        kind, weight = _kind(number, row["kind"]), _weight(number, row["weight"])
        yield Rule(number, **statements, kind=kind, weight=weight)


def _kind(number: int, word: str | None) -> Kind:
    folded = "implies" if word is None else word.casefold()
    for kind in KINDS:
        if folded == kind:
            return kind
    raise InputError(
        f"The kind of rule {number} is {word!r}.{suggestion(folded, KINDS)} Expected "
        f"{' or '.join(KINDS)}."
    )


def _weight(number: int, cell: str | None) -> float | None:
    if cell is None:
        return None
    try:
        weight = float(cell)
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight >= 0.0):
        raise InputError(
            f"The weight of rule {number} is {cell!r}. Expected a number of 0 or more for a soft "
            "rule: an entity that breaks it is exp(weight) times less likely. Leave it empty for "
            "a hard rule."
        )
    return weight
