"""The contents of a report: what was found, then sections with figures, charts and tables."""

from __future__ import annotations

from datetime import datetime

import pyarrow.compute as pc

from veracity.data.notes import plural
from veracity.data.output.decisions import ACCEPT, REVIEW, UNDECIDED
from veracity.report.advice import TEXT_WIDTH
from veracity.report.charts.records import one_line
from veracity.report.parts import Contents, Fact, label
from veracity.report.sections import sections_of
from veracity.report.sections.input import files
from veracity.report.subject import Subject


def contents_of(subject: Subject) -> Contents:
    """Return all that the page of a run says."""
    version = subject.description["versions"]["veracity"]
    head = (_title(subject), _sentence(subject), version, _about(subject))
    return Contents(*head, sections_of(subject), _caution(subject))


def _title(subject: Subject) -> str:
    claims = files(subject, "claims")
    if len(claims) == 1:
        return f"Report on {label(claims[0][1], 80)}"
    return f"Report on {plural(subject.description['counts']['n_claims'], 'claim')}"


def _sentence(subject: Subject) -> str:
    counts, words = subject.description["counts"], subject.truths["decision"]
    decided = {
        word: int(pc.sum(pc.equal(words, word)).as_py() or 0)
        for word in (ACCEPT, REVIEW, UNDECIDED)
    }
    return (
        f"{plural(counts['n_sources'], 'source')} made {plural(counts['n_claims'], 'claim')} about "
        f"{plural(counts['n_items'], 'item')} and disagree on {counts['n_contested']:,}; "
        f"{subject.model_name} finds {plural(decided[ACCEPT], 'verdict')} to accept, "
        f"{decided[REVIEW]:,} to review and {decided[UNDECIDED]:,} that stay undecided."
    )


def _caution(subject: Subject) -> str:
    """Return what to know before trusting the answer, if anything."""
    notes = subject.description["notes"]
    found = (str(note["text"]) for note in notes if note["subject"] == "trust")
    return one_line(next(found, ""), TEXT_WIDTH)


def _about(subject: Subject) -> list[Fact]:
    description = subject.description
    facts = [
        Fact("Run", moment(description["created"])),
        Fact("Model", subject.model_name),
        Fact("veracity", description["versions"]["veracity"]),
    ]
    if seconds := description["seconds"].get("fitting"):
        facts.append(Fact("Fitted in", f"{seconds:,.1f} s"))
    return facts


def moment(created: str) -> str:
    """Write a moment of ``run.json`` for a person.

    >>> moment("2024-05-06T07:08:09+00:00")
    '2024-05-06 07:08 UTC'
    """
    return f"{datetime.fromisoformat(created):%Y-%m-%d %H:%M} UTC"
