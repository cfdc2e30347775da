"""Claims that are text as it stands, coded without SQL.

For a few claims, opening the engine and asking it takes several times as long as all else.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import to_arrow
from veracity.data.clean.values import ValueForms
from veracity.data.read.coding import sort_claims
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
    if not _compares_text(settings):
        return None
    settings = settings.for_columns(frame.column_names)
    columns = _label_columns(frame, settings)
    if columns is None:
        return None
    only = pa.chunked_array([pa.repeat(ONLY_ATTRIBUTE, frame.num_rows)])
    given = {role: frame[name] for role, name in columns.roles.items()}
    labels = {role: as_dictionary(given.get(role, only)) for role in LABELLED}
    if any(map(_lacks_some, labels.values())):
        return None
    claims = sort_claims(labels)
    asserts = to_arrow(np.ones(frame.num_rows, np.uint8))
    codes = pa.table({"row": to_arrow(claims.row), **claims.columns, "asserts": asserts})
    return Ingested(codes, pa.table({}), columns, frame.num_rows, settings, columns.notes())


def _compares_text(settings: Settings) -> bool:
    """Whether all values are compared as plain text."""
    declared = settings.attributes
    told = ANY_ATTRIBUTE in declared and all(said.values == "text" for said in declared.values())
    return told and settings.fields == "off" and not ValueForms(settings).change_anything()


def _lacks_some(labels: pa.DictionaryArray) -> bool:
    """Whether a label is missing or empty."""
    return bool(labels.null_count or pc.index(labels.dictionary, "").as_py() >= 0)


def _label_columns(frame: pa.Table, settings: Settings) -> Columns | None:
    """Return the columns of a table that has those of labels only, all of text."""
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
