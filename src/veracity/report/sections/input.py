"""The section on the input: what went in, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from veracity.data.notes import plural
from veracity.report.advice import WARNINGS, shown_notes
from veracity.report.chart import Chart
from veracity.report.parts import Column, Fact, Section, TablePart, cell
from veracity.report.sections import decisions, function, training
from veracity.report.subject import Subject

ATTRIBUTES_SHOWN = 40
FILES_SHOWN = 20
#: The notes that are shown elsewhere.
ELSEWHERE = (*WARNINGS, *decisions.SUBJECTS, *function.SUBJECTS, *training.SUBJECTS)


def section(subject: Subject, charts: Sequence[Chart]) -> Section:
    """Return the section."""
    counts = subject.description["counts"]
    facts = [
        Fact("claims", cell(counts["n_claims"])),
        Fact("sources", cell(counts["n_sources"])),
        Fact("items", cell(counts["n_items"])),
        Fact("statements", cell(counts["n_statements"])),
        Fact("contested items", cell(counts["n_contested"])),
        Fact("items with one source", cell(counts["n_one_source_items"])),
        Fact("sources with one claim", cell(counts["n_one_claim_sources"])),
        Fact("claims by the largest tenth", f"{counts['share_of_largest_tenth']:.0%}"),
    ]
    left = counts["n_rows"] - counts["n_claims"]
    unused = f" {plural(left, 'row is', 'rows are')} not in use; the notes say why." if left else ""
    return Section(
        "input",
        "What went in",
        f"Charts of this page count everything unless they say otherwise.{unused}",
        facts=facts,
        charts=charts,
        tables=[_attributes(subject), *_inputs(subject)],
        notes=shown_notes(subject.description["notes"], leave_out=ELSEWHERE),
    )


def _attributes(subject: Subject) -> TablePart:
    profiles = subject.description["attributes"]
    columns = (
        Column("attribute"),
        Column("items", "number"),
        Column("values", "number"),
        Column("kind"),
        Column("because", "long"),
        Column("domain"),
        Column("because", "long"),
    )
    names = ("name", "n_items", "n_values", "kind", "kind_reason", "domain", "domain_reason")
    rows = [[cell(profile.get(name)) for name in names] for profile in profiles]
    return _table("Attributes, and how they are taken", columns, rows, ATTRIBUTES_SHOWN)


def _inputs(subject: Subject) -> list[TablePart]:
    roles = ("claims", "truth", "known_truth", "rules")
    rows = [row for role in roles for row in files(subject, role)]
    columns = (
        Column("use"),
        Column("file"),
        Column("bytes", "number"),
        Column("SHA-256", "code"),
    )
    return [_table("Inputs", columns, rows, FILES_SHOWN)] if rows else []


def files(subject: Subject, role: str) -> list[list[str]]:
    """Return use, name, size and SHA-256 of the inputs; folders are nobody else's business."""
    rows = []
    for file in subject.description["inputs"].get(role, []):
        name = Path(file["path"]).name if "path" in file else file.get("uri", "")
        size = f"{file['bytes']:,}" if "bytes" in file else cell(None)
        rows.append([role.replace("_", " "), name, size, file.get("sha256", cell(None))])
    return rows


def _table(
    caption: str, columns: Sequence[Column], rows: Sequence[Sequence[str]], limit: int
) -> TablePart:
    left = len(rows) - limit
    remark = f"The first {limit} of {len(rows):,} are shown." if left > 0 else ""
    return TablePart(caption, columns, rows[:limit], remark)
