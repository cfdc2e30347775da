"""Templates of the pages."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, MutableMapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from veracity.service.pages.numbers import cell, count, exact, percent, share, signed, width
from veracity.service.pages.rows import bar, plausibility

#: What templates write numbers with, and the pieces that pages have many of.
FILTERS = (count, share, exact, percent, signed, width, cell)
PIECES = (bar, plausibility)
#: A place for a text in a page that is rendered without it.
HOLE = re.compile("\0([a-z_]+)\0")
#: How many pages without their texts are kept.
FRAMES_KEPT = 64
#: By template and flags.
_FRAMES: dict[tuple[Hashable, ...], tuple[list[bytes], list[str]]] = {}


@cache
def navigation(place: str, has_report: bool) -> Markup:
    """Return the pages to go to, which each page shows the same."""
    shown = render("navigation.html", place=place, has_report=has_report)
    return Markup(shown)  # noqa: S704  a template


def render(template: str, **context: Any) -> str:
    """Return a page; whatever comes from claims is escaped."""
    return _environment().get_template(template).render(context)


def fill(
    template: str,
    texts: Mapping[str, str],
    flags: Mapping[str, Hashable],
    sections: Mapping[str, Any],
) -> bytes:
    """Return a page of texts, which are HTML already, as it is sent.

    Few pages have sections. The others differ in nothing but their texts if their flags are the
    same, so that the template is rendered and encoded once for all of them.
    """
    if any(sections.values()):
        marked = {name: Markup(text) for name, text in texts.items()}  # noqa: S704  HTML
        return render(template, **marked, **flags, **sections).encode()
    key = (template, *flags.values())
    frame = _FRAMES.get(key)
    if frame is None:
        if len(_FRAMES) >= FRAMES_KEPT:
            _FRAMES.clear()
        frame = _FRAMES[key] = _frame(template, texts, flags, sections)
    parts, holes = frame
    page = parts.copy()
    page[1::2] = [texts[name].encode() for name in holes]
    return b"".join(page)


def _frame(
    template: str,
    texts: Iterable[str],
    flags: Mapping[str, Hashable],
    sections: Iterable[str],
) -> tuple[list[bytes], list[str]]:
    """Return a page without sections cut at its texts, and the names of these.

    Every second part is a place for a text.
    """
    holes = {name: Markup(f"\0{name}\0") for name in texts}  # noqa: S704  a name
    page = render(template, **holes, **flags, **dict.fromkeys(sections))
    parts = HOLE.split(page)
    return [part.encode() for part in parts], parts[1::2]


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
