"""Different spellings of one value: the commonest stands for all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pyarrow as pa

from veracity.data.clean.checks import complete
from veracity.data.clean.decimals import decimals_notes, find_decimals, with_decimals
from veracity.data.clean.values import ValueForms
from veracity.data.notes import Note, plural
from veracity.data.read.relations import Relations
from veracity.data.read.schema import LABELLED
from veracity.data.read.settings import Settings

KEYED = pa.schema(
    {
        "attribute": pa.string(),
        "value": pa.string(),
        "n_claims": pa.int64(),
        "form": pa.string(),
        "strange": pa.bool_(),
    }
)


def make_spellings(
    workbench: Relations, settings: Settings, kept: Sequence[str], notes: list[Note]
) -> Settings:
    """Where values have canonical forms, let the commonest spelling stand for all that agree.

    `kept` are the columns of ``typed`` that claims have beside their labels. Returns the settings
    with what was found out about numbers.
    """
    decimals = find_decimals(workbench, settings)
    settings = with_decimals(settings, decimals)
    if not ValueForms(settings).change_anything():
        workbench.view("claimed", f"SELECT rowid AS row, * FROM typed WHERE {complete()}")
        return settings
    counted = (
        f"SELECT attribute, value, count(*) AS n_claims FROM typed WHERE {complete()} "
        "GROUP BY attribute, value"
    )
    workbench.transform("keyed", counted, partial(_keyed, settings=settings), KEYED)
    workbench.step(
        "spelled",
        # More claims first, then the text itself, so that row order plays no part.
        "SELECT attribute, value, n_claims, strange, first_value(value) OVER "
        "(PARTITION BY attribute, form ORDER BY n_claims DESC, value) AS spelling FROM keyed",
    )
    workbench.step(
        "spellings", "SELECT attribute, value, spelling FROM spelled WHERE value <> spelling"
    )
    notes += _merged_note(workbench, decimals)
    notes += [*decimals_notes(workbench, decimals), *_strange_notes(workbench)]
    others = (f"typed.{name}" for name in (*LABELLED, *kept) if name != "value")
    workbench.view(
        "claimed",
        f"SELECT typed.rowid AS row, {', '.join(others)}, "
        "coalesce(spelling, typed.value) AS value FROM typed LEFT JOIN spellings "
        "ON typed.attribute = spellings.attribute AND typed.value = spellings.value "
        f"WHERE {complete('typed.')}",
    )
    return settings


def _keyed(batch: pa.RecordBatch, settings: Settings) -> pa.RecordBatch:
    """Write beside each value the form in which it is compared, and whether it has none."""
    forms = ValueForms(settings)
    attributes, values = batch["attribute"].to_pylist(), batch["value"].to_pylist()
    claimed = list(zip(attributes, values, strict=True))
    columns = [
        pa.array(attributes, pa.string()),
        pa.array(values, pa.string()),
        batch["n_claims"],
        pa.array([forms.key(*pair) for pair in claimed], pa.string()),
        pa.array([forms.unreadable(*pair) for pair in claimed], pa.bool_()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=KEYED)


def _merged_note(workbench: Relations, decimals: Sequence[str]) -> list[Note]:
    merged = "FROM spelled WHERE value <> spelling"
    if decimals:
        others = ", ".join(map(workbench.sql.literal, decimals))
        merged += f" AND attribute NOT IN ({others})"
    count, n_claims = workbench.row(f"SELECT count(*), sum(n_claims) {merged}")
    if not count:
        return []
    example, spelling = workbench.row(
        f"SELECT value, spelling {merged} ORDER BY attribute, value LIMIT 1"
    )
    text = (
        f"Merged {plural(count, 'spelling')} of values with the commonest spelling of the same "
        f"value, for example {example!r} with {spelling!r}, in {plural(int(n_claims), 'claim')}."
    )
    return [Note("values", text, count)]


def _strange_notes(workbench: Relations) -> list[Note]:
    strange = workbench.rows(
        "SELECT attribute, count(*) FROM spelled WHERE strange GROUP BY attribute "
        "ORDER BY attribute"
    )
    return [
        Note(
            "values",
            f"{plural(count, 'value of', 'values of')} {attribute!r} cannot be read as a number or "
            f"date, as declared, and {'is' if count == 1 else 'are'} compared as text.",
            count,
        )
        for attribute, count in strange
    ]
