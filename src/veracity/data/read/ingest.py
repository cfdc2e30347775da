"""From a raw table to coded claims: typed, checked, brought to one spelling, coded and grouped.

Each step is a named SQL query on the workbench:

========== =====================================================================================
typed      the columns of known roles under our names, in input order
spellings  attribute and value as claimed, and the spelling that stands for it
claimed    the complete rows of ``typed``, spellings settled (a view)
========== =====================================================================================

Then labels become indices (`veracity.data.read.coding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.clean.checks import check_asserts, check_nulls, check_time, check_weight
from veracity.data.clean.feature_columns import feature_queries, fetch_features
from veracity.data.clean.spellings import make_spellings
from veracity.data.clean.values import ValueForms
from veracity.data.notes import Note
from veracity.data.read.coding import sort_claims
from veracity.data.read.declared_features import feature_name, varying_notes, with_declared
from veracity.data.read.dictionaries import LabelSql, as_dictionary
from veracity.data.read.relations import Dialect, Relations
from veracity.data.read.schema import (
    LABELLED,
    ONLY_ATTRIBUTE,
    ORDERS,
    ROW_NUMBERS,
    Columns,
    find_columns,
    fold_name,
)
from veracity.data.read.settings import Settings
from veracity.data.read.shape_hints import shape_hint
from veracity.data.read.tables import RawTable
from veracity.data.read.unused import informative
from veracity.data.read.wide import narrowed
from veracity.data.read.workbench import Workbench, reading
from veracity.errors import InputError, MissingColumn

LABEL_TABLES = {
    "source": "sources",
    "entity": "entities",
    "attribute": "attributes",
    "value": "vals",
}
#: What claims may have beside their labels, as SQL on ``typed`` or ``claimed``.
REST = {
    "asserts": "asserts",
    "time": "time",
    "weight": "CASE WHEN isnan(weight) THEN 1 WHEN weight < 1e-9 THEN 0 "  # as good as nothing
    "ELSE coalesce(weight, 1) END AS weight",
}
FLOATS = ("FLOAT", "DOUBLE")
NUMBERS = (*FLOATS, "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL")
UNSIGNED = ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")
#: Whole numbers up to here are written exactly by a double.
EXACT_WHOLE = 2**53


@dataclass
class Ingested:
    """Coded claims, ready to become `Claims` with the settings that they were read by."""

    codes: pa.Table
    features: pa.Table
    columns: Columns
    n_rows: int
    settings: Settings
    notes: list[Note] = field(default_factory=list)


@dataclass
class Settled:
    """Claims that were typed, checked and brought to one spelling: the view ``claimed``.

    ``features`` is SQL for the feature columns, under the names that they have there; ``settings``
    are those of the user, with what was found out about numbers.
    """

    columns: Columns
    n_rows: int
    features: list[str]
    notes: list[Note]
    settings: Settings


def settle(workbench: Relations, raw: RawTable, settings: Settings) -> Settled:
    """Read and check the claims of a raw table, and bring them to one spelling."""
    settings = settings.for_columns(raw.names)
    raw = with_declared(raw, settings.features, settings.columns)
    declared = [feature_name(name, kind) for name, kind in settings.features.items()]
    columns = _find_columns(raw, settings, declared)
    raw = narrowed(workbench, raw, columns)
    types = dict(zip(raw.names, raw.types or workbench.types(raw.relation), strict=True))
    notes: list[Note] = []
    in_order = columns.order is not None and columns.order.lower() in ORDERS
    if columns.order is None or (in_order and settings.time_format is not None):
        _make_typed(workbench, raw, columns, types, settings, notes)
    else:
        ordered = columns.ordered_by(columns.order)
        _make_typed(workbench, raw, ordered, types, settings, notes)
        columns = ordered if _serves_as_time(workbench, columns.order) else columns
    notes += raw.check()
    n_rows = workbench.n_rows()
    if not n_rows:
        raise InputError(
            "The table has a header but no claims. Expected one row per claim below it."
        )
    _check_entities(workbench, columns)
    columns = replace(columns, informative=informative(workbench, raw, columns))
    notes = [*columns.notes(), *notes]
    check_nulls(workbench, settings, n_rows, notes)
    check_asserts(workbench, columns)
    check_time(workbench, columns, types, settings)
    columns = replace(columns, dated=_is_dated(workbench, columns, types, settings))
    check_weight(workbench, columns, notes)
    notes += varying_notes(workbench, raw, settings.features)
    features = feature_queries(workbench, raw, columns.features, types, settings, notes)
    kept = [role for role in REST if role in columns.roles]
    kept += map(raw.column, columns.features)
    settings = make_spellings(workbench, settings, kept, notes)
    return Settled(columns, n_rows, features, notes, settings)


def _is_dated(
    workbench: Relations, columns: Columns, types: dict[str, str], settings: Settings
) -> bool:
    """Whether times are dates, and not plain numbers."""
    if "time" not in columns.roles:
        return False
    if settings.time_format is not None or _is_number(types[columns.roles["time"]]):
        return settings.time_format is not None
    given = "nullif(time_given, '')"
    (n_numbers,) = workbench.row(f"SELECT count({workbench.sql.number(given)}) FROM typed")
    return not n_numbers


def _serves_as_time(workbench: Relations, column: str) -> bool:
    """Whether the column that was read as time is one, by its cells."""
    return _is_in_order(workbench) if column.lower() in ORDERS else _tells_claims_apart(workbench)


def _tells_claims_apart(workbench: Relations) -> bool:
    """Whether all filled cells were read as times, and claims about an item differ in theirs.

    A time that all claims about each item share is a property of the item, as that of a flight is.
    """
    n_given, n_times, n_items, n_pairs = workbench.row(
        "SELECT sum(n_given), sum(n_times), count(*), sum(n_distinct) FROM "
        "(SELECT count(nullif(time_given, '')) AS n_given, count(time) AS n_times, "
        "count(DISTINCT time) AS n_distinct FROM typed GROUP BY entity, attribute) AS dated"
    )
    return bool(n_times) and n_times == n_given and n_pairs > n_items


def _check_entities(workbench: Relations, columns: Columns) -> None:
    """Refuse an entity column found by a loose name that has another label in each row."""
    name = columns.roles["entity"]
    if "entity" not in columns.guessed or fold_name(name) not in ROW_NUMBERS:
        return
    n_rows, n_labels = workbench.row("SELECT count(entity), count(DISTINCT entity) FROM typed")
    if n_rows > 1 and n_rows == n_labels:
        raise MissingColumn(
            f"No entity column was found: {name!r} is different in each row, so it numbers the "
            "rows. Say what the claims are about with --entity COLUMN (in Python: "
            f'entity="COLUMN"); --entity {name} if it is this column all the same.'
        )


def _find_columns(raw: RawTable, settings: Settings, declared: Sequence[str]) -> Columns:
    """Find the columns of claims; say which shape a table without them may have."""
    try:
        return find_columns(raw.names, settings.columns, declared=declared)
    except MissingColumn as error:
        hint = shape_hint(raw.names, settings.columns)
        raise MissingColumn(f"{error}{hint}") from error


def _is_in_order(workbench: Relations) -> bool:
    """Whether the column that was read as time puts claims in order.

    It must hold numbers. Numbers 1, 2, 3 for the values that a source names of an item are places
    in a list, and no times.
    """
    number = workbench.sql.number("time_given")
    n_given, n_numbers, n_again, n_listed = workbench.row(
        "SELECT sum(n_given), sum(n_numbers), count(CASE WHEN n > 1 THEN 1 END), "
        "count(CASE WHEN n > 1 AND first <= 1 AND last - first = n - 1 THEN 1 END) FROM "
        "(SELECT count(*) AS n, count(nullif(time_given, '')) AS n_given, "
        f"count({number}) AS n_numbers, min({number}) AS first, max({number}) AS last "
        "FROM typed GROUP BY source, entity, attribute) AS spoken"
    )
    return bool(n_numbers) and n_numbers == n_given and 2 * n_listed <= n_again


def ingest(workbench: Workbench, raw: RawTable, settings: Settings) -> Ingested:
    """Read, check, code and group the claims of a raw table."""
    settled = settle(workbench, raw, settings)
    columns = settled.columns
    features = fetch_features(workbench, columns.features, settled.features)
    codes = _fetch_codes(workbench, settled)
    return Ingested(codes, features, columns, settled.n_rows, settled.settings, settled.notes)


def _make_typed(
    workbench: Relations,
    raw: RawTable,
    columns: Columns,
    types: dict[str, str],
    settings: Settings,
    notes: list[Note],
) -> None:
    """Keep the columns that play a role, under our names and in input order."""
    sql = workbench.sql
    labels: dict[str, LabelSql] = {}
    chosen: list[str] = []
    for role in LABELLED:
        name = columns.roles.get(role)
        if name is None:
            labels[role] = LabelSql(None, sql.constant(ONLY_ATTRIBUTE))
        else:
            cell = raw.column(name)
            text = f"nullif({label_text(cell, types[name])}, '')"
            labels[role] = LabelSql(cell, text, types[name] == "VARCHAR")
            if types[name] in FLOATS:
                text = f"Column {name!r} holds numbers as floats; 1.0 is read as 1."
                notes.append(Note("values", text))
    if "asserts" in columns.roles:
        cell = raw.column(columns.roles["asserts"])
        chosen.append(f"CAST({_asserts_sql(cell)} AS {sql.tiny}) AS asserts")
        chosen.append(f"CAST({cell} AS STRING) AS asserts_given")
    if "time" in columns.roles:
        name = columns.roles["time"]
        chosen.append(f"{_time_sql(sql, raw.column(name), types[name], settings)} AS time")
        chosen.append(f"CAST({raw.column(name)} AS STRING) AS time_given")
    if "weight" in columns.roles:
        cell = raw.column(columns.roles["weight"])
        chosen.append(f"{sql.number(cell)} AS weight")
        chosen.append(f"CAST({cell} AS STRING) AS weight_given")
    chosen += [raw.column(name) for name in columns.features]
    with reading():
        workbench.keep_claims(labels, chosen, raw.relation, raw.cells)


def label_text(cell: str, sql_type: str) -> str:
    """Return SQL that writes a label as text.

    Of floats, NaN is a missing label, and 1.0 is 1: only how a frame holds a 1 beside a null.
    """
    if sql_type == "VARCHAR":
        return cell
    if sql_type not in FLOATS:
        return f"CAST({cell} AS STRING)"
    is_whole = f"{cell} = floor({cell}) AND abs({cell}) < {EXACT_WHOLE}"
    return (
        f"CASE WHEN isnan({cell}) THEN NULL "
        f"WHEN {is_whole} THEN CAST(TRY_CAST({cell} AS BIGINT) AS STRING) "
        f"ELSE CAST({cell} AS STRING) END"
    )


def _asserts_sql(cell: str) -> str:
    text = f"lower(trim(CAST({cell} AS STRING)))"
    return (
        f"CASE WHEN {text} IN ('1', 'true', '1.0') THEN 1 "
        f"WHEN {text} IN ('0', 'false', '0.0') THEN 0 END"
    )


def _is_number(sql_type: str) -> bool:
    return sql_type in NUMBERS or sql_type in UNSIGNED


def _time_sql(sql: Dialect, cell: str, sql_type: str, settings: Settings) -> str:
    if settings.time_format is not None:
        return sql.seconds_as(cell, settings.time_format)
    if _is_number(sql_type):
        return f"CAST({cell} AS DOUBLE)"
    # Seconds since 1970, or the number itself: all that matters later is order and distance.
    return f"coalesce({sql.seconds(cell)}, {sql.number(f'CAST({cell} AS STRING)')})"


def make_labels(workbench: Relations, role: str, columns: Columns) -> None:
    """Number the distinct labels of a role in order, so that row order plays no part."""
    labels = f"SELECT DISTINCT {role} FROM claimed"
    if role not in columns.roles:
        labels = f"SELECT {workbench.sql.literal(ONLY_ATTRIBUTE)} AS {role}"
    workbench.number(LABEL_TABLES[role], role, labels)


def _fetch_codes(workbench: Workbench, settled: Settled) -> pa.Table:
    """Return the coded claims as an Arrow table whose label columns are dictionaries."""
    labels = {role: workbench.labels(role) for role in LABELLED}
    if ValueForms(settled.settings).change_anything():
        labels["value"] = _settled_values(workbench, settled.n_rows)
    claims = sort_claims(labels)
    row = to_arrow(claims.row)
    fetched = {"row": row, **claims.columns}
    rest = _fetch_rest(workbench, settled.columns).take(row)
    if "asserts" not in settled.columns.roles:
        fetched["asserts"] = to_arrow(np.ones(len(row), np.uint8))
    return pa.table(fetched | dict(zip(rest.column_names, rest.columns, strict=True)))


def _settled_values(workbench: Workbench, n_rows: int) -> pa.DictionaryArray:
    """Return the spelling that stands for the value of each row."""
    claimed = workbench.arrow("SELECT row, value FROM claimed")
    values = as_dictionary(claimed["value"])
    index = np.full(n_rows, -1, np.int32)
    index[to_numpy(claimed["row"])] = to_numpy(values.indices)
    indices = pc.if_else(to_arrow(index >= 0), to_arrow(index), None)
    return pa.DictionaryArray.from_arrays(indices, values.dictionary, safe=False)


def _fetch_rest(workbench: Workbench, columns: Columns) -> pa.Table:
    """Return what claims have beside their labels, in input order."""
    chosen = [sql for role, sql in REST.items() if role in columns.roles]
    if not chosen:
        return pa.table({})
    return workbench.arrow(f"SELECT {', '.join(chosen)} FROM typed").combine_chunks()
