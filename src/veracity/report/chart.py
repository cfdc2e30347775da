"""Chart: records and a Vega-Lite specification, for notebooks, pages and pictures."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from veracity.data.output.atomic import write_whole
from veracity.errors import InvalidParameter, listing, needs
from veracity.report import theme

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
VEGA_LITE = "6.4"
FORMATS = ("json", "svg", "png")
MIME_TYPE = "application/vnd.vegalite.v6+json"
#: Where the lines of a title and of what is said below it end, in characters.
TITLE_WIDTH, READING_WIDTH = 74, 104


@dataclass(frozen=True, eq=False)
class Chart:
    """Records and how to draw them.

    A notebook shows the chart; `save` writes it as a picture or as its specification.

    Attributes
    ----------
    name
        Of the chart's file, such as ``sources``.
    title
        What the chart shows in this run: the finding, in a sentence.
    reading
        How to read it, in a line.
    alt
        The same for who cannot see it.
    records
        The data, one dictionary a row.
    spec
        The Vega-Lite specification, but for title, description, data and theme.
    """

    name: str
    title: str
    reading: str
    alt: str
    records: Sequence[Mapping[str, Any]]
    spec: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the whole specification, data included; as wide as what it is put into."""
        return {
            "$schema": SCHEMA,
            "title": {
                "text": textwrap.wrap(self.title, TITLE_WIDTH),
                "subtitle": textwrap.wrap(self.reading, READING_WIDTH),
            },
            "description": self.alt,
            "usermeta": {"name": self.name, "title": self.title, "reading": self.reading},
            "data": {"values": [dict(record) for record in self.records]},
            "width": "container",
            "autosize": {"type": "fit-x", "contains": "padding"},
            "config": theme.CONFIG,
            **self.spec,
        }

    def to_json(self) -> str:
        """Return the whole specification as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_svg(self) -> str:
        """Draw the chart without a browser."""
        return str(_converter().vegalite_to_svg(self._picture(), vl_version=VEGA_LITE))

    def to_png(self, scale: float = 2.0) -> bytes:
        """Draw the chart without a browser, at `scale` times its size."""
        spec = self._picture()
        return bytes(_converter().vegalite_to_png(spec, vl_version=VEGA_LITE, scale=scale))

    def save(self, path: str | Path) -> Path:
        """Write the chart to a file, whole or not at all: ``.json``, ``.svg`` or ``.png``."""
        target = Path(path)
        form = target.suffix.lstrip(".").lower()
        if form not in FORMATS:
            raise InvalidParameter(
                f"A chart is written as one of {listing('.' + name for name in FORMATS)}. "
                f"Got {target.name!r} instead."
            )
        write_whole(target, self._as(form))
        return target

    def _as(self, form: str) -> str | bytes:
        if form == "png":
            return self.to_png()
        return self.to_svg() if form == "svg" else self.to_json()

    def _picture(self) -> dict[str, Any]:
        """Return the specification at a width of its own, for where there is no page."""
        return self.to_dict() | {"width": theme.WIDTH}

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {MIME_TYPE: self._picture(), "text/plain": f"{self.title}\n{self.reading}"}

    def __repr__(self) -> str:
        return f"Chart({self.name!r}, {self.title!r})"


def specification(name: str, **fills: Any) -> dict[str, Any]:
    """Return the specification kept as ``specs/NAME.json``, its gaps filled.

    A gap is a text that is a name after a dollar sign: that of a colour of the theme, or of a fill.
    What would be filled with None is left out.
    """
    scales = {"ramp": theme.RAMP, "solid": theme.SOLID, "spectrum": theme.SPECTRUM}
    known = theme.COLOURS | scales | {"dark": theme.DARK} | fills
    return dict(_filled(_kept(name), known))


@cache
def _kept(name: str) -> dict[str, Any]:
    text = (files("veracity.report") / "specs" / f"{name}.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def _filled(part: Any, fills: Mapping[str, Any]) -> Any:
    if isinstance(part, dict):
        filled = {key: (inner, _filled(inner, fills)) for key, inner in part.items()}
        return {key: new for key, (old, new) in filled.items() if new is not None or old is None}
    if isinstance(part, list):
        return [_filled(inner, fills) for inner in part]
    if isinstance(part, str) and part.startswith("$"):
        return deepcopy(fills[part[1:]])
    return part


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise needs("vl-convert-python", "A picture of a chart", "charts") from error
    return vl_convert
