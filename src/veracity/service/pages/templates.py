"""Templates of the pages."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from veracity.service.pages.numbers import cell, count, exact, percent, share, signed, width
from veracity.service.pages.rows import bar, bill_rows, claim_rows, plausibility

#: What templates write numbers with, and the pieces that pages have many of.
FILTERS = (count, share, exact, percent, signed, width, cell)
PIECES = (bar, plausibility, claim_rows, bill_rows)


def render(template: str, **context: Any) -> str:
    """Return a page; whatever comes from claims is escaped."""
    return _environment().get_template(template).render(context)


class PageEnvironment(Environment):
    """Looks names up as keys first: most of what pages show is plain data."""

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
    environment.globals.update({each.__name__: each for each in PIECES})
    return environment
