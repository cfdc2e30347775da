"""Feature columns that the user names, under the names that they have from then on.

A column such as ``confidence`` becomes ``claim_confidence``, ``source_confidence`` or
``entity_confidence``, by what it is a feature of. Later steps and results know it by that name, as
they know a column that has it in the table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from veracity.data.notes import Note, plural
from veracity.data.read.relations import Relations
from veracity.data.read.schema import SYNONYMS, fold_name
from veracity.data.read.tables import RawTable
from veracity.errors import (
    AmbiguousColumn,
    InvalidParameter,
    MissingColumn,
    listing,
    suggestion,
)

FeatureKind = Literal["claim", "source", "entity"]
#: What a column can be a feature of.
KINDS: tuple[FeatureKind, ...] = get_args(FeatureKind)
Features = Mapping[str, FeatureKind] | Sequence[str]


def features_of(given: object) -> dict[str, FeatureKind]:
    """Return what each feature column describes, of a mapping or a list of columns.

    A column whose kind is not said is a feature of what its prefix says, else of the claim.
    """
    if isinstance(given, Mapping):
        pairs = [(column, kind) for column, kind in given.items()]
    elif isinstance(given, Iterable) and not isinstance(given, str):
        pairs = [(column, None) for column in given]
    else:
        raise InvalidParameter(
            'features must be a list of columns, such as ["confidence"], or say what each '
            f'describes: {{"site_type": "source"}}. Got {given!r} instead.'
        )
    return {_checked_column(column): _checked_kind(column, kind) for column, kind in pairs}


def features_of_options(options: Iterable[str]) -> dict[str, FeatureKind]:
    """Return what each feature column describes, of options written ``COLUMN`` or ``COLUMN:KIND``.

    A colon before anything but a kind belongs to the name of the column.
    """
    found: dict[str, FeatureKind] = {}
    for option in options:
        column, _, kind = option.rpartition(":")
        is_kind = column != "" and kind in KINDS
        found |= features_of({column: kind} if is_kind else [option])
    return found


def feature_name(column: str, kind: str) -> str:
    """Return the name that a feature column has from then on."""
    prefix = f"{kind}_"
    return column if column.startswith(prefix) else prefix + column


def with_declared(
    raw: RawTable, features: Mapping[str, FeatureKind], roles: Mapping[str, str]
) -> RawTable:
    """Return a table whose declared feature columns have the names of features.

    Raises
    ------
    MissingColumn
        If there is no such column.
    AmbiguousColumn
        If it was given for a role as well, or another column has the name already.
    """
    renamed = dict(zip(raw.names, raw.names, strict=True))
    for column, kind in features.items():
        name = feature_name(column, kind)
        _check_declared(column, name, raw.names, roles)
        renamed[column] = name
    return replace(raw, names=tuple(renamed.values()))


def varying_notes(
    workbench: Relations, raw: RawTable, features: Mapping[str, FeatureKind]
) -> list[Note]:
    """Report features said to describe the source or the entity that differ within one."""
    notes = []
    for column, kind in features.items():
        if kind == "claim":
            continue
        name = feature_name(column, kind)
        n_varying, first = workbench.row(
            f"SELECT count(*), min({kind}) FROM (SELECT {kind} FROM typed GROUP BY {kind} "
            f"HAVING count(DISTINCT {raw.column(name)}) > 1) AS varying"
        )
        if n_varying:
            several = plural(n_varying, kind, "entities" if kind == "entity" else "sources")
            text = (
                f"Feature {name!r} differs within {several}, such as {first!r}. Each claim keeps "
                f"its own; if it describes the claim, say so: --feature {column}:claim."
            )
            notes.append(Note("features", text, n_varying))
    return notes


def present(features: Mapping[str, FeatureKind], names: Collection[str]) -> dict[str, FeatureKind]:
    """Return the declared features that a further table has under the names they were given by."""
    return {
        column: kind
        for column, kind in features.items()
        if column in names and feature_name(column, kind) not in set(names) - {column}
    }


def _check_declared(
    column: str, name: str, names: Collection[str], roles: Mapping[str, str]
) -> None:
    if column not in names:
        raise MissingColumn(
            f"The feature column {column!r} is not in the table.{suggestion(column, names)} "
            f"Its columns are: {listing(names)}. What it describes is written after a colon, one "
            f"of {listing(KINDS)}: --feature COLUMN:source."
        )
    playing = next((role for role, given in roles.items() if given == column), None)
    if playing is not None:
        raise AmbiguousColumn(
            f"The column {column!r} was given as {playing} and as a feature. Expected a column of "
            "its own for each."
        )
    if name != column and any(fold_name(name) in known for known in SYNONYMS.values()):
        raise AmbiguousColumn(
            f"As a feature, the column {column!r} would be called {name!r}, which is the name of "
            "another role. Rename the column."
        )
    if name != column and name in names:
        raise AmbiguousColumn(
            f"As a feature, the column {column!r} is called {name!r}, and the table has a column "
            "of that name already. Rename one of them, or leave out the feature."
        )


def _checked_column(column: object) -> str:
    if not isinstance(column, str):
        raise InvalidParameter(
            f"features must name columns. Got {column!r}, a {type(column).__name__}, instead."
        )
    return column


def _checked_kind(column: str, kind: object) -> FeatureKind:
    if kind is None:
        prefixed = (own for own in KINDS if column.startswith(f"{own}_"))
        return next(prefixed, "claim")
    for known in KINDS:
        if kind == known:
            return known
    raise InvalidParameter(
        f"A feature describes one of {listing(KINDS)}. Got {column!r}: {kind!r} instead."
        f"{suggestion(str(kind), KINDS)}"
    )
