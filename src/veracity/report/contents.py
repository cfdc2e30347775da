"""The contents of a report: what was found, then sections with figures, charts and tables."""

from __future__ import annotations

from datetime import datetime

from veracity.data.notes import plural
from veracity.report.advice import warnings_of
from veracity.report.findings import findings_of
from veracity.report.parts import Contents, Fact, label
from veracity.report.sections import sections_of
from veracity.report.sections.input import files
from veracity.report.subject import Subject


def contents_of(subject: Subject) -> Contents:
    """Return all that the page of a run says."""
    version = subject.description["versions"]["veracity"]
    head = (_title(subject), findings_of(subject), version, _about(subject))
    return Contents(*head, sections_of(subject), warnings_of(subject.description["notes"]))


def _title(subject: Subject) -> str:
    claims = files(subject, "claims")
    if len(claims) == 1:
        return f"Report on {label(claims[0][1], 80)}"
    return f"Report on {plural(subject.description['counts']['n_claims'], 'claim')}"


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
