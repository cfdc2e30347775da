"""Checks of the step ``typed``: what is missing or out of bounds, with the row it stands in."""

from __future__ import annotations

from veracity.data.notes import Note, plural
from veracity.data.read.relations import Relations, complete, is_finite
from veracity.data.read.schema import LABELLED, Columns
from veracity.data.read.settings import Settings
from veracity.errors import InputError

#: A claim counts for at most so many; beyond, sums of weights would lose those of other claims.
MOST_WEIGHT = 1_000_000_000


def check_nulls(workbench: Relations, settings: Settings, n_rows: int, notes: list[Note]) -> None:
    """Drop and count claims with a missing label, or refuse them."""
    filled = workbench.n_filled(LABELLED)
    if min(filled) == n_rows:
        return
    counts = [n_rows - count for count in filled]
    (incomplete,) = workbench.row(f"SELECT count(*) FROM typed WHERE NOT ({complete()})")
    which = ", ".join(
        f"{count:,} without {role}" for role, count in zip(LABELLED, counts, strict=True) if count
    )
    if settings.nulls == "error":
        (row,) = workbench.row(f"SELECT min(rowid) + 1 FROM typed WHERE NOT ({complete()})")
        raise InputError(
            f"A label is missing from {plural(incomplete, 'claim')} of {n_rows:,} ({which}); the "
            f"first is row {row}. Fill them in, or leave them out with --nulls drop."
        )
    if incomplete == n_rows:
        raise InputError(
            f"Every one of the {n_rows:,} rows lacks a label ({which}), so no claim is left."
        )
    notes.append(
        Note(
            "nulls",
            f"Dropped {plural(incomplete, 'claim')} of {n_rows:,} with a missing label ({which}).",
            incomplete,
        )
    )


def count_values(workbench: Relations) -> int | None:
    """Make the step ``said``: each value once, since few questions about values need the rows.

    Returns how many there are, None where it would take long to find out.
    """
    return workbench.count_claims("said", ("attribute", "value"))


def _check_cells(workbench: Relations, name: str, bad: str, given: str, expected: str) -> None:
    """Raise if a condition holds for any complete row, showing the first such cell."""
    count, row = workbench.row(
        f"SELECT count(*), min(rowid) FROM typed WHERE {complete()} AND ({bad})"
    )
    if count:
        (cell,) = workbench.row(f"SELECT {given} FROM typed WHERE rowid = {row}")
        shown = "nothing" if cell is None else repr(cell)
        raise InputError(
            f"Column {name!r} has {shown} in row {row + 1:,}"
            f"{f' and {count - 1:,} more like it' if count > 1 else ''}. {expected}"
        )


def check_asserts(workbench: Relations, columns: Columns) -> None:
    """Refuse an ``asserts`` other than 0 and 1."""
    if name := columns.roles.get("asserts"):
        _check_cells(
            workbench,
            name,
            "asserts IS NULL",
            "asserts_given",
            "Expected 1 (the source claims the value) or 0 (the source denies it).",
        )


def check_time(
    workbench: Relations, columns: Columns, types: dict[str, str], settings: Settings
) -> None:
    """Refuse times that cannot be read or put in order."""
    if not (name := columns.roles.get("time")):
        return
    form = settings.time_format
    expected = (
        f"Expected times written as {form!r}."
        if form
        else "Expected ISO 8601 such as 2012-12-07 or 2012-12-07 13:33:55, or numbers. "
        "For other forms give --time-format, for example '%d/%m/%Y'."
    )
    missing = "time_given IS NULL OR time_given = ''"
    unreadable = f"time IS NULL AND NOT ({missing})"
    for bad in (unreadable, f"NOT ({is_finite('time')}) AND NOT isnan(time)"):
        _check_cells(workbench, name, bad, "time_given", expected)
    if types[name] != "VARCHAR" or form:
        return
    numbers, total = workbench.row(
        f"SELECT count({workbench.sql.number('time_given')}), count(*) "
        f"FROM typed WHERE NOT ({missing})"
    )
    if 0 < numbers < total:
        raise InputError(
            f"Column {name!r} mixes {numbers:,} plain numbers with {total - numbers:,} dates, so "
            "its times cannot be put in order. Write all of them in one form."
        )


def check_weight(workbench: Relations, columns: Columns, notes: list[Note]) -> None:
    """Refuse weights that are not numbers, zero or more; a missing one counts as 1."""
    if not (name := columns.roles.get("weight")):
        return
    missing = "(weight_given IS NULL OR weight_given = '' OR isnan(weight))"
    bad = f"weight IS NULL OR NOT ({is_finite('weight')}) OR weight < 0 OR weight > {MOST_WEIGHT}"
    _check_cells(
        workbench,
        name,
        f"NOT coalesce({missing}, false) AND ({bad})",
        "weight_given",
        f"Expected a number from 0 to {MOST_WEIGHT:,}.",
    )
    (count,) = workbench.row(f"SELECT count(*) FROM typed WHERE {complete()} AND {missing}")
    if count:
        notes.append(
            Note("weight", f"A missing weight counts as 1 ({plural(count, 'claim')}).", count)
        )
