"""Pictures of the machine of the paper: its drift, and the reliability function that it learns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from veracity import GRBM, Claims
from veracity.data.arrays import Floats
from veracity.models.grbm.paper import BinaryGRBM
from veracity.scoreboard.picture import FAINT, FONT, INK, SCHEMA, to_svg

if TYPE_CHECKING:
    from paper import PaperSet

BLUE, ORANGE = "#0b62a4", "#d1600a"
WIDTH, HEIGHT = 235, 170
#: Numbers with more distinct values than this are put into as many groups.
GROUPS = 12
#: Groups of fewer claims are left out.
FEWEST = 20
#: How features are called in pictures; statistics are logarithms, which are turned back.
TITLES = {
    "source_registered": "contributor has an account",
    "entity_level": "difficulty of the question",
    "entity_category": "category of the question",
    "claims of source": "claims of the source",
    "sources of item": "sources that speak about the item",
    "order in item": "place in time: 0 first, 1 last",
    "claims before in item": "claims before it",
    "claims after in item": "claims after it",
}
LOGARITHMS = (
    "claims of source",
    "sources of item",
    "claims before in item",
    "claims after in item",
)
Spec = dict[str, Any]
Records = list[dict[str, Any]]


def draw(population: PaperSet, quiz: PaperSet, drift: Records, folder: Path) -> None:
    """Draw all pictures into a folder."""
    (folder / "paper-drift.svg").write_text(to_svg(drift_picture(drift)), encoding="utf-8")
    for chosen in (population, quiz):
        claims, _ = chosen.read()
        model = GRBM.paper(features=chosen.features).fit(claims)
        svg = to_svg(function_picture(model, claims, chosen.features))
        (folder / f"paper-{chosen.name}.svg").write_text(svg, encoding="utf-8")


def picture(panels: list[Spec], columns: int) -> Spec:
    """Put panels side by side, on white."""
    return {
        **{"$schema": SCHEMA, "background": "white", "padding": 12, "spacing": 28},
        **{"concat": panels, "columns": columns},
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "title": {"anchor": "start", "fontSize": 12, "color": INK, "subtitleColor": FAINT},
            "axis": {"gridColor": "#eceef1", "labelColor": INK, "titleColor": FAINT},
            "legend": {"orient": "bottom", "title": None, "labelColor": INK},
        },
    }


def panel(title: str, records: Records, x: Spec, y: Spec, kinds: dict[str, str]) -> Spec:
    """Return lines with points, one line of each kind."""
    scale = {"domain": list(kinds), "range": list(kinds.values())}
    return {
        **{"width": WIDTH, "height": HEIGHT, "title": title},
        "data": {"values": records},
        "mark": {"type": "line", "point": True, "strokeWidth": 2},
        "encoding": {
            **{"x": x, "y": y},
            "color": {"field": "kind", "type": "nominal", "scale": scale},
        },
    }


# Drift


def drift_picture(records: Records) -> Spec:
    """Draw accuracy and likelihood over passes, with weights free and not."""
    kinds = {"free": ORANGE, "nonnegative": BLUE}
    x = {
        **{"field": "passes", "type": "quantitative", "scale": {"type": "log"}},
        "axis": {"title": "passes over the statements", "values": [1, 2, 5, 10, 20, 40, 60]},
    }
    rows = [{**record, "kind": record["weights"]} for record in records]
    panels = [
        panel(title, rows, x, _number(field, axis), kinds)
        for title, field, axis in (
            ("Likelihood rises ...", "log_likelihood", "log-likelihood of a statement"),
            ("... and accuracy falls, if weights are free", "accuracy", "accuracy, per cent"),
        )
    ]
    return picture(panels, 2)


def _number(field: str, title: str, **scale: Any) -> Spec:
    return {
        **{"field": field, "type": "quantitative", "axis": {"title": title}},
        "scale": {"zero": False, **scale},
    }


# The reliability function


def function_picture(model: BinaryGRBM, claims: Claims, features: list[str]) -> Spec:
    """Draw tpr and fpr over each feature, of claims about items with more than one value."""
    found, matrix = model.parameters(claims), claims.matrix
    builder = model.feature_builder_
    assert builder is not None
    order = np.argsort(matrix.row, kind="stable")  # that of the rates
    contested = (np.diff(matrix.statement_start) > 1)[matrix.item_of_claim][order]
    rates = {rate: np.array(found[rate].to_pylist())[contested] for rate in ("tpr", "fpr")}
    seen = builder.table(claims).take(order[contested])
    kinds = {"tpr": BLUE, "fpr": ORANGE}
    panels = []
    for name in features:
        if name in builder.used:
            records, is_category = over(name, seen[name], rates)
            x = _category_axis(records) if is_category else _number_axis(name)
            y = _number("rate", "rate", domain=[0, 1])
            panels.append(panel(TITLES.get(name, name), records, x, y, kinds))
    return picture(panels, 3)


def over(name: str, column: pa.ChunkedArray, rates: dict[str, Floats]) -> tuple[Records, bool]:
    """Average the rates of claims that have the same value of a feature, or nearly."""
    is_category = pa.types.is_string(column.type)
    if is_category:
        labels = np.array(column.to_pylist(), object)
        common, counts = np.unique(labels.astype(str), return_counts=True)
        groups = [
            (label, labels == label) for label in common[np.argsort(-counts)][:GROUPS].tolist()
        ]
    else:
        groups = list(_number_groups(name, np.array(column.to_pylist(), np.float64)))
    records = [
        {"x": x, "kind": rate, "rate": float(values[own].mean()), "n": int(own.sum())}
        for x, own in groups
        for rate, values in rates.items()
    ]
    return records, is_category


def _number_groups(name: str, numbers: Floats) -> Any:
    """Return the mean of each group of numbers, and who belongs to it."""
    if name in LOGARITHMS:
        numbers, group = np.expm1(numbers), np.round(3 * numbers).astype(np.int64)
    elif len(np.unique(numbers)) > GROUPS:
        edges = np.unique(np.quantile(numbers, np.arange(1, GROUPS) / GROUPS))
        group = np.searchsorted(edges, numbers, side="right")
    else:
        group = np.searchsorted(np.unique(numbers), numbers)
    for each in np.unique(group):
        own = group == each
        if own.sum() < FEWEST:
            continue
        yield float(numbers[own].mean()), own


def _category_axis(records: Records) -> Spec:
    order = list(dict.fromkeys(record["x"] for record in records))
    axis = {"title": None, "labelAngle": -40, "labelLimit": 110}
    return {"field": "x", "type": "nominal", "sort": order, "axis": axis}


def _number_axis(name: str) -> Spec:
    axis: Spec = {"title": None, "tickCount": 6}
    kind = "symlog" if name in LOGARITHMS else "linear"
    scale = {"type": kind, "zero": False, "nice": False}
    if name in LOGARITHMS:
        axis |= {"values": [0, 1, 2, 5, 10, 50, 200, 1000, 5000, 20000], "format": ","}
    return {"field": "x", "type": "quantitative", "axis": axis, "scale": scale}
