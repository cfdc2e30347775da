"""Tables of claims for property tests in which sources contradict, repeat and deny."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from veracity import Attribute, Claims

#: Attributes of every kind, by names that say which.
ATTRIBUTES = {
    "closed": Attribute("single", "closed"),
    "open": Attribute("single", "open"),
    "number": Attribute("single", "open", "number"),
    "boolean": Attribute("boolean", positive="yes"),
    "multiple": Attribute("multiple"),
}


@dataclass(frozen=True)
class Row:
    """One row of a table of claims."""

    source: str
    entity: str
    attribute: str
    value: str
    asserts: int = 1
    weight: float = 1.0

    @property
    def item(self) -> tuple[str, str]:
        """What the row is about."""
        return self.entity, self.attribute


def read(rows: list[Row], *, weighted: bool = True) -> Claims:
    """Read rows, and keep all of them."""
    names = ("source", "entity", "attribute", "value", "asserts", "weight")
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in names}
    if not weighted:
        del columns["weight"]
    told = {name: ATTRIBUTES[name] for name in set(columns["attribute"])}
    return Claims.from_frame(columns, attributes=told, duplicates="all")


@st.composite
def tables(draw: st.DrawFn, max_size: int = 24) -> list[Row]:
    """Draw rows of few sources, entities and values, so that they meet."""

    def row() -> Row:
        attribute = draw(st.sampled_from(sorted(ATTRIBUTES)))
        words = ["yes", "no"] if attribute == "boolean" else ["1", "2", "3", "4"]
        return Row(
            draw(st.sampled_from("abc")),
            draw(st.sampled_from(["x", "y"])),
            attribute,
            draw(st.sampled_from(words)),
            draw(st.sampled_from([1, 1, 0])),
            draw(st.sampled_from([0.5, 1.0, 3.0])),
        )

    return [row() for _ in range(draw(st.integers(1, max_size)))]
