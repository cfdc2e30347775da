"""Claims that are text as it stands, coded without SQL.

For a few claims, opening the engine and asking it takes several times as long as all else.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import to_arrow
from veracity.data.clean.values import ValueForms
from veracity.data.read.coding import SORTED, sort_claims
from veracity.data.read.dictionaries import as_dictionary
from veracity.data.read.ingest import Ingested
from veracity.data.read.schema import (
    LABELLED,
    ONLY_ATTRIBUTE,
    Columns,
    find_columns,
    repeated_names,
)
from veracity.data.read.settings import ANY_ATTRIBUTE, Settings
from veracity.errors import VeracityError


def ingest_plain(frame: pa.Table, settings: Settings) -> Ingested | None:
    """Read claims that consist of labels only, which are text and compared as such.

    Returns None if there is more to be read, found out or reported, as `ingest` does.
    """
    settings = settings.for_columns(frame.column_names)
    columns = _label_columns(frame, settings)
    if columns is None:
        return None
    labels = {role: as_dictionary(column) for role, column in _labels(frame, columns).items()}
    if any(_lacks_some(label.null_count, label.dictionary) for label in labels.values()):
        return None
    claims = sort_claims(labels)
    codes = {"row": to_arrow(claims.row), **claims.columns, "asserts": _asserted(frame)}
    return Ingested(
        pa.table(codes), pa.table({}), columns, frame.num_rows, settings, columns.notes()
    )


def plain_claims(frame: pa.Table, settings: Settings) -> tuple[pa.Table, Columns] | None:
    """Return claims that `ingest_plain` reads as they are written, under our column names."""
    columns = _label_columns(frame, settings.for_columns(frame.column_names))
    if columns is None:
        return None
    labels = _labels(frame, columns)
    if any(_lacks_some(label.null_count, label) for label in labels.values()):
        return None
    claims = {role: labels[role] for role in SORTED}
    return pa.table({**claims, "asserts": _asserted(frame)}), columns


def _labels(frame: pa.Table, columns: Columns) -> dict[str, pa.ChunkedArray]:
    only = pa.chunked_array([pa.repeat(ONLY_ATTRIBUTE, frame.num_rows)])
    given = {role: frame[name] for role, name in columns.roles.items()}
    return {role: given.get(role, only) for role in LABELLED}


def _asserted(frame: pa.Table) -> pa.Array:
    """Return that every claim says that its value is true."""
    return to_arrow(np.ones(frame.num_rows, np.uint8))


def _compares_text(settings: Settings) -> bool:
    """Whether all values are compared as plain text."""
    declared = settings.attributes
    told = ANY_ATTRIBUTE in declared and all(said.values == "text" for said in declared.values())
    return told and settings.fields == "off" and not ValueForms(settings).change_anything()


def _lacks_some(n_missing: int, labels: pa.Array | pa.ChunkedArray) -> bool:
    """Whether a label is missing or empty."""
    return bool(n_missing or pc.index(labels, "").as_py() >= 0)


def _label_columns(frame: pa.Table, settings: Settings) -> Columns | None:
    """Return the columns of a table that has those of labels only, compared as text."""
    if not _compares_text(settings):
        return None
    asked = (*settings.features, *settings.numbers, *settings.categories)
    is_text = all(pa.types.is_string(kind) for kind in frame.schema.types)
    if asked or not is_text or not frame.num_rows or repeated_names(frame.column_names):
        return None
    try:
        columns = find_columns(frame.column_names, settings.columns)
    except VeracityError:  # `ingest` says what is wrong
        return None
    others = columns.features or columns.ignored or columns.roles.keys() - set(LABELLED)
    return None if others or "entity" in columns.guessed else columns
