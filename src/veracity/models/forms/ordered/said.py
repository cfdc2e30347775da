"""A claim about an ordered item, as pages and reports know it."""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """Who says what about an item, or denies it, and how much that counts."""

    source: str
    value: str
    asserts: bool = True
    weight: float = 1.0
