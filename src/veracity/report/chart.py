"""Chart: records and a Vega-Lite specification, for notebooks, pages and pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from veracity.errors import InvalidParameter, listing, needs

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
VEGA_LITE = "6.4"
FORMATS = ("json", "svg", "png")
MIME_TYPE = "application/vnd.vegalite.v6+json"


@dataclass(frozen=True, eq=False)
class Chart:
    """Records and how to draw them.

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
        The Vega-Lite specification, but for title, description and data.
    """

    name: str
    title: str
    reading: str
    alt: str
    records: Sequence[Mapping[str, Any]]
    spec: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the whole specification, data included."""
        return {
            "$schema": SCHEMA,
            "title": self.title,
            "description": self.alt,
            "usermeta": {"name": self.name, "reading": self.reading},
            "data": {"values": [dict(record) for record in self.records]},
            **self.spec,
        }

    def to_json(self) -> str:
        """Return the whole specification as text; a number that is none becomes null."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_svg(self) -> str:
        """Draw the chart without a browser."""
        return str(_converter().vegalite_to_svg(self.to_dict(), vl_version=VEGA_LITE))

    def to_png(self, scale: float = 2.0) -> bytes:
        """Draw the chart without a browser, at `scale` times its size."""
        spec = self.to_dict()
        return bytes(_converter().vegalite_to_png(spec, vl_version=VEGA_LITE, scale=scale))

    def save(self, path: str | Path) -> Path:
        """Write the chart to a file: ``.json``, ``.svg`` or ``.png``."""
        target = Path(path)
        form = target.suffix.lstrip(".").lower()
        if form not in FORMATS:
            raise InvalidParameter(
                f"A chart is written as one of {listing('.' + name for name in FORMATS)}. "
                f"Got {target.name!r} instead."
            )
        content = {"json": self.to_json, "svg": self.to_svg, "png": self.to_png}[form]()
        whole = content if isinstance(content, bytes) else content.encode("utf-8")
        target.write_bytes(whole)
        return target

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {MIME_TYPE: self.to_dict(), "text/plain": f"{self.title}\n{self.reading}"}


@cache
def specification(name: str) -> dict[str, Any]:
    """Return the specification kept as ``specs/NAME.json``; copy before you change it."""
    text = (files("veracity.report") / "specs" / f"{name}.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise needs("vl-convert-python", "A picture of a chart") from error
    return vl_convert
