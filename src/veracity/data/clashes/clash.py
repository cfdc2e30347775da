"""Clash: a source that writes an attribute in another format than the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from veracity.data.clashes.transformation import Transformation
from veracity.data.notes import Note
from veracity.data.output.tables import Table

#: The subject of notes on clashes.
SUBJECT = "format"
EXAMPLES_SHOWN = 3
#: Of a value in a sentence, in characters.
WIDTH = 60


@dataclass(frozen=True, eq=False)
class Clash:
    """A source that disagrees with all others on an attribute in a systematic way.

    Attributes
    ----------
    source, attribute
        Who, and about what.
    n_claims
        How many of its claims were compared with those of others.
    agreement, agreement_after
        The share of them that agrees with most others, as claimed and when transformed.
    transformation
        What reconciles them.
    examples
        Values of the source, each with that of the others.
    common
        Values that the others use.
    """

    source: str
    attribute: str
    n_claims: int
    agreement: float
    agreement_after: float
    transformation: Transformation
    examples: Sequence[tuple[str, str]]
    common: frozenset[str]

    @property
    def is_format(self) -> bool:
        """Whether it is a format; who says the opposite may just be wrong."""
        return self.transformation.kind != "opposite"

    @property
    def description(self) -> str:
        """What the source does, how that shows, and what to do, in a sentence."""
        own, other = map(_quoted, self.examples[0])
        way = self.transformation
        return (
            f"In {self.attribute!r}, {self.source!r} {way.says}: {own} where the others have "
            f"{other}. It agrees with them on {self.agreement:.0%} of {self.n_claims:,} items, "
            f"and on {self.agreement_after:.0%} if you {way.remedy}."
        )

    def note(self) -> Note:
        """Return the clash as a note."""
        short = (
            f"{self.source!r} writes {self.attribute!r} in another format (try --reconcile)"
            if self.is_format
            else f"in {self.attribute!r}, {self.source!r} says the opposite of the others"
        )
        return Note(SUBJECT, self.description, self.n_claims, short)


def clashes_table(clashes: Sequence[Clash]) -> Table:
    """Return clashes as a table."""
    columns = {
        "source": pa.array([clash.source for clash in clashes], pa.string()),
        "attribute": pa.array([clash.attribute for clash in clashes], pa.string()),
        "n_claims": pa.array([clash.n_claims for clash in clashes], pa.int64()),
        "agreement": pa.array([clash.agreement for clash in clashes], pa.float64()),
        "agreement_after": pa.array([clash.agreement_after for clash in clashes], pa.float64()),
        "kind": pa.array([clash.transformation.kind for clash in clashes], pa.string()),
        "transformation": pa.array([clash.transformation.name for clash in clashes], pa.string()),
        "description": pa.array([clash.description for clash in clashes], pa.string()),
        "examples": pa.array([_shown(clash.examples) for clash in clashes], pa.string()),
    }
    return Table("clashes", pa.table(columns))


def _shown(examples: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{_quoted(own)} for {_quoted(other)}" for own, other in examples)


def _quoted(text: str) -> str:
    """Return a value in quotes, cut where it is long."""
    return repr(text if len(text) <= WIDTH else text[: WIDTH - 1] + "\u2026")
