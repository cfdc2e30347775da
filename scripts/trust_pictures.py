"""Draw the pictures of docs/concepts/trust.md: how a model fails, and what holds it.

Run with ``make trust-pictures``; it takes about a minute. `trust_experiments` draws the claims and
fits the models; the titles state what the figures show, so that they cannot come apart.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trust_experiments as experiments
from trust_experiments import Records

from veracity.scoreboard.picture import FAINT, FONT, INK, SCHEMA, to_svg

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
WIDTH, HEIGHT = 275, 230
BLUE, ORANGE, GREY = "#0b62a4", "#d1600a", "#747a85"
DASHED = [5, 4]
Spec = dict[str, Any]


def picture(*panels: Spec) -> Spec:
    """Put panels side by side, on white."""
    return {
        "$schema": SCHEMA,
        "background": "white",
        "padding": 12,
        "spacing": 32,
        "hconcat": list(panels),
        "resolve": {"scale": {"color": "independent"}},
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "title": {
                **{"anchor": "start", "fontSize": 13, "fontWeight": "bold", "color": INK},
                **{"subtitleColor": FAINT, "subtitleFontSize": 11, "offset": 10, "frame": "group"},
            },
            "axis": {
                **{"labelColor": INK, "titleColor": FAINT, "titleFontWeight": "normal"},
                **{"gridColor": "#eceef1", "domainColor": "#c4c8cf", "tickColor": "#c4c8cf"},
                **{"labelFontSize": 11, "titleFontSize": 11, "labelLimit": 220},
            },
            "legend": {
                **{"orient": "bottom", "direction": "vertical", "title": None, "offset": 6},
                **{"labelFontSize": 11, "labelColor": INK, "labelLimit": 320, "symbolSize": 120},
                **{"symbolStrokeWidth": 2.5, "symbolType": "stroke"},
            },
        },
    }


def panel(title: str, subtitle: str, layers: list[Spec], **more: Any) -> Spec:
    """Return a panel of the usual size."""
    heading = {"text": title, "subtitle": subtitle}
    return {"width": WIDTH, "height": HEIGHT, "title": heading, "layer": layers, **more}


def number(field: str, title: str, low: float, high: float, form: str = ",~r") -> Spec:
    """Return a numeric axis."""
    scale = {"domain": [low, high], "nice": False, "zero": False}
    axis = {"title": title, "format": form, "tickCount": 6}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def colour(field: str, colours: dict[str, str], *, legend: bool = True) -> Spec:
    """Return the colour of each kind, with or without a legend."""
    scale = {"domain": list(colours), "range": list(colours.values())}
    found: Spec = {"field": field, "type": "nominal", "scale": scale}
    return found if legend else {**found, "legend": None}


def text(x: float, y: float, words: str, **mark: Any) -> Spec:
    """Write words at a place."""
    return {
        "data": {"values": [{"x": x, "y": y}]},
        "mark": {"type": "text", "text": words, "fontSize": 11, "color": FAINT, **mark},
        "encoding": {
            "x": {"field": "x", "type": "quantitative"},
            "y": {"field": "y", "type": "quantitative"},
        },
    }


def lines(records: Records, x: Spec, y: Spec, paint: Spec, **mark: Any) -> Spec:
    """Return lines, one of each kind."""
    return {
        "data": {"values": records},
        "mark": {"type": "line", "strokeWidth": 2.2, **mark},
        "encoding": {"x": x, "y": y, "color": paint},
    }


# The four pictures


def mirror() -> Spec:
    """Draw two equal hills, and where climbs from random starts end."""
    line, starts = experiments.mirror()
    low = -160.0
    colours = {"likelihood alone": ORANGE, "with priors": BLUE}
    x = number("way", "from the truth (0) to its mirror image (1)", 0, 1)
    y = number("value", "log-likelihood, less that of the truth", low, 5)
    shade = {
        "data": {"values": [{"from": 0.5, "to": 1.0}]},
        "mark": {"type": "rect", "color": GREY, "opacity": 0.13},
        "encoding": {"x": {**x, "field": "from"}, "x2": {"field": "to"}},
    }
    ends = [record["value"] for record in line if record["objective"] == "with priors"]
    hills = panel(
        "The mirror image fits just as well",
        f"priors alone put the truth ahead by no more than {ends[0] - ends[-1]:.0f}",
        [
            shade,
            lines(line, x, y, colour("objective", colours)),
            text(0.75, 0.96 * low, "mostly below chance"),
        ],
    )
    order = ["likelihood alone", "with priors", "with priors, and u >= 0"]
    at_truth = {
        name: sum(r["count"] for r in starts if r["model"] == name and r["accuracy"] > 0.5)
        for name in order
    }
    n_starts = sum(record["count"] for record in starts if record["model"] == order[0])
    where = number("accuracy", "accuracy where it ends", 0, 1, ".0%")
    row = {
        "field": "model",
        "type": "nominal",
        "sort": order,
        "axis": {"title": None, "domain": False, "ticks": False, "grid": True, "labelLimit": 160},
    }
    size = {"field": "count", "type": "quantitative", "legend": None}
    encoding = {"x": where, "y": row}
    climbs = panel(
        f"Where {n_starts} random starts lead",
        f"at the truth: {at_truth[order[0]]}, {at_truth[order[1]]} and {at_truth[order[2]]}",
        [
            {
                "mark": {"type": "circle", "color": BLUE, "opacity": 0.85},
                "encoding": {**encoding, "size": {**size, "scale": {"range": [500, 1600]}}},
            },
            {
                "mark": {"type": "text", "color": "white", "fontWeight": "bold", "fontSize": 11},
                "encoding": {**encoding, "text": {"field": "count"}},
            },
        ],
        data={"values": starts},
    )
    return picture(hills, climbs)


def drift() -> Spec:
    """Draw how the likelihood rises while the answer gets worse."""
    path, vote = experiments.drift()
    free, held = dict.fromkeys(record["model"] for record in path)
    colours = {free: ORANGE, held: BLUE}
    last = {record["model"]: record for record in path}
    shown = [record for record in path if record["iteration"] <= 20]
    x = number("iteration", "iteration", 0, 20)
    better = last[free]["log_likelihood"] - last[held]["log_likelihood"]
    rises = panel(
        f"The likelihood is higher by {better:,.0f}",
        "with freedom than as the default has it",
        [
            lines(
                shown,
                x,
                number("log_likelihood", "log-likelihood", -2_400, -1_800),
                colour("model", colours),
                point={"size": 22},
            )
        ],
    )
    y = number("accuracy", "share of items that are right", 0.4, 0.9, ".0%")
    falls = panel(
        f"and the answer gets worse, down to {last[free]['accuracy']:.0%}",
        f"a vote is right about {vote:.0%}, the default {last[held]['accuracy']:.0%}",
        [
            {
                "data": {"values": [{"accuracy": vote}]},
                "mark": {"type": "rule", "strokeDash": DASHED, "color": GREY, "strokeWidth": 1.5},
                "encoding": {"y": y},
            },
            lines(shown, x, y, colour("model", colours, legend=False), point={"size": 22}),
            text(20, vote, "vote", align="right", dy=-7, color=GREY),
        ],
    )
    return picture(rises, falls)


def copying() -> Spec:
    """Draw what a growing clique of copiers does."""
    records = experiments.copying()
    colours = dict(zip(experiments.COPYING_MODELS, (GREY, ORANGE, BLUE), strict=True))
    x = number("copiers", "sources of 20 that copy a poor one", 0, 11)

    def half(title: str, subtitle: str, y: Spec, *, legend: bool = True) -> Spec:
        drawn = lines(records, x, y, colour("model", colours, legend=legend))
        return panel(title, subtitle, [drawn])

    def n_held(model: str) -> int:
        """Return up to how many copiers a model is right about four fifths of the items."""
        own = [record for record in records if record["model"] == model]
        return max(int(record["copiers"]) for record in own if record["accuracy"] > 0.8)

    _, plain, declared = colours

    return picture(
        half(
            "A few copiers carry a model away",
            f"more than {n_held(plain)}; if declared as a family, more than {n_held(declared)}",
            number("accuracy", "share of items that are right", 0.5, 1, ".0%"),
        ),
        half(
            "whose mistakes are then taken for true",
            "mean plausibility of what the original gets wrong",
            number("believed", "plausibility", 0, 1),
            legend=False,
        ),
    )


def calibration() -> Spec:
    """Draw plausibility against the share that is right."""
    bins, errors = experiments.calibration()
    colours = {"tempered, the default": BLUE, "not tempered": ORANGE}
    x = number("plausibility", "plausibility", 0.3, 1)
    y = number("right", "share that is right", 0.3, 1)
    even = {
        "data": {"values": [{"plausibility": 0.3, "right": 0.3}, {"plausibility": 1, "right": 1}]},
        "mark": {"type": "line", "strokeDash": DASHED, "color": GREY, "strokeWidth": 1.5},
        "encoding": {"x": x, "y": y},
    }
    panels: list[Spec] = []
    for case in dict.fromkeys(record["case"] for record in bins):
        of = {e["model"]: e["error"] for e in errors if e["case"] == case}
        here = [record for record in bins if record["case"] == case]
        paint = colour("model", colours, legend=not panels)
        panels.append(
            panel(
                f"Where {case}",
                "calibration error: "
                + ", ".join(f"{of[name]:.2f} {name.partition(',')[0]}" for name in colours),
                [
                    even,
                    lines(here, x, y, paint, point={"size": 45}),
                    text(0.32, 0.97, "too cautious", align="left"),
                    text(0.98, 0.33, "too sure", align="right"),
                ],
            )
        )
    return picture(*panels)


PICTURES = {
    "trust-mirror": mirror,
    "trust-drift": drift,
    "trust-copying": copying,
    "trust-calibration": calibration,
}


def main() -> None:
    """Write all pictures."""
    for name, draw in PICTURES.items():
        (IMAGES / f"{name}.svg").write_text(to_svg(draw()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
