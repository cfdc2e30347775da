"""Templates of the pages."""

from __future__ import annotations

from collections.abc import MutableMapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from veracity.service.pages.numbers import cell, count, exact, percent, share, signed, width
from veracity.service.pages.rows import (
    bar,
    bill_details,
    choices,
    claim_rows,
    plausibility,
    value_rows,
)

#: What templates write numbers with, and the pieces that pages have many of.
FILTERS = (count, share, exact, percent, signed, width, cell)
PIECES = (bar, plausibility, value_rows, choices, claim_rows, bill_details)


@cache
def navigation(place: str, has_report: bool) -> Markup:
    """Return the pages to go to, which each page shows the same."""
    shown = render("navigation.html", place=place, has_report=has_report)
    return Markup(shown)  # noqa: S704  a template


def render(template: str, **context: Any) -> str:
    """Return a page; whatever comes from claims is escaped."""
    return _environment().get_template(template).render(context)


class PageEnvironment(Environment):
    """Looks names up as keys first: most of what pages show is plain data."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return what all templates know, as it is: no template of ours knows more.

        The chain of mappings around it, which templates have otherwise, is slow to go through.
        """
        return self.globals if not d else super().make_globals(d)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return what ``obj.attribute`` means in a template."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


@cache
def _environment() -> Environment:
    environment = PageEnvironment(
        loader=PackageLoader("veracity.service"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update({each.__name__: each for each in FILTERS})
    environment.globals.update({each.__name__: each for each in (*PIECES, navigation)})
    return environment
