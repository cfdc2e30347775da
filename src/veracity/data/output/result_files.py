"""Reading result tables again, in whichever format they were written."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.output.tables import Table
from veracity.data.output.write import TABLE_FORMATS, TableFormat
from veracity.errors import InputError, listing

#: Columns that are text and counts; the others are numbers, but for ``tie`` and ``disagrees``.
_TEXT = (
    *("entity", "attribute", "value", "source", "decision"),
    *("kind", "transformation", "description", "examples"),
    *("pattern", "pattern_of", "believed", "claimed"),
)
_COUNTS = (
    *("n_sources", "n_values", "n_claims", "supporters", "deniers"),
    *("right", "wrong", "labelled_right", "labelled_wrong"),
    "n_changes",
)
_NUMBERS = (
    "plausibility",
    "margin",
    "standard_error",
    "low",
    "high",
    "agreement",
    "agreement_after",
    *(f"{rate}{end}" for rate in ("reliability", "tpr", "fpr") for end in ("", "_low", "_high")),
    *("rate", "expected", "share", "weight"),
    *("freshness", "lag", "change_plausibility"),
    *(f"labelled_{name}" for name in ("rate", "low", "high", "expected")),
)
_TYPES = (
    dict.fromkeys(_TEXT, pa.string())
    | dict.fromkeys(_COUNTS, pa.int64())
    | dict.fromkeys(_NUMBERS, pa.float64())
    | dict.fromkeys(("tie", "disagrees"), pa.bool_())
)
#: The columns without which a table is not one of ours.
_NEEDED = {
    "truths": ("entity", "attribute", "value", "plausibility", "margin", "decision"),
    "statements": ("entity", "attribute", "value", "plausibility", "supporters", "deniers"),
    "sources": ("source", "n_claims", "reliability", "tpr", "fpr", "agreement"),
    "crossfit": ("entity", "attribute", "value", "plausibility"),
    "confusions": ("source", "attribute", "believed", "claimed", "share", "weight"),
    "sources_by_attribute": ("source", "attribute", "right", "wrong", "rate", "disagrees"),
    "timelines": (
        *("entity", "attribute", "value", "valid_from", "valid_to", "plausibility"),
        *("change_plausibility", "changed_after", "changed_before"),
    ),
    "clashes": ("source", "attribute", "agreement", "agreement_after", "transformation"),
}
#: An apostrophe before what a spreadsheet would take for a formula.
_ESCAPED = r"^'[=+\-@\t\r]"
#: Bytes of JSON lines read at once: more than the longest line.
_BLOCK = 64 << 20


def has_result(folder: Path, name: str) -> bool:
    """Say whether the folder of a run has a table."""
    return any((folder / f"{name}.{form}").is_file() for form in TABLE_FORMATS)


def read_result(folder: Path, name: str, own_labels: list[pa.Array] | None = None) -> Table:
    """Read a result table, such as truths or sources, from the folder of a run.

    Parameters
    ----------
    folder, name
        Where, and which table.
    own_labels
        Of a table whose formulas were escaped: the labels as they are in the claims. An apostrophe
        that they have stays, any other before a formula is taken off.
    """
    for form in TABLE_FORMATS:
        path = folder / f"{name}.{form}"
        if path.is_file():
            table = _checked(_read(path, form), name, path)
            return Table(name, table if own_labels is None else _unescaped(table, own_labels))
    raise InputError(
        f"{folder} is incomplete: it has no table of {name} "
        f"({listing(f'{name}.{form}' for form in TABLE_FORMATS)}). Make the run again."
    )


def _read(path: Path, form: TableFormat) -> pa.Table:
    try:
        if form == "parquet":
            import pyarrow.parquet as pq

            return pq.ParquetFile(path).read()
        return _read_jsonl(path) if form == "jsonl" else _read_csv(path)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path} is damaged: {reason}. Make the run again.") from error


def _read_csv(path: Path) -> pa.Table:
    from pyarrow import csv

    return csv.read_csv(
        path,
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=_TYPES,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _read_jsonl(path: Path) -> pa.Table:
    from pyarrow import json

    return json.read_json(
        path,
        read_options=json.ReadOptions(block_size=_BLOCK),
        parse_options=json.ParseOptions(explicit_schema=pa.schema(list(_TYPES.items()))),
    )


def _checked(table: pa.Table, name: str, path: Path) -> pa.Table:
    """Leave out columns that only the schema named, and refuse a table that is not ours."""
    empty = [
        column
        for column in table.column_names
        if column not in _NEEDED[name] and table[column].null_count == table.num_rows
    ]
    table = table.drop_columns(empty)
    missing = [column for column in _NEEDED[name] if column not in table.column_names]
    if missing or not table.num_rows:
        what = f"it has no {listing(missing)}" if missing else "it has no rows"
        raise InputError(f"{path} is damaged: {what}. Make the run again.")
    return table


def _unescaped(table: pa.Table, own_labels: list[pa.Array]) -> pa.Table:
    for index, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_string(column.type):
            marked = pc.match_substring_regex(column, _ESCAPED)
            for labels in own_labels:
                marked = pc.and_not(marked, pc.is_in(column, labels.cast(pa.string())))
            bare = pc.utf8_slice_codeunits(column, 1)
            table = table.set_column(index, name, pc.if_else(marked, bare, column))
    return table
