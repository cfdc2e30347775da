"""The scoreboard as a picture: mean ranks, and accuracy against CPU time; Vega-Lite, then SVG."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from veracity.data.notes import plural
from veracity.errors import InputError, MissingDependency
from veracity.evaluation.significance import LEVEL
from veracity.scoreboard.labels import place_labels
from veracity.scoreboard.summary import VOTE, ModelSummary, Summary

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
VERSION = "5.20"
#: Close to the best accuracy, as a finding of the right-hand panel counts it.
CLOSE = 0.01
#: Colours that people with any kind of colour vision can tell apart, on white.
COLOURS = {"level with the best": "#0b62a4", "behind": "#8a8f98", "majority vote": "#d1600a"}
INK, FAINT = "#222222", "#6b7280"
WIDTH, ROW, LEAST_HEIGHT = 330, 17, 260
FONT = "DejaVu Sans, Helvetica, Arial, sans-serif"


def check_installed() -> None:
    """Refuse to go on where pictures cannot be drawn."""
    if find_spec("vl_convert") is None:
        raise MissingDependency(
            "A picture needs vl-convert-python: install it with `pip install 'veracity[charts]'`."
        )


def to_svg(specification: dict[str, Any]) -> str:
    """Draw a Vega-Lite specification."""
    check_installed()
    import vl_convert

    return str(vl_convert.vegalite_to_svg(json.dumps(specification), vl_version=VERSION))


def specification(summary: Summary) -> dict[str, Any]:
    """Return a Vega-Lite specification with its data inside."""
    ranked = [found for found in summary.models if found.rank is not None]
    if not ranked:
        raise InputError("There is nothing to draw: no model finished on any data set.")
    height = max(LEAST_HEIGHT, ROW * len(ranked))
    kinds = {found.model: _kind(found, ranked, summary) for found in ranked}
    panels = [_ranks(ranked, summary, kinds, height)] if len(summary.sets) > 1 else []
    panels.append(_costs(ranked, summary, kinds, height))
    return {
        "$schema": SCHEMA,
        "background": "white",
        "padding": 12,
        "spacing": 36,
        "hconcat": panels,
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "title": {
                **{"anchor": "start", "fontSize": 13, "fontWeight": "bold", "color": INK},
                **{"subtitleColor": FAINT, "subtitleFontSize": 11, "offset": 12, "frame": "group"},
            },
            "axis": {
                **{"labelColor": INK, "titleColor": FAINT, "titleFontWeight": "normal"},
                **{"gridColor": "#eceef1", "domainColor": "#c4c8cf", "tickColor": "#c4c8cf"},
                **{"labelFontSize": 11, "titleFontSize": 11, "labelLimit": 220},
            },
        },
    }


def _kind(found: ModelSummary, ranked: Sequence[ModelSummary], summary: Summary) -> str:
    if found.model == VOTE:
        return "majority vote"
    assert found.rank is not None
    assert ranked[0].rank is not None
    behind = found.rank - ranked[0].rank > (summary.critical_difference or 0.0)
    return "behind" if behind and len(summary.sets) > 1 else "level with the best"


def _colour(kinds: dict[str, str]) -> dict[str, Any]:
    used = [kind for kind in COLOURS if kind in kinds.values()]
    return {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": used, "range": [COLOURS[kind] for kind in used]},
        "legend": None,
    }


def _ranks(
    ranked: Sequence[ModelSummary], summary: Summary, kinds: dict[str, str], height: int
) -> dict[str, Any]:
    """Draw the mean rank of each model, and the band that luck alone could explain."""
    best = ranked[0]
    assert best.rank is not None
    difference = summary.critical_difference or 0.0
    n_level = sum(
        found.rank is not None and found.rank - best.rank <= difference for found in ranked[1:]
    )
    rows = [
        {"model": found.model, "rank": found.rank, "kind": kinds[found.model]} for found in ranked
    ]
    scale = {"domain": [1, max(len(ranked), 2)], "nice": False, "zero": False}
    ticks = [1, *range(5, len(ranked) + 1, 5)] if len(ranked) > 8 else [*range(1, len(ranked) + 1)]
    axis = {"title": "mean rank by accuracy (1 = best)", "values": ticks, "format": "d"}
    x = {"field": "rank", "type": "quantitative", "scale": scale, "axis": axis}
    order = [found.model for found in ranked]
    y = {
        "field": "model",
        "type": "nominal",
        "sort": order,
        "axis": {"title": None, "domain": False, "ticks": False, "grid": True},
    }
    band = {"from": best.rank, "to": min(best.rank + difference, len(ranked))}
    return {
        "width": WIDTH,
        "height": height,
        "title": {
            "text": f"{best.model} has the best mean rank, {best.rank:.1f} of {len(ranked)}",
            "subtitle": [
                f"{plural(n_level, 'other is', 'others are')} within Nemenyi's critical difference "
                f"(shaded, {difference:.1f} at {LEVEL:.0%}),",
                f"over {plural(len(summary.sets), 'data set')}; majority vote in orange",
            ],
        },
        "layer": [
            {
                "data": {"values": [band]},
                "mark": {"type": "rect", "color": "#0b62a4", "opacity": 0.09},
                "encoding": {
                    "x": {"field": "from", "type": "quantitative", "scale": scale, "axis": axis},
                    "x2": {"field": "to"},
                },
            },
            {
                "data": {"values": rows},
                "mark": {"type": "circle", "size": 90, "opacity": 1},
                "encoding": {"x": x, "y": y, "color": _colour(kinds)},
            },
        ],
    }


def _costs(
    ranked: Sequence[ModelSummary], summary: Summary, kinds: dict[str, str], height: int
) -> dict[str, Any]:
    """Draw mean accuracy against mean CPU time of the models that finished everywhere."""
    most = max(found.n_sets for found in ranked)
    whole = [found for found in ranked if found.n_sets == most]
    points = [(max(found.seconds or 0.0, 1e-3), found.accuracy or 0.0) for found in whole]
    logs = [math.log10(seconds) for seconds, _ in points]
    # Room on the right for labels, and on all sides for the points themselves.
    low, high = min(logs) - 0.15, max(logs) + 0.25 * max(max(logs) - min(logs), 1.0)
    bottom, top = _padded([accuracy for _, accuracy in points])
    at = [
        (WIDTH * (log - low) / (high - low), height * (top - accuracy) / (top - bottom))
        for log, (_, accuracy) in zip(logs, points, strict=True)
    ]
    labels = place_labels(at, [found.model for found in whole], WIDTH, height)
    rows = [
        {"model": found.model, "kind": kinds[found.model], "seconds": seconds, "accuracy": accuracy}
        for found, (seconds, accuracy) in zip(whole, points, strict=True)
    ]
    x = {
        "field": "seconds",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [10**low, 10**high], "nice": False},
        "axis": {
            "title": "mean CPU time of a fit (seconds, log scale)",
            "values": [10.0**power for power in range(math.floor(low), math.ceil(high) + 1)],
            "format": "~g",
        },
    }
    y = {
        "field": "accuracy",
        "type": "quantitative",
        "scale": {"domain": [bottom, top], "nice": False, "zero": False},
        "axis": {"title": "mean accuracy (share of truth items)", "format": ".2f"},
    }
    texts = [
        {
            "data": {"values": [row]},
            "mark": {
                **{"type": "text", "align": label.align, "dx": label.dx, "dy": label.dy},
                **{"baseline": "middle", "fontSize": 10},
            },
            "encoding": {"x": x, "y": y, "text": {"field": "model"}, "color": _colour(kinds)},
        }
        for row, label in zip(rows, labels, strict=True)
        if label is not None
    ]
    dots = {
        "data": {"values": rows},
        "mark": {"type": "circle", "size": 70, "opacity": 0.9},
        "encoding": {"x": x, "y": y, "color": _colour(kinds)},
    }
    return {
        "width": WIDTH,
        "height": height,
        "title": _cost_title(whole, len(ranked) - len(whole), most),
        "layer": [dots, *texts],
    }


def _padded(values: Sequence[float]) -> tuple[float, float]:
    room = 0.08 * max(max(values) - min(values), 0.02)
    return max(0.0, min(values) - room), min(1.0 + room, max(values) + room)


def _cost_title(whole: Sequence[ModelSummary], n_left: int, n_sets: int) -> dict[str, Any]:
    """Say which model is the most accurate, and which cheaper one comes close."""
    best = max(whole, key=lambda found: found.accuracy or 0.0)
    close = [found for found in whole if (best.accuracy or 0) - (found.accuracy or 0) <= CLOSE]
    cheap = min(close, key=lambda found: found.seconds or 0.0)
    seconds = f"{best.seconds or 0:.2g} s"
    over = f"{best.accuracy:.3f} over {plural(n_sets, 'data set')}, in {seconds}"
    more = f"{cheap.model} comes within {CLOSE:g} of it in {cheap.seconds or 0:.2g} s"
    if cheap is best:
        more = f"no cheaper model comes within {CLOSE:g} of it"
    left = [f"{plural(n_left, 'model')} did not finish on all"] if n_left else []
    return {"text": f"{best.model} is the most accurate", "subtitle": [over, more, *left]}
