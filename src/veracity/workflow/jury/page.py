"""The page of a jury: findings first, then what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from veracity.data.notes import plural
from veracity.report.advice import shown_notes, warnings_of
from veracity.report.contents import moment
from veracity.report.findings import Findings
from veracity.report.page import page_of
from veracity.report.parts import Column, Contents, Fact, Section, TablePart, cell, label
from veracity.workflow.jury.biases import Bias
from veracity.workflow.jury.charts import (
    charts_of_biases,
    charts_of_confidence,
    charts_of_drops,
    charts_of_panels,
)
from veracity.workflow.jury.findings import MIN_JUDGES_TO_RELATE, percent
from veracity.workflow.run import versions

if TYPE_CHECKING:
    from veracity.workflow.jury.result import Jury

#: Rows of the longer tables.
QUESTIONS_SHOWN, PAIRS_SHOWN = 25, 25
KAPPA_MEANS = (
    "1 is perfect agreement, 0 what chance would give; below 0.67 a panel is usually held to agree "
    "too little for its labels to be taken as they are (Krippendorff, 2004). Agreement is not "
    "accuracy: judges that err together agree."
)


def page_of_jury(jury: Jury) -> str:
    """Return the page as HTML."""
    return page_of(contents_of_jury(jury))


def contents_of_jury(jury: Jury) -> Contents:
    """Return all that the page says."""
    found, to_do, *rest = jury.findings
    sections = [
        *_findings(rest),
        _judges(jury),
        *_panels(jury),
        *_confidence(jury),
        _biases(jury),
        _relatives(jury),
        _escalation(jury),
        _agreement(jury),
        *_measured(jury),
        *_notes(jury),
    ]
    version = versions()["veracity"]
    about = [
        Fact("Made", moment(datetime.now(UTC).isoformat())),
        Fact("Judges", cell(len(jury.panel.judges))),
        Fact("Questions", cell(jury.panel.n_items)),
        Fact("Model", type(jury.run.model).__name__),
        Fact("veracity", version),
    ]
    return Contents(
        f"Jury of {plural(len(jury.panel.judges), 'judge')}",
        Findings(found, to_do, jury.run.findings.trust),
        version,
        about,
        sections,
        warnings_of(note.as_dict() for note in jury.run.notes),
        kind="findings about a jury",
        again="veracity jury VERDICTS -o OUT",
    )


def _findings(sentences: Sequence[str]) -> list[Section]:
    made = Section(
        "findings",
        "Further findings",
        "Accuracy is called expected where it follows from the model's own plausibilities; only "
        "known truth can measure it.",
        paragraphs=[label(sentence, 900) for sentence in sentences],
    )
    return [made] if sentences else []


def _judges(jury: Jury) -> Section:
    columns = [
        Column("judge"),
        Column("verdicts", "number"),
        Column("reliability", "number"),
        Column("90 % interval", "number"),
        Column("verdicts that change without it", "number"),
        Column("expected loss", "number"),
        Column("at most", "number"),
        Column("adds nothing"),
    ]
    has_cost = any(row["cost"] is not None for row in jury.judges.to_pylist())
    if has_cost:
        columns += [Column("cost", "number"), Column("per correct verdict", "number")]
    rows = [_judge_cells(row, has_cost) for row in jury.judges.to_pylist()]
    return Section(
        "judges",
        "Judges",
        "Each judge is left out in turn, the others are fitted anew, and verdicts are compared. "
        f"A judge adds nothing if no more than {percent(jury.tolerance)} of accuracy is expected "
        "to be lost without it, at the upper end of a 95 % interval, or if it is hardly better "
        "than chance. That holds for one judge at a time, and as far as the model can be trusted.",
        charts=charts_of_drops(jury),
        tables=[TablePart("Judges, and what they add", columns, rows)],
    )


def _judge_cells(row: dict[str, Any], has_cost: bool) -> list[str]:
    adds = row["adds_nothing"]
    cells = [
        label(row["judge"]),
        cell(row["n_verdicts"]),
        cell(row["reliability"]),
        _interval(row["reliability_low"], row["reliability_high"]),
        cell(row["verdicts_changed"]),
        cell(row["expected_loss"]),
        cell(row["expected_loss_high"]),
        cell(None if adds is None else bool(adds)),
    ]
    if has_cost:
        cells += [_amount(row["cost"]), _amount(row["cost_per_correct"])]
    return cells


def _interval(low: float | None, high: float | None) -> str:
    return cell(None) if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _amount(value: float | None) -> str:
    return cell(None) if value is None else f"{value:,.4g}"


def _panels(jury: Jury) -> list[Section]:
    if not jury.panel_rows:
        return []
    has_cost = jury.panel_rows[0]["cost"] is not None
    columns = [
        Column("judges", "number"),
        Column("who", "long"),
        Column("expected accuracy", "number"),
        Column("loss at most", "number"),
        Column("calls saved", "number"),
    ]
    if has_cost:
        columns += [Column("cost saved", "number"), Column("per correct verdict", "number")]
    rows = []
    for row in jury.panel_rows:
        cells = [
            cell(row["n_judges"]),
            label(", ".join(row["judges"]), 400),
            cell(row["expected_accuracy"]),
            cell(row["expected_loss_high"]),
            percent(row["calls_saved"]),
        ]
        if has_cost:
            cells += [percent(row["cost_saved"]), _amount(row["cost_per_correct"])]
        rows.append(cells)
    lead = (
        "How far the panel can shrink. The loss is judged by all judges together; the panel with "
        "the fewest judges whose loss stays within the tolerance is named in the findings."
    )
    part = TablePart("Panels of the best judges", columns, rows)
    charts = charts_of_panels(jury)
    return [Section("panels", "Smaller panels", lead, charts=charts, tables=[part])]


def _confidence(jury: Jury) -> list[Section]:
    confidence = jury.confidence
    if confidence is None:
        return []
    columns = [
        Column("judge"),
        Column("verdicts", "number"),
        Column("90 % is worth", "number"),
        Column("interval", "number"),
        Column("slope", "number"),
        Column("interval", "number"),
        Column("calibration error", "number"),
        Column("clearly off"),
    ]
    rows = [
        [
            label(one.judge),
            cell(one.n_verdicts),
            cell(one.worth),
            _interval(one.worth_low, one.worth_high),
            cell(one.slope),
            _interval(one.slope_low, one.slope_high),
            cell(one.ece),
            cell(one.is_off),
        ]
        for one in confidence.judges
    ]
    lead = (
        "What a stated confidence is worth: whether a verdict is right is judged by all other "
        "judges, so a judge cannot confirm itself. A slope of 1 is honest, 0 says nothing."
        if confidence.scale == "probability"
        else "The numbers that judges state are no probabilities, so only the slope can be told: "
        "the log-odds of being right that one standard deviation of the score adds."
    )
    few = confidence.too_few
    text = [f"Too few stated confidences to say: {label(', '.join(few), 400)}."] if few else []
    part = [TablePart("Stated confidence by judge", columns, rows)] if rows else []
    return [
        Section(
            "confidence",
            "Stated confidence",
            lead,
            paragraphs=text,
            charts=charts_of_confidence(jury),
            tables=part,
        )
    ]


def _biases(jury: Jury) -> Section:
    columns = (
        Column("judge"),
        Column("bias"),
        Column("verdicts", "number"),
        Column("takes the side", "number"),
        Column("should, by others", "number"),
        Column("log-odds", "number"),
        Column("90 % interval", "number"),
        Column("clear"),
    )
    shown = [*jury.biases.total, *jury.biases.by_judge]
    tables = [TablePart("Biases", columns, [_bias_cells(bias) for bias in shown])] if shown else []
    if jury.biases.consistency:
        tables.append(_consistency(jury))
    return Section(
        "biases",
        "Biases",
        "What judges prefer beyond what is right: the side of each bias is the first answer, the "
        "longer answer, or yes. All biases of all judges are tested together (Benjamini and "
        "Hochberg, 5 %).",
        paragraphs=list(jury.biases.not_seen.values()),
        charts=charts_of_biases(jury),
        tables=tables,
    )


def _bias_cells(bias: Bias) -> list[str]:
    known = bias.preference
    return [
        "all judges" if bias.judge is None else label(bias.judge),
        bias.kind,
        cell(bias.n_verdicts),
        percent(bias.share),
        percent(bias.believed),
        "too few" if known is None else f"{known.log_odds:+.2f}",
        cell(None) if known is None else f"{known.low:+.2f} to {known.high:+.2f}",
        cell(bias.is_found),
    ]


def _consistency(jury: Jury) -> TablePart:
    columns = (
        Column("judge"),
        Column("questions in both orders", "number"),
        Column("same verdict", "number"),
        Column("90 % interval", "number"),
        Column("both times the first", "number"),
        Column("both times the second", "number"),
    )
    rows = [
        [
            label(one.judge),
            cell(one.n_pairs),
            percent(one.share),
            f"{percent(one.interval[0])} to {percent(one.interval[1])}",
            cell(one.n_first),
            cell(one.n_second),
        ]
        for one in jury.biases.consistency
    ]
    return TablePart("Consistency when the order is swapped", columns, rows)


def _relatives(jury: Jury) -> Section:
    columns = (
        Column("judge"),
        Column("other"),
        Column("agreement", "number"),
        Column("expected", "number"),
        Column("shared questions", "number"),
        Column("redundant"),
        Column("drop"),
    )
    rows = [[cell(value) for value in row.values()] for row in jury.pairs.to_pylist()]
    tables = [TablePart("Pairs that agree too much", columns, rows[:PAIRS_SHOWN])] if rows else []
    texts = [
        f"{label(family.name)}: {label(', '.join(family.members), 400)}; "
        f"{'declared' if family.declared else 'found'}, {len(family.members)} members that count "
        f"as {family.counts_as:.2f}."
        for family in jury.families
    ]
    if not rows and not texts:
        texts = [
            "No two judges agree more than their skill explains."
            if len(jury.panel.judges) >= MIN_JUDGES_TO_RELATE
            else f"Too few judges: at least {MIN_JUDGES_TO_RELATE} are needed to tell relatives "
            "from judges that are simply right."
        ]
    return Section(
        "families",
        "Families",
        "Judges that err together confirm each other's mistakes. Members of a family count for "
        "less, so that they do not outvote the rest; a pair is redundant if one of the two adds "
        "nothing.",
        paragraphs=texts,
        tables=tables,
    )


def _escalation(jury: Jury) -> Section:
    counts = jury.expected_errors
    columns = (
        Column("question"),
        Column("attribute"),
        Column("verdict"),
        Column("plausibility", "number"),
        Column("margin", "number"),
        Column("judges", "number"),
        Column("decision"),
    )
    rows = [
        [cell(value) for value in row.values()]
        for row in jury.escalate.to_arrow().slice(0, QUESTIONS_SHOWN).to_pylist()
    ]
    remark = (
        f"The {QUESTIONS_SHOWN} least plausible of {len(jury.escalate):,}; all are in escalate.csv."
        if len(jury.escalate) > QUESTIONS_SHOWN
        else ""
    )

    def share(name: str) -> str:
        value = counts[name]
        return cell(None) if value is None else percent(float(value))

    return Section(
        "escalate",
        "Questions to escalate",
        "Verdicts that cannot be kept at the error rate asked for: give them to a person, or to a "
        "better judge.",
        facts=[
            Fact("kept", cell(counts["n_kept"])),
            Fact("of the kept, expected to be wrong", share("kept")),
            Fact("to escalate", cell(counts["n_escalated"])),
            Fact("of these, expected to be wrong", share("escalated")),
        ],
        tables=[TablePart("The least plausible verdicts", columns, rows, remark)] if rows else [],
    )


def _agreement(jury: Jury) -> Section:
    found = jury.agreement
    pairs = sorted(found.cohen_kappa, key=lambda row: -(row["kappa"] or -1.0))
    columns = (
        Column("judge"),
        Column("other"),
        Column("Cohen's kappa", "number"),
        Column("agreement", "number"),
        Column("shared questions", "number"),
    )
    rows = [[cell(value) for value in row.values()] for row in pairs[:PAIRS_SHOWN]]
    remark = f"The first {PAIRS_SHOWN} of {len(pairs):,}." if len(pairs) > PAIRS_SHOWN else ""
    tables = [TablePart("Cohen's kappa of pairs", columns, rows, remark)] if rows else []
    return Section(
        "agreement",
        "Agreement",
        f"How far judges agree beyond chance. {KAPPA_MEANS} A dash stands where it is not defined: "
        "where all say one thing, where no two judges share a question, or for free text.",
        facts=[
            Fact("Krippendorff's alpha", cell(found.krippendorff_alpha)),
            Fact("Fleiss' kappa", cell(found.fleiss_kappa)),
            Fact("mean Cohen's kappa", cell(found.mean_cohen_kappa)),
        ],
        tables=tables,
    )


def _measured(jury: Jury) -> list[Section]:
    found = jury.measured
    if found is None:
        return []
    columns = (Column("judge"), Column("verdicts", "number"), Column("share right", "number"))
    ranked = sorted(found.by_judge.items(), key=lambda one: -one[1][1])
    rows = [[label(judge), cell(n), cell(share)] for judge, (n, share) in ranked]
    return [
        Section(
            "truth",
            "Against the truth",
            "This truth played no part in anything above.",
            facts=[
                Fact("questions", cell(found.n_questions)),
                Fact("the jury", cell(found.accuracy)),
                Fact("majority vote", cell(found.vote)),
            ],
            tables=[TablePart("Judges against the truth", columns, rows)],
        )
    ]


def _notes(jury: Jury) -> list[Section]:
    notes = shown_notes([note.as_dict() for note in jury.run.notes])
    if not notes:
        return []
    return [Section("notes", "Notes of the run", "What the model noticed on the way.", notes=notes)]
