"""The heat map of source by attribute, below the list of sources."""

from __future__ import annotations

from typing import Any

from veracity.data.notes import plural
from veracity.report.heat_map import FEW, HeatMap

#: Shades of a cell, from no agreement to full agreement.
SHADES = 6


def heat_context(found: HeatMap | None) -> dict[str, Any] | None:
    """Return the heat map as the page shows it."""
    if found is None:
        return None
    rows = [
        {
            "id": int(found.source_index[row]),
            "source": name,
            "cells": [_cell(found, row, column) for column in range(len(found.attributes))],
        }
        for row, name in enumerate(found.sources)
    ]
    return {"attributes": found.attributes, "rows": rows, "cut": found.cut, "few": FEW}


def _cell(found: HeatMap, row: int, column: int) -> dict[str, Any]:
    n_claims = int(found.n_claims[row, column])
    if not n_claims:
        return {"share": None, "shade": "", "clash": False, "title": "no claim to compare"}
    share = float(found.agreement[row, column])
    return {
        "share": share,
        "shade": "few" if n_claims < FEW else f"shade-{min(int(share * SHADES), SHADES - 1)}",
        "clash": bool(found.clashes[row, column]),
        "title": f"{plural(n_claims, 'claim')} compared; mean plausibility of what it says: "
        f"{found.plausibility[row, column]:.2f}",
    }
