"""The results of the benchmark of labels as a picture: Vega-Lite, then SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labels_figures import LABELLED, PEER, UNLABELLED, VOTE, Figures
from labels_page import cases, chosen, mean, numbers

from veracity.data.notes import plural
from veracity.scoreboard.picture import FONT, INK, SCHEMA, to_svg

#: Colours that people with any kind of colour vision can tell apart, on white.
COLOURS = {LABELLED: "#0b62a4", UNLABELLED: "#8a8f98", VOTE: "#d1600a", PEER: "#3b9c6d"}
#: The panels: a figure, its title, and what it is multiplied by.
PANELS = (
    ("accuracy", "accuracy on the rest, %", 100.0),
    ("log_loss", "log loss of the verdict", 1.0),
    ("accepted", "accepted at 5 % expected error, %", 100.0),
    ("errors", "wrong among the accepted, %", 100.0),
)
WIDTH, HEIGHT = 190, 220
#: Log losses beyond this are put at the edge.
LARGEST_LOSS = 0.8


def picture(found: Sequence[Figures]) -> str:
    """Draw figures by the number of labels."""
    return to_svg(specification(found))


def specification(found: Sequence[Figures]) -> dict[str, Any]:
    """Return a Vega-Lite specification with its data inside."""
    shown = common_cases(found)
    rows = [
        {
            "labels": str(n_labels),
            "method": method,
            **_values([one for one in chosen(found, n_labels, method) if one.case in shown]),
        }
        for n_labels in numbers(found)
        for method in COLOURS
        if any(one.case in shown for one in chosen(found, n_labels, method))
    ]
    return {
        "$schema": SCHEMA,
        "background": "white",
        "padding": 12,
        "title": {
            "text": f"What labels are worth: means over {plural(len(shown), 'set')}",
            "subtitle": "Sets that all four methods apply to and that have 400 items or more; "
            f"log losses above {LARGEST_LOSS:g} at the edge",
            **{"anchor": "start", "fontSize": 13, "color": INK, "offset": 12},
        },
        "data": {"values": rows},
        "hconcat": [_panel(name, title, found) for name, title, _ in PANELS],
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "axis": {"gridColor": "#eceef1", "labelColor": INK},
        },
    }


def common_cases(found: Sequence[Figures]) -> set[str]:
    """Return the sets that all methods have figures of, for all numbers of labels."""
    shown = cases(found)
    for n_labels in numbers(found):
        for method in COLOURS:
            shown &= cases(chosen(found, n_labels, method))
    return shown


def _values(own: Sequence[Figures]) -> dict[str, float]:
    """Return what the panels show of figures, one for each set."""
    figures = {name: mean(own, name) or 0.0 for name in ("accuracy", "log_loss", "accepted")}
    figures["log_loss"] = min(figures["log_loss"], LARGEST_LOSS)
    figures["errors"] = (mean(own, "wrong") or 0.0) / (figures["accepted"] or 1.0)
    return {name: scale * figures[name] for name, _, scale in PANELS}


def _panel(name: str, title: str, found: Sequence[Figures]) -> dict[str, Any]:
    order = [str(n_labels) for n_labels in numbers(found)]
    axis = {"title": title, "domain": False, "ticks": False}
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "mark": {"type": "line", "point": True, "strokeWidth": 2},
        "encoding": {
            "x": {
                "field": "labels",
                "type": "ordinal",
                "sort": order,
                "axis": {"title": "labels", "labelAngle": 0},
            },
            "y": {"field": name, "type": "quantitative", "scale": {"zero": False}, "axis": axis},
            "color": {
                "field": "method",
                "type": "nominal",
                "scale": {"domain": list(COLOURS), "range": list(COLOURS.values())},
                "legend": {"title": None, "orient": "top", "labelLimit": 220},
            },
        },
    }
