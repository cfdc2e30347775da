"""The report of a run as one page that needs nothing else: styles, scripts and data are inside."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from veracity.errors import OutputError
from veracity.report.chart import Chart
from veracity.report.charts.answers import NAMES as ANSWERS
from veracity.report.contents import moment
from veracity.report.parts import Contents

VEGA = "vega.js"
#: Contested items that are open when the page is.
OPEN_ITEMS = 3
#: Charts that read well at half the width of the page, two of them side by side.
HALF_WIDTH = (
    "claims-per-source",
    "values-per-item",
    "plausibility",
    "margin",
    "confusion-believed",
    "confusion-claimed",
    *ANSWERS,
)
#: Signs that could end a script, or a line of one, as JSON writes them otherwise.
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def page_of(contents: Contents, made: datetime | None = None) -> str:
    """Return the page of a run as HTML; `made` is when, by default now."""
    from markupsafe import Markup

    parts = _parts()
    made = datetime.now(UTC) if made is None else made
    return str(
        _template().render(
            contents=contents,
            policy=parts.policy,
            style=Markup(parts.style),  # noqa: S704 - of the package
            vega=Markup(parts.vega),  # noqa: S704 - of the package
            script=Markup(parts.script),  # noqa: S704 - of the package
            embedded=lambda chart: Markup(_embedded(chart)),  # noqa: S704 - escaped there
            grouped=_grouped,
            open_items=OPEN_ITEMS,
            version=contents.version,
            made=moment(made.isoformat()),
        )
    )


def check_page() -> None:
    """Refuse at once what a page could not be made of, before any work is done for it."""
    _parts()


class _Parts(NamedTuple):
    """What is the same on every page: styles, scripts, and the policy that allows just these."""

    style: str
    vega: str
    script: str
    policy: str


@cache
def _parts() -> _Parts:
    style, vega = _static("veracity.css"), _static(VEGA)
    script = _joined(_static("charts.js"), _static("report.js"))
    for text in (vega, script):
        if "</script" in text.lower() or "<!--" in text:
            raise OutputError("A script of the report would end its own element. Build it anew.")
    policy = (
        f"default-src 'none'; script-src {_hash(vega)} {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return _Parts(style, vega, script, policy)


def _static(name: str) -> str:
    try:
        text = (files("veracity.report") / "static" / name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise OutputError(
            f"The report needs report/static/{name}, which is created when the package is built; "
            "this source tree was never built. Build it with `pip install -e .`, or leave the "
            "report out with --no-report (in Python: report=False)."
        ) from error
    return text.replace("\r\n", "\n")  # as a browser reads it, for the hash


def _joined(*scripts: str) -> str:
    """Join modules to one: what one exports and another imports is then there anyway."""
    joined = "\n".join(scripts)
    return re.sub(r"^export |^import .*\n", "", joined, flags=re.MULTILINE)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _embedded(chart: Chart) -> str:
    """Write a chart as JSON that cannot end the script element it stands in."""
    text = chart.to_json()
    for sign, written in _UNSAFE.items():
        text = text.replace(sign, written)
    return text


def _grouped(charts: Sequence[Chart]) -> list[list[Chart]]:
    """Put neighbours of half width side by side."""
    groups: list[list[Chart]] = []
    for chart in charts:
        half = chart.name in HALF_WIDTH
        if half and groups and len(groups[-1]) == 1 and groups[-1][0].name in HALF_WIDTH:
            groups[-1].append(chart)
        else:
            groups.append([chart])
    return groups


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("veracity.report"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("report.html")
