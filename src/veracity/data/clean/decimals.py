"""Attributes whose values are plain decimal numbers: 10, 10.0 and 10.00 are one value there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veracity.data.clean.values import PLAIN_NUMBER
from veracity.data.notes import Note, plural
from veracity.data.read.relations import Relations
from veracity.data.read.settings import ANY_ATTRIBUTE, Settings

#: An attribute holds numbers if so many of its values are plain ones, and so large a share.
MANY_NUMBERS = 25
NUMBERS_SHARE = 0.5
#: Versions: 3.10 is not 3.1 where there is a 3.10.2, or where nothing like 3.05 or 3.00 occurs.
VERSION = "^v?[0-9]+([.][0-9]+){2,}"
PADDED = "^-?[0-9]+[.][0-9]*[1-9]0+$"
FINE = "^-?[0-9]+[.]0[0-9]"


def find_decimals(workbench: Relations, settings: Settings) -> tuple[str, ...]:
    """Find the attributes whose values are to be compared as plain decimal numbers.

    Looks at the step ``said``.

    Nothing is to be found out about attributes of which the user says how values are compared, nor
    about those that have no value with a needless zero, which is most of them.
    """
    if settings.attributes.get(ANY_ATTRIBUTE) and settings.for_attribute(ANY_ATTRIBUTE).values:
        return ()
    rows = workbench.rows("SELECT DISTINCT attribute FROM said WHERE value LIKE '%.%0'")
    open_questions = [name for (name,) in rows if settings.for_attribute(name).values is None]
    if not open_questions:
        return ()
    sql = workbench.sql
    named = ", ".join(sql.literal(name) for name in sorted(open_questions))
    counts = ", ".join(
        f"count(CASE WHEN {sql.matches('value', pattern)} THEN 1 END)"
        for pattern in (PLAIN_NUMBER, VERSION, PADDED, FINE)
    )
    counted = workbench.rows(
        f"SELECT attribute, count(*), {counts} FROM said WHERE attribute IN ({named}) "
        "GROUP BY attribute"
    )
    return tuple(sorted(str(name) for name, *numbers in counted if _are_decimals(*numbers)))


def _are_decimals(n_values: int, n_plain: int, n_versions: int, n_padded: int, n_fine: int) -> bool:
    if n_plain < MANY_NUMBERS or n_plain <= NUMBERS_SHARE * n_values:
        return False
    return not n_versions and (not n_padded or n_fine > 0)


def with_decimals(settings: Settings, names: Sequence[str]) -> Settings:
    """Return settings by which the values of some attributes are compared as decimal numbers."""
    if not names:
        return settings
    found = {name: replace(settings.for_attribute(name), values="decimal") for name in names}
    return replace(settings, attributes={**settings.attributes, **found})


def decimals_notes(workbench: Relations, names: Sequence[str]) -> list[Note]:
    """Say which spellings of numbers were merged; looks at the step ``spelled``."""
    if not names:
        return []
    named = ", ".join(workbench.sql.literal(name) for name in names)
    merged = f"FROM spelled WHERE value <> spelling AND attribute IN ({named})"
    found = workbench.rows(
        f"SELECT attribute, count(*), sum(n_claims), min(value) {merged} "
        "GROUP BY attribute ORDER BY attribute"
    )
    notes = []
    for name, count, n_claims, example in found:
        (spelling,) = workbench.row(
            f"SELECT spelling {merged} AND attribute = {workbench.sql.literal(name)} "
            f"AND value = {workbench.sql.literal(example)}"
        )
        text = (
            f"The values of {name!r} are numbers, so {example!r} and {spelling!r} are one value: "
            f"merged {plural(count, 'spelling')} ({plural(int(n_claims), 'claim')}). To keep them "
            f"apart: --compare {name}=text."
        )
        notes.append(Note("values", text, count))
    return notes
