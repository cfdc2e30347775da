"""The results of the benchmark of unseen data as a picture: Vega-Lite, then SVG."""

from __future__ import annotations

from typing import Any

from unseen_page import SHOWN, name_of
from unseen_results import VOTE, Results, mean

from veracity.data.notes import plural
from veracity.models import DEFAULT_MODEL
from veracity.scoreboard.picture import FONT, INK, SCHEMA, to_svg

#: Colours that people with any kind of colour vision can tell apart, on white.
COLOURS = {"default": "#0b62a4", "mace": "#d1600a", "dawid-skene": "#8a8f98", "one-coin": "#3b9c6d"}
WIDTH, ROW = 520, 15
#: Points beyond which marks are put at the edge.
FURTHEST = 25.0


def picture(results: Results) -> str:
    """Draw how far methods are above or under the vote, set by set."""
    return to_svg(specification(results))


def specification(results: Results) -> dict[str, Any]:
    """Return a Vega-Lite specification with its data inside."""
    part = results.part("set")
    methods = [method for method in SHOWN if method in part.methods]
    own = part.points(DEFAULT_MODEL)
    order = [case.name for case in sorted(own, key=lambda case: -own[case])]
    rows = [
        {
            "set": case.name,
            "method": name_of(method),
            "points": max(-FURTHEST, min(FURTHEST, value)),
        }
        for method in methods
        for case, value in part.points(method).items()
    ]
    used = [name_of(method) for method in methods]
    return {
        "$schema": SCHEMA,
        "background": "white",
        "padding": 12,
        "title": {
            "text": _finding(part),
            "subtitle": f"Points above the vote, by set; beyond {FURTHEST:g} at the edge",
            **{"anchor": "start", "fontSize": 13, "color": INK, "offset": 12},
        },
        "width": WIDTH,
        "height": ROW * max(1, len(order)),
        "layer": [
            {
                "data": {"values": [{"points": 0}]},
                "mark": {"type": "rule", "color": INK},
                "encoding": {"x": {"field": "points", "type": "quantitative"}},
            },
            *(_marks(rows, name, order, used) for name in reversed(used)),
        ],
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "axis": {"gridColor": "#eceef1", "labelColor": INK, "labelLimit": 220},
        },
    }


def _marks(
    rows: list[dict[str, Any]], name: str, order: list[str], used: list[str]
) -> dict[str, Any]:
    axis = {"title": None, "domain": False, "ticks": False, "grid": True}
    return {
        "data": {"values": [row for row in rows if row["method"] == name]},
        "mark": {"type": "circle", "size": 85 if name == used[0] else 40, "opacity": 0.9},
        "encoding": {
            "x": {"field": "points", "type": "quantitative", "axis": {"title": "points"}},
            "y": {"field": "set", "type": "nominal", "sort": order, "axis": axis},
            "color": {
                "field": "method",
                "type": "nominal",
                "scale": {"domain": used, "range": [COLOURS[each] for each in used]},
                "legend": {"title": None, "orient": "top"},
            },
        },
    }


def _finding(part: Results) -> str:
    cases = part.done(DEFAULT_MODEL, VOTE)
    own, vote = (mean(part.values(name, "accuracy", cases)) for name in (DEFAULT_MODEL, VOTE))
    if own is None or vote is None:
        return "The default has not been run"
    return f"The default is right on {own:.3f}, the vote on {vote:.3f}: {plural(len(cases), 'set')}"
