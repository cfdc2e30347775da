"""Notes: what was noticed, decided or left out, in sentences that travel with the results."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """One remark about the input or the run.

    Attributes
    ----------
    subject
        What it is about: ``columns``, ``nulls``, ``duplicates``, ``values``, ``attributes`` ...
    text
        The remark, a plain sentence.
    count
        How many rows, values or items it concerns, where that can be counted.
    """

    subject: str
    text: str
    count: int | None = None

    def __str__(self) -> str:
        return self.text

    def as_dict(self) -> dict[str, Any]:
        """Return the note as plain data, for ``run.json``."""
        return asdict(self)


#: Subjects of notes that come before all others, in this order.
FIRST = ("known truth", "trust", "format", "reconciled")


def urgency(subject: str) -> int:
    """Return the place of a subject among all: what matters most comes first."""
    return FIRST.index(subject) if subject in FIRST else len(FIRST)


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Write a count with its noun: ``1 claim``, ``2,000 claims``."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"
