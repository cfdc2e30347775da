"""A page as a test sees it: its elements, in order, with attributes and text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link"}


@dataclass
class Element:
    """An element: where it stands, what it is, and all text in it."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None
    pieces: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text in it and below it."""
        return " ".join("".join(self.pieces).split())

    @property
    def raw(self) -> str:
        """The text just as it stands there."""
        return "".join(self.pieces)

    def find(self, tag: str, kind: str | None = None) -> list[Element]:
        """Return the elements below it, by tag and class."""
        found = []
        for child in self.children:
            if child.tag == tag and (kind is None or kind in child.attributes.get("class", "")):
                found.append(child)
            found += child.find(tag, kind)
        return found

    def everything(self) -> list[Element]:
        """Return all elements below it, in order."""
        return [one for child in self.children for one in (child, *child.everything())]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.here = Element("", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs}, self.here)
        self.here.children.append(element)
        if tag not in VOID:
            self.here = element

    def handle_endtag(self, tag: str) -> None:
        assert self.here.tag == tag, f"</{tag}> ends <{self.here.tag}>"
        assert self.here.parent is not None
        self.here = self.here.parent

    def handle_data(self, data: str) -> None:
        element: Element | None = self.here
        while element is not None:
            element.pieces.append(data)
            element = element.parent


def parse(page: str) -> Element:
    """Parse a page; an element that is not closed, or closed by another, is an error."""
    parser = _Parser()
    parser.feed(page)
    parser.close()
    assert parser.here is parser.root, f"<{parser.here.tag}> is never closed"
    return parser.root
