"""Columns of assessors, who can err: who says what is true, and how far each can be trusted."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import pyarrow as pa

from veracity.data.read.schema import fold_name
from veracity.errors import InputError

OPINION_ROLES = ("assessor", "trust")
#: Who is right no more often than this is no assessor.
LEAST_TRUST = 0.5


def opinion_columns(names: Sequence[str], taken: Collection[str]) -> dict[str, str]:
    """Find the columns of assessor and trust among others, if they are there."""
    found: dict[str, str] = {}
    for name in names:
        role = fold_name(name)
        if role in OPINION_ROLES and name not in taken:
            found.setdefault(role, name)
    return found


def with_trust(rows: pa.Table) -> pa.Table:
    """Return rows of truth with assessor (null if not named) and trust, as a number (1 if empty).

    Raises
    ------
    InputError
        If there are assessors without a trust, or a trust is no chance above one half.
    """
    if "trust" not in rows.column_names:
        raise InputError(
            "The known truth has a column of assessors, but none for their trust. Add a column "
            "'trust' with the chance that each is right (1 where it is certain), or leave the "
            "assessors out."
        )
    trust = [
        _trust(cell, entity)
        for cell, entity in zip(rows["trust"].to_pylist(), rows["entity"].to_pylist(), strict=True)
    ]
    assessor = (
        rows["assessor"].cast(pa.string())
        if "assessor" in rows.column_names
        else pa.nulls(rows.num_rows, pa.string())
    )
    return pa.table(
        {
            **{name: rows[name] for name in ("entity", "attribute", "value")},
            "assessor": assessor,
            "trust": pa.array(trust, pa.float64()),
        }
    )


def _trust(cell: str | None, entity: str) -> float:
    if cell is None:
        return 1.0
    try:
        trust = float(cell)
    except ValueError:
        trust = math.nan
    if not LEAST_TRUST < trust <= 1.0:
        raise InputError(
            f"The trust of the known truth about {entity!r} is {cell!r}. Expected the chance that "
            f"it is right: more than {LEAST_TRUST:g}, and at most 1 for what is certain. Leave the "
            "row out if it is no better than a guess."
        )
    return trust
