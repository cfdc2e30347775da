"""The learned reliability function over two features at once, with the density of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.report.chart import Chart, specification
from veracity.report.charts.grids import Codes, Grid
from veracity.report.charts.partial import Learned
from veracity.report.charts.records import one_line, records, size_ticks


def surface(name: str, learned: Learned, one: Grid, other: Grid) -> Chart:
    """Show reliability over two features, and how many claims there are of each kind."""
    across, up = one.coarse(), other.coarse()
    if up.is_number and not across.is_number:
        across, up = up, across
    right = learned.curves(across, up).right.reshape(len(across.values), len(up.values))
    counts = learned.counts(across, up)
    best = np.unravel_index(int(right.argmax()), right.shape)
    where = f"{_at(across, int(best[0]))}, {_at(up, int(best[1]))}"
    names = f"{one_line(across.name, 40)} and {one_line(up.name, 40)}"
    return Chart(
        name,
        f"Most reliable ({right.max():.2f}) where {where}",
        "Colour is the chance to be right where true and false are as likely. Dots show where the "
        "claims are, the larger the more; where there are none, the model extrapolates.",
        f"Heat map of reliability over {names}, from {right.min():.2f} to {right.max():.2f}, with "
        f"dots for the number of claims. It is highest where {where}.",
        _cells(across, up, right, counts),
        specification(
            "surface",
            **_side(across, "x"),
            **_side(up, "y"),
            height=300 if up.is_number else {"step": 40},
            ticks=size_ticks(counts.reshape(-1)),
        ),
    )


def _at(grid: Grid, place: int) -> str:
    shown = f"near {grid.shown[place]:,.3g}" if grid.is_number else grid.shown[place]
    return f"“{one_line(grid.name, 30)}” is {shown}"


def _cells(across: Grid, up: Grid, right: Floats, counts: Codes) -> list[dict[str, Any]]:
    """Return one record a cell."""
    i, j = (index.reshape(-1) for index in np.indices(right.shape))
    columns: dict[str, Any] = {}
    for axis, grid, place in (("x", across, i), ("y", up, j)):
        columns[axis] = [grid.shown[cell] for cell in place.tolist()]
        if grid.borders is not None:
            columns[f"{axis}_from"] = grid.borders[place]
            columns[f"{axis}_to"] = grid.borders[place + 1]
    return records(**columns, reliability=right.reshape(-1), claims=counts.reshape(-1))


def _side(grid: Grid, axis: str) -> dict[str, Any]:
    """Return the encodings of an axis: of cells, their other ends, and the dots in their middle."""
    look = {"title": grid.title, "grid": False, "domain": False, "labelLimit": 170}
    if not grid.is_number:
        angle = {"labelAngle": -30} if axis == "x" else {}
        place = {"field": axis, "type": "nominal", "sort": None, "axis": look | angle}
        return {axis: place, f"{axis}2": None, f"{axis}_dot": {"field": axis, "type": "nominal"}}
    numbers = {"format": grid.format, "tickCount": 6}
    return {
        axis: {
            "field": f"{axis}_from",
            "type": "quantitative",
            "scale": grid.scale,
            "axis": look | numbers,
        },
        f"{axis}2": {"field": f"{axis}_to"},
        f"{axis}_dot": {"field": axis, "type": "quantitative"},
    }
