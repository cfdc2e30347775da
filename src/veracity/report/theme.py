"""The look of all charts: one Vega-Lite configuration, and colours by what they stand for."""

from __future__ import annotations

from typing import Any

#: The width of a picture, in pixels, where no page gives one.
WIDTH = 680
FONT = "Inter, system-ui, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif"

# Every colour has a contrast of at least 3 to 1 against white and against near black, and no two of
# them differ by red against green alone.
BLUE, ORANGE, GREEN, PURPLE = "#2f7fc1", "#d9730d", "#12967a", "#9b6dcc"
RED, GREY = "#d6514a", "#7a808c"
#: Lines that order the picture and should hardly be seen.
FAINT = "rgba(128, 136, 150, 0.22)"
LINE = "rgba(128, 136, 150, 0.55)"
INK = "#757c88"

#: Colours by what they stand for; a specification names them so: ``"$tpr"``.
COLOURS = {
    "main": BLUE,
    "contrast": ORANGE,
    "quiet": GREY,
    "line": LINE,
    "faint": FAINT,
    "ink": INK,
    "tpr": BLUE,
    "fpr": ORANGE,
    "for": BLUE,
    "against": ORANGE,
    "total": PURPLE,
    "right": GREEN,
    "wrong": RED,
    "accept": BLUE,
    "review": ORANGE,
    "undecided": GREY,
}
#: From little to much: opaque over any background only where there is much to see.
RAMP = [
    "rgba(47, 127, 193, 0.08)",
    "rgba(47, 127, 193, 0.35)",
    "rgba(47, 127, 193, 0.7)",
    "rgba(47, 127, 193, 1)",
]
#: The same, opaque, where numbers stand on it; below 0.8 they are written in `DARK`.
SOLID = ["#eef4fa", "#b5d0ea", "#5f9bd1", "#1f5f9a"]
DARK = "#1b2430"
#: From low to high where every cell counts alike: dark blue over teal to yellow.
SPECTRUM = ["#3b3a78", "#33638d", "#26828e", "#2fa584", "#7fc75a", "#e6d74a"]

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "padding": 6,
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "frame": "bounds",
        "fontSize": 15,
        "fontWeight": 600,
        "color": INK,
        "subtitleColor": INK,
        "subtitleFontSize": 12,
        "subtitlePadding": 6,
        "lineHeight": 19,
        "subtitleLineHeight": 16,
        "offset": 14,
    },
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelPadding": 6,
        "labelLimit": 190,
        "gridColor": FAINT,
        "domainColor": LINE,
        "tickColor": LINE,
        "tickSize": 4,
    },
    "axisX": {"labelFlush": True},
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "orient": "top",
        "titleOrient": "left",
        "titlePadding": 10,
        "offset": 6,
        "symbolSize": 110,
        "gradientLength": 140,
        "gradientThickness": 10,
        "labelLimit": 220,
    },
    "text": {"color": INK, "fontSize": 12},
    "bar": {"cornerRadiusEnd": 2},
    "rule": {"color": LINE},
    "line": {"strokeWidth": 2.5},
    "range": {
        "category": [BLUE, ORANGE, GREEN, PURPLE, RED, GREY],
        "ramp": RAMP,
        "heatmap": RAMP,
        "ordinal": RAMP[1:],
    },
}
