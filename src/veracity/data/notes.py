"""Notes: what was noticed, decided or left out, in sentences that travel with the results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any


class Importance(IntEnum):
    """How much a note matters; less is more important.

    WARNING
        A reason to doubt the answer, or what was measured or promised of it.
    DECISION
        What to do with the answer.
    LOSS
        Input that is not used, or not used as it was given.
    INFORMATION
        How something was done.
    """

    WARNING = 0
    DECISION = 1
    LOSS = 2
    INFORMATION = 3


#: The importance of each kind of note. Notes are shown in this order; what is not here is
#: information, and comes last.
IMPORTANCE = {
    "known truth": Importance.WARNING,
    "truth": Importance.WARNING,
    "trust": Importance.WARNING,
    "convergence": Importance.WARNING,
    "copying": Importance.WARNING,
    "evidence": Importance.WARNING,
    "sources": Importance.WARNING,
    "format": Importance.WARNING,
    "changing": Importance.WARNING,
    "decisions": Importance.DECISION,
    "labels": Importance.DECISION,
    "vote": Importance.DECISION,
    "choice": Importance.DECISION,
    "rules": Importance.DECISION,
    "marks": Importance.DECISION,
    "reconciled": Importance.LOSS,
    "nulls": Importance.LOSS,
    "ragged": Importance.LOSS,
    "duplicates": Importance.LOSS,
    "numbers": Importance.LOSS,
    "outliers": Importance.LOSS,
    "weight": Importance.LOSS,
    "values": Importance.LOSS,
    "tolerance": Importance.LOSS,
    "output": Importance.LOSS,
    "report": Importance.LOSS,
    "score": Importance.INFORMATION,
    "updates": Importance.INFORMATION,
    "orientation": Importance.INFORMATION,
    "columns": Importance.INFORMATION,
    "attributes": Importance.INFORMATION,
    "scale": Importance.INFORMATION,
    "intervals": Importance.INFORMATION,
    "fields": Importance.INFORMATION,
    "ordered": Importance.INFORMATION,
    "features": Importance.INFORMATION,
    "domains": Importance.INFORMATION,
    "hierarchy": Importance.INFORMATION,
    "time": Importance.INFORMATION,
    "classes": Importance.INFORMATION,
    "class prior": Importance.INFORMATION,
    "clusters": Importance.INFORMATION,
    "speaking": Importance.INFORMATION,
    "weights": Importance.INFORMATION,
    "hidden bias": Importance.INFORMATION,
}
_PLACES = {subject: place for place, subject in enumerate(IMPORTANCE)}


@dataclass(frozen=True, slots=True)
class Note:
    """One remark about the input or the run.

    Attributes
    ----------
    subject
        What kind of remark it is: ``trust``, ``decisions``, ``nulls`` ...; see `IMPORTANCE`.
    text
        The remark, a plain sentence.
    count
        How many rows, values or items it concerns, where that can be counted.
    short
        The same in a clause, for the summary of a run, where the remark is that important.
    """

    subject: str
    text: str
    count: int | None = None
    short: str = ""

    def __str__(self) -> str:
        return self.text

    @property
    def importance(self) -> Importance:
        """How much it matters."""
        return importance_of(self.subject)

    def as_dict(self) -> dict[str, Any]:
        """Return the note as plain data, for ``run.json``."""
        described = asdict(self)
        if not self.short:
            del described["short"]
        return described


def importance_of(subject: str) -> Importance:
    """Return how much a kind of note matters."""
    return IMPORTANCE.get(subject, Importance.INFORMATION)


def rank_of(subject: str) -> int:
    """Return the place of a kind of note among all."""
    return _PLACES.get(subject, len(_PLACES))


def ranked(notes: Iterable[Note]) -> list[Note]:
    """Return notes in the order in which they matter; those of a kind stay in theirs."""
    return sorted(notes, key=lambda note: rank_of(note.subject))


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Write a count with its noun: ``1 claim``, ``2,000 claims``."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"
