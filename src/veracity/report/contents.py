"""The contents of a report: sections with figures, charts, tables and notes, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from veracity.data.buffers import to_numpy
from veracity.data.notes import plural
from veracity.data.output.decisions import ACCEPT, REVIEW, UNDECIDED
from veracity.evaluation.numeric_errors import surest_errors
from veracity.models.patterns.naming import spammers_sentence
from veracity.report.advice import TEXT_WIDTH, ShownNote, shown_notes
from veracity.report.chart import Chart
from veracity.report.charts import charts_of
from veracity.report.charts.records import one_line, share
from veracity.report.contested import contested_items
from veracity.report.hardest import hardest_items
from veracity.report.labelled import labels_section
from veracity.report.parts import Column, Contents, Fact, Section, TablePart, cell, label
from veracity.report.subject import Subject

SOURCES_SHOWN = 15
ATTRIBUTES_SHOWN = 40
FILES_SHOWN = 20
ERRORS_SHOWN = 12
#: Notes that have a place of their own on the page.
_FEATURE_NOTES, _TRAINING_NOTES = ("features",), ("convergence", "orientation")

Charts = Mapping[str, Sequence[Chart]]


def contents_of(subject: Subject) -> Contents:
    """Return all that the page of a run says."""
    charts = charts_of(subject)
    sections = [
        _input(subject, charts["input"]),
        _verdicts(subject, charts["verdicts"]),
        _sources(subject, charts["sources"]),
        *labels_section(subject, charts["labels"]),
        _function(subject, charts["function"]),
        _training(subject, charts["training"]),
    ]
    if subject.truth is not None:
        sections.append(_truth(subject, charts["truth"]))
    version = subject.description["versions"]["veracity"]
    head = (_title(subject), _sentence(subject), version, _about(subject))
    return Contents(*head, sections, _caution(subject))


# The head of the page


def _title(subject: Subject) -> str:
    files = _files(subject, "claims")
    if len(files) == 1:
        return f"Report on {label(files[0][1], 80)}"
    return f"Report on {plural(subject.description['counts']['n_claims'], 'claim')}"


def _sentence(subject: Subject) -> str:
    counts, decided = subject.description["counts"], _decided(subject)
    return (
        f"{plural(counts['n_sources'], 'source')} made {plural(counts['n_claims'], 'claim')} about "
        f"{plural(counts['n_items'], 'item')} and disagree on {counts['n_contested']:,}; "
        f"{_model_name(subject)} finds {plural(decided[ACCEPT], 'verdict')} to accept, "
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
        Fact("Model", _model_name(subject)),
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


def _model_name(subject: Subject) -> str:
    return type(subject.model).__name__


def _files(subject: Subject, role: str) -> list[list[str]]:
    """Return use, name, size and SHA-256 of the inputs; folders are nobody else's business."""
    rows = []
    for file in subject.description["inputs"].get(role, []):
        name = Path(file["path"]).name if "path" in file else file.get("uri", "")
        size = f"{file['bytes']:,}" if "bytes" in file else cell(None)
        rows.append([role.replace("_", " "), name, size, file.get("sha256", cell(None))])
    return rows


# What went in


