"""Reading result tables again, in whichever format they were written."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from veracity.data.output.write import TABLE_FORMATS
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
    "truths": (
        *("entity", "attribute", "value", "plausibility", "margin", "decision"),
        *("n_sources", "n_values", "tie"),
    ),
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


def result_path(folder: Path, name: str) -> Path | None:
    """Return the path of a table in the folder of a run, if it is there."""
    paths = (folder / f"{name}.{form}" for form in TABLE_FORMATS)
    return next((path for path in paths if path.is_file()), None)


def table_in(file: IO[bytes], name: str, path: Path) -> pa.Table:
    """Read a result table, such as truths, from an open file; the path says its format."""
    try:
        if path.name.endswith(".parquet"):
            table = pq.ParquetFile(file).read()
        elif path.name.endswith(".jsonl"):
            table = _read_jsonl(file)
        else:
            packed = "gzip" if path.name.endswith(".gz") else None
            table = _read_csv(pa.input_stream(file, compression=packed))
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path} is damaged: {reason}. Make the run again.") from error
    return _checked(table, name, path)


def _is_odd(table: pa.Table, column: str) -> bool:
    """Whether a column of numbers has something else in it."""
    kind, expected = table.schema.field(column).type, _TYPES.get(column)
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)
    return expected in (pa.int64(), pa.float64()) and not is_number


def unescaped(table: pa.Table, own_labels: list[pa.Array]) -> pa.Table:
    """Take off the apostrophes before formulas, unless a label has it in the claims."""
    for index, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_string(column.type):
            marked = pc.match_substring_regex(column, _ESCAPED)
            for labels in own_labels:
                marked = pc.and_not(marked, pc.is_in(column, labels.cast(pa.string())))
            bare = pc.utf8_slice_codeunits(column, 1)
            table = table.set_column(index, name, pc.if_else(marked, bare, column))
    return table


def _read_csv(file: pa.NativeFile) -> pa.Table:
    from pyarrow import csv

    return csv.read_csv(
        file,
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=_TYPES,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _read_jsonl(file: IO[bytes]) -> pa.Table:
    from pyarrow import json

    return json.read_json(
        file,
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
    odd = [column for column in _NEEDED[name] if column not in missing and _is_odd(table, column)]
    if missing or odd or not table.num_rows:
        what = f"it has no {listing(missing)}" if missing else "it has no rows"
        what = f"{listing(odd)} cannot be of that type" if odd and not missing else what
        raise InputError(f"{path} is damaged: {what}. Make the run again.")
    return table
