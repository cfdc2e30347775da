"""Advice on the notes of a run, by subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from veracity.data.notes import IMPORTANCE, Importance, importance_of, rank_of
from veracity.report.charts.records import one_line

#: Of a note on the page.
TEXT_WIDTH = 900
#: Kinds of notes that give reason to doubt the answer; pages show them first.
WARNINGS = tuple(kind for kind, own in IMPORTANCE.items() if own == Importance.WARNING)
#: What a note is about, as its heading.
HEADINGS = {
    "columns": "Columns",
    "nulls": "Claims with gaps",
    "duplicates": "Sources that speak twice",
    "values": "Spellings of values",
    "tolerance": "Numbers that count as one",
    "ragged": "Rows that do not fit",
    "weight": "Weights of claims",
    "features": "Features",
    "copying": "Sources that depend on each other",
    "clusters": "Wrong values that cluster",
    "convergence": "The fit had not converged",
    "orientation": "Which way round",
    "trust": "Before you trust it",
    "evidence": "How much it rests on",
    "vote": "How far from a vote",
    "labels": "What labels show",
    "decisions": "What to accept",
    "format": "Other formats",
    "reconciled": "Rewritten values",
    "known truth": "Known truth",
    "truth": "Truth to measure by",
    "numbers": "Numbers",
    "outliers": "Numbers far off",
    "output": "Formulas in the files",
    "marks": "Review marks",
    "report": "The report",
}
#: What to do, where the note itself does not say it.
ADVICE = {
    "columns": "If a column was taken for the wrong role, name it, as in --source COLUMN.",
    "nulls": "If there should be none, run with --nulls error to see where they are.",
    "duplicates": "To choose otherwise, use --duplicates latest, all or error.",
    "values": "Look at the spellings that were merged; --strip, --casefold and --compare decide.",
    "tolerance": "The width is yours to choose: --tolerance ATTRIBUTE=SIZE.",
    "ragged": "Check the quoting of these rows; rows that are left out do not count.",
    "features": "To try others, name them with --features; --no-features does without.",
    "copying": "Check whether one of them republishes the other.",
    "convergence": "Raise --max-iter until the note is gone, and compare the verdicts.",
    "decisions": "Choose another share of errors with --error-rate.",
    "format": "To rewrite their values in the way of the others, run with --reconcile.",
    "outliers": "Check whether they are in another unit.",
}


class ShownNote(NamedTuple):
    """Notes on one subject: their heading, what was noticed, and what to do about it."""

    heading: str
    texts: Sequence[str]
    what_to_do: str
    importance: Importance

    @property
    def urgent(self) -> bool:
        """Whether it is a reason to doubt the answer."""
        return self.importance == Importance.WARNING


def shown_notes(
    notes: Iterable[Mapping[str, Any]], *, only: Sequence[str] = (), leave_out: Sequence[str] = ()
) -> list[ShownNote]:
    """Return notes of ``run.json`` as a page shows them: by subject, what matters most first.

    `only` are the subjects that are wanted, if not all; `leave_out` those that are not.
    """
    by_subject: dict[str, list[str]] = {}
    for note in notes:
        subject = str(note.get("subject", ""))
        if (subject in only or not only) and subject not in leave_out:
            by_subject.setdefault(subject, []).append(one_line(note.get("text", ""), TEXT_WIDTH))
    return [
        ShownNote(
            HEADINGS.get(subject, subject.capitalize() or "Note"),
            by_subject[subject],
            ADVICE.get(subject, ""),
            importance_of(subject),
        )
        for subject in sorted(by_subject, key=rank_of)
    ]


def warnings_of(notes: Iterable[Mapping[str, Any]]) -> list[ShownNote]:
    """Return the notes that give reason to doubt the answer, as a page shows them."""
    return shown_notes(notes, only=WARNINGS)