def _input(subject: Subject, charts: Sequence[Chart]) -> Section:
    counts = subject.description["counts"]
    facts = [
        Fact("claims", cell(counts["n_claims"])),
        Fact("sources", cell(counts["n_sources"])),
        Fact("items", cell(counts["n_items"])),
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
        "An item is an attribute of an entity; it is contested if more than one value is claimed "
        f"for it. Charts of this page count everything unless they say otherwise.{unused}",
        facts=facts,
        charts=charts,
        tables=[_attributes(subject), *_inputs(subject)],
        notes=_notes(subject, leave_out=(*_FEATURE_NOTES, *_TRAINING_NOTES)),
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
    rows = [row for role in roles for row in _files(subject, role)]
    columns = (
        Column("use"),
        Column("file"),
        Column("bytes", "number"),
        Column("SHA-256", "code"),
    )
    return [_table("Inputs", columns, rows, FILES_SHOWN)] if rows else []


def _table(
    caption: str, columns: Sequence[Column], rows: Sequence[Sequence[str]], limit: int
) -> TablePart:
    left = len(rows) - limit
    remark = f"The first {limit} of {len(rows):,} are shown." if left > 0 else ""
    return TablePart(caption, columns, rows[:limit], remark)


def _notes(
    subject: Subject, only: Sequence[str] = (), leave_out: Sequence[str] = ()
) -> list[ShownNote]:
    chosen = [
        note
        for note in subject.description["notes"]
        if (note["subject"] in only if only else note["subject"] not in leave_out)
    ]
    return shown_notes(chosen)


# What came out


def _decided(subject: Subject) -> dict[str, int]:
    words = subject.truths["decision"]
    return {
        word: int(pc.sum(pc.equal(words, word)).as_py() or 0)
        for word in (ACCEPT, REVIEW, UNDECIDED)
    }


def _verdicts(subject: Subject, charts: Sequence[Chart]) -> Section:
    decided = _decided(subject)
    plausibility = to_numpy(subject.truths["plausibility"])
    accepted = np.array(pc.equal(subject.truths["decision"], ACCEPT).to_pylist(), np.bool_)
    expected = float((1.0 - plausibility[accepted]).sum())
    rate = subject.description.get("error_rate", subject.model.error_rate)
    items = contested_items(subject)
    return Section(
        "verdicts",
        "Verdicts",
        "Plausibility is how likely the believed value is to be true; the margin is its lead over "
        f"the next value. At an expected error rate of {100 * rate:g} %, as many verdicts are "
        "accepted as keep the expected errors among them within that share; ties, and what is less "
        "plausible than not, are undecided; the rest is for review.",
        facts=[
            Fact("verdicts", cell(len(plausibility))),
            Fact("to accept", cell(decided[ACCEPT])),
            Fact("to review", cell(decided[REVIEW])),
            Fact("undecided", cell(decided[UNDECIDED])),
            Fact("errors expected among the accepted", f"{expected:,.1f}"),
        ],
        charts=charts,
        tables=hardest_items(subject),
        items=items,
        paragraphs=() if items else ("Nobody disagrees: no item has more than one claimed value.",),
    )


# Who said it


def _spammers(subject: Subject) -> str:
    sentence = spammers_sentence(subject.sources.to_arrow())
    return "" if sentence is None else f" {sentence}"


def _sources(subject: Subject, charts: Sequence[Chart]) -> Section:
    sources = subject.sources.to_arrow()
    order = [("n_claims", "descending"), ("source", "ascending")]
    rows = sources.take(pc.select_k_unstable(sources, SOURCES_SHOWN, order)).to_pylist()
    columns = [
        Column("source"),
        Column("claims", "number"),
        Column("reliability", "number"),
        *([Column("90 % interval", "number")] if "reliability_low" in rows[0] else []),
        Column("tpr", "number"),
        Column("fpr", "number"),
        Column("agreement", "number"),
    ]
    shown = [
        [
            cell(row["source"]),
            cell(row["n_claims"]),
            cell(row["reliability"]),
            *([_interval(row)] if "reliability_low" in row else []),
            cell(row["tpr"]),
            cell(row["fpr"]),
            cell(row["agreement"]),
        ]
        for row in rows
    ]
    left = sources.num_rows - len(rows)
    remark = f"{plural(left, 'smaller source')} not shown." if left else ""
    few = subject.description["counts"]["n_one_claim_sources"]
    return Section(
        "sources",
        "Sources",
        "Reliability is the chance that a claim of the source is right; tpr how often it names a "
        "true statement that it speaks about, fpr how often it names a false one; agreement the "
        f"share of its claims that are believed. {share(few, sources.num_rows)} of the sources "
        f"make one claim only: of these little can be known.{_spammers(subject)}",
        charts=charts,
        tables=[TablePart("Sources with the most claims", columns, shown, remark)],
    )


def _interval(row: Mapping[str, Any]) -> str:
    low, high = row["reliability_low"], row["reliability_high"]
    return cell(None) if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _function(subject: Subject, charts: Sequence[Chart]) -> Section:
    notes = _notes(subject, only=_FEATURE_NOTES)
    if charts:
        lead = (
            "What the model learned about reliability from what is known of a claim: it holds for "
            "sources never seen before, too."
        )
    elif notes:
        lead = "No feature is in use, so there is no function of features to show. Why:"
    else:
        lead = (
            f"{_model_name(subject)} judges sources by what they say alone. The default model "
            "learns how reliability depends on features, columns whose names begin with claim_ or "
            "source_, where these help."
        )
    title = "What makes a source reliable"
    return Section("function", title, lead, charts=charts, notes=notes)


# How the fit went


def _training(subject: Subject, charts: Sequence[Chart]) -> Section:
    model: Any = subject.model
    history, converged = model.history_, getattr(model, "converged_", None)
    facts = []
    if history:
        facts.append(Fact("iterations", cell(len(history))))
        if converged is not None:
            facts.append(Fact("converged", cell(bool(converged))))
        last = history[-1].get("log_likelihood")
        if last is not None:
            facts.append(Fact("log-likelihood at the end", f"{last:,.1f}"))
    seconds = subject.description["seconds"].get("fitting")
    if seconds is not None:
        facts.append(Fact("seconds to fit", f"{seconds:,.2f}"))
    lead = (
        "Truth and its mirror image, in which every source is as wrong as it is right, fit claims "
        "equally well. Which of the two a fit ends at is its orientation: it is settled by the "
        "assumption that sources are more often right than wrong, and by known truth if there is "
        "any."
        if history
        else f"{_model_name(subject)} does not iterate: its answer is worked out at once."
    )
    notes = _notes(subject, only=_TRAINING_NOTES)
    return Section("training", "Training", lead, facts=facts, charts=charts, notes=notes)


# How good it is


def _truth(subject: Subject, charts: Sequence[Chart]) -> Section:
    found = subject.description["evaluation"]
    assert subject.truth is not None
    facts = [
        Fact("accuracy", f"{found['accuracy']:.4f}"),
        Fact(f"right, of {plural(found['n_items'], 'item')}", cell(found["n_right"])),
        Fact("truth items without a claim", cell(found["n_truth_items"] - found["n_items"])),
    ]
    further = {
        "precision": "precision",
        "recall": "recall",
        "f1": "F1",
        "mean_absolute_error": "mean absolute error",
        "root_mean_squared_error": "root mean squared error",
    }
    facts += [
        Fact(name, f"{found[key]:,.4g}") for key, name in further.items() if found[key] is not None
    ]
    return Section(
        "truth",
        "Against known truth",
        "This truth played no part in the fit. Accuracy is the share of items, among those with "
        "known truth and a claim, whose most plausible value is true.",
        facts=facts,
        charts=charts,
        tables=_errors(subject, found["n_items"] - found["n_right"]),
    )


def _errors(subject: Subject, n_wrong: int) -> list[TablePart]:
    assert subject.truth is not None
    if not n_wrong:
        return []
    found = surest_errors(subject.truths, subject.truth, subject.claims, ERRORS_SHOWN)
    columns = (
        Column("entity"),
        Column("attribute"),
        Column("believed"),
        Column("true"),
        Column("plausibility", "number"),
    )
    rows = [[cell(value) for value in row.values()] for row in found.to_pylist()]
    remark = f"{len(rows)} of {plural(n_wrong, 'error')}." if len(rows) < n_wrong else ""
    return [TablePart("Errors worth reading: wrong, and sure of it", columns, rows, remark)]
