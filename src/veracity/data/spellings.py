"""Different spellings of one value: the commonest stands for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from veracity.data.checks import complete
from veracity.data.engine import Workbench
from veracity.data.notes import Note, plural
from veracity.data.settings import Settings
from veracity.data.values import ValueForms


def make_spellings(workbench: Workbench, settings: Settings, notes: list[Note]) -> None:
    """Where values have canonical forms, let the commonest spelling stand for all that agree."""
    forms = ValueForms(settings)
    if not forms.change_anything():
        workbench.view("claimed", f"SELECT rowid AS row, * FROM typed WHERE {complete()}")
        return
    claimed = workbench.rows(
        f"SELECT attribute, value, count(*) FROM typed WHERE {complete()} GROUP BY ALL "
        "ORDER BY attribute, value"
    )
    best: dict[tuple[str, str], tuple[int, str]] = {}
    keys = []
    for attribute, value, count in claimed:
        key = (attribute, forms.key(attribute, value))
        keys.append(key)
        # More claims first, then the text itself, so that row order plays no part.
        best[key] = min(best.get(key, (1, "")), (-count, value))
    chosen = [best[key][1] for key in keys]
    workbench.register(
        "spelling_rows",
        pa.table(
            {
                "attribute": pa.array([row[0] for row in claimed], pa.string()),
                "value": pa.array([row[1] for row in claimed], pa.string()),
                "spelling": pa.array(chosen, pa.string()),
            }
        ),
    )
    workbench.step("spellings", "SELECT * FROM spelling_rows WHERE value <> spelling")
    notes += _spelling_notes(forms, claimed, chosen)
    workbench.view(
        "claimed",
        "SELECT typed.rowid AS row, typed.* REPLACE (coalesce(spelling, typed.value) AS value) "
        f"FROM typed LEFT JOIN spellings USING (attribute, value) WHERE {complete('typed.')}",
    )


def _spelling_notes(
    forms: ValueForms, claimed: Sequence[tuple[str, str, int]], chosen: Sequence[str]
) -> list[Note]:
    merged = [
        (row, spelling) for row, spelling in zip(claimed, chosen, strict=True) if row[1] != spelling
    ]
    notes = []
    if merged:
        (_, example, _), spelling = merged[0]
        n_claims = sum(row[2] for row, _ in merged)
        notes.append(
            Note(
                "values",
                f"Merged {plural(len(merged), 'spelling')} of values with the commonest spelling "
                f"of the same value, for example {example!r} with {spelling!r}; this concerns "
                f"{plural(n_claims, 'claim')}.",
                len(merged),
            )
        )
    strange = Counter(row[0] for row in claimed if forms.unreadable(row[0], row[1]))
    for attribute, count in sorted(strange.items()):
        notes.append(
            Note(
                "values",
                f"{plural(count, 'value')} of {attribute!r} could not be read as the number or "
                "date that it was said to be, and is compared as text.",
                count,
            )
        )
    return notes
