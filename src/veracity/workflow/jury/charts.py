"""Charts of a jury: what is lost without a judge, biases, confidence, and smaller panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scipy.special import expit

from veracity.data.notes import plural
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import one_line, records, short_labels
from veracity.workflow.jury.biases import Bias
from veracity.workflow.jury.findings import SIDES, bias_sentence, percent, worth_sentence

if TYPE_CHECKING:
    from veracity.workflow.jury.result import Jury

#: Judges on a chart, and lines on that of confidence.
MOST, MOST_LINES = 40, 6
#: The title of the axis of each bias.
AXES = {
    "position": "first answer, at even odds",
    "verbosity": "longer answer, at even odds",
    "yes": "yes, at even odds",
}
#: Beside what each bias is measured.
BY_OTHERS = "It is measured beside what the other judges believe."
MEASURED = {
    "position": BY_OTHERS,
    "verbosity": f"{BY_OTHERS} If all of them like long answers, that shows only in part.",
    "yes": "It is measured beside the median judge: a preference that most share does not show.",
}


def charts_of_drops(jury: Jury) -> list[Chart]:
    """Show what is expected to be lost without each judge."""
    rows = [row for row in jury.judges.to_pylist() if row["expected_loss"] is not None]
    if not rows:
        return []
    rows = sorted(rows, key=lambda row: -row["expected_loss"])[:MOST]
    nothing = sum(bool(row["adds_nothing"]) for row in rows)
    title = (
        f"{plural(nothing, 'judge adds', 'judges add')} nothing to the others"
        if nothing
        else "No judge can be dropped for sure"
    )
    finding = ["adds nothing" if row["adds_nothing"] else "may be missed" for row in rows]
    return [
        Chart(
            "drop",
            title,
            "The dot is the accuracy that is expected to be lost if the judge is left out and all "
            "others are fitted anew; the line ends where its 95 % interval does. The dashed line "
            f"is the loss that counts as none, {percent(jury.tolerance)}.",
            f"Expected loss of accuracy without each of {plural(len(rows), 'judge')}. {title}.",
            records(
                label=short_labels(row["judge"] for row in rows),
                judge=[one_line(row["judge"]) for row in rows],
                loss=[row["expected_loss"] for row in rows],
                high=[row["expected_loss_high"] for row in rows],
                changed=[row["verdicts_changed"] for row in rows],
                finding=finding,
            ),
            specification("jury-drop", tolerance=jury.tolerance),
        )
    ]


def charts_of_biases(jury: Jury) -> list[Chart]:
    """Show each bias of judges that the columns tell of."""
    charts = []
    for kind in SIDES:
        own = [bias for bias in jury.biases.by_judge if bias.kind == kind]
        total = [bias for bias in jury.biases.total if bias.kind == kind]
        shown = [bias for bias in (*total, *own) if bias.preference is not None][:MOST]
        if shown:
            charts.append(_bias(kind, shown))
    return charts


def _bias(kind: str, shown: list[Bias]) -> Chart:
    found = [bias for bias in shown if bias.is_found and bias.judge is not None]
    largest = max(found, key=lambda bias: abs(bias.shift or 0.0), default=None)
    title = (
        f"No judge shows a clear {kind} bias"
        if largest is None
        else bias_sentence(largest).removesuffix(".")
    )
    names = ["all judges" if bias.judge is None else bias.judge for bias in shown]
    known = [bias.preference for bias in shown if bias.preference is not None]
    return Chart(
        f"bias-{kind}",
        title,
        f"How often a judge takes {SIDES[kind][0]} where nothing else speaks for either side, with "
        f"its 90 % interval; 50 % is no bias. {MEASURED[kind]}",
        f"Preference for {SIDES[kind][0]}, of {plural(len(shown), 'row')}. {title}.",
        records(
            label=short_labels(names),
            judge=[one_line(name) for name in names],
            share=[float(expit(one.log_odds)) for one in known],
            low=[float(expit(one.low)) for one in known],
            high=[float(expit(one.high)) for one in known],
            verdicts=[bias.n_verdicts for bias in shown],
            finding=["clear bias" if bias.is_found else "no clear bias" for bias in shown],
        ),
        specification("jury-bias", title=AXES[kind]),
    )


def charts_of_confidence(jury: Jury) -> list[Chart]:
    """Show how often verdicts are right, by stated confidence."""
    confidence = jury.confidence
    if confidence is None or not confidence.judges:
        return []
    ranked = sorted(confidence.judges, key=lambda one: (not one.is_off, -one.n_verdicts))
    chosen = [one for one in ranked if len(one.bins) > 1][:MOST_LINES]
    if not chosen:
        return []
    off = [one for one in confidence.judges if one.is_off and one.worth is not None]
    title = "Stated confidence, and how often it is right"
    if off:
        text = worth_sentence(max(off, key=lambda one: abs((one.worth or 0.0) - 0.9)))
        title = f"{text[0].upper()}{text[1:]}"
    labels = short_labels(one.judge for one in chosen)
    rows = [
        (label, one.judge, part)
        for label, one in zip(labels, chosen, strict=True)
        for part in one.bins
    ]
    is_share = confidence.scale == "probability"
    cut = (
        f" {len(chosen)} of {plural(len(confidence.judges), 'judge')} are shown, those that are "
        "off first."
        if len(confidence.judges) > len(chosen)
        else ""
    )
    return [
        Chart(
            "confidence",
            title,
            "Each dot is a fifth of a judge's verdicts by stated confidence, with its 90 % "
            "interval; on the dashed line a judge means what it says. Whether a verdict is right "
            f"is judged by all other judges.{cut}",
            f"Share of right verdicts by stated confidence, of {plural(len(chosen), 'judge')}. "
            f"{title}.",
            records(
                label=[label for label, _, _ in rows],
                judge=[one_line(judge) for _, judge, _ in rows],
                stated=[part.stated for _, _, part in rows],
                right=[part.right for _, _, part in rows],
                low=[part.low for _, _, part in rows],
                high=[part.high for _, _, part in rows],
                verdicts=[part.n_verdicts for _, _, part in rows],
            ),
            specification(
                "jury-confidence",
                domain=[0, 1] if is_share else None,
                form=".0%" if is_share else None,
            ),
        )
    ]


def charts_of_panels(jury: Jury) -> list[Chart]:
    """Show the expected accuracy of smaller panels."""
    rows = jury.panel_rows
    if len(rows) < 3:
        return []
    enough = jury.enough
    title = (
        f"{enough['n_judges']} of {len(jury.panel.judges)} judges are expected to do as well as all"
        if enough is not None
        else "Every smaller panel may lose accuracy"
    )
    good = [row["expected_loss_high"] <= jury.tolerance for row in rows]
    return [
        Chart(
            "panels",
            title,
            "Judges are dropped one by one, always the one that is expected to be missed least, "
            "and the rest is fitted anew. Accuracy is expected by the plausibilities of all judges "
            "together, not measured.",
            f"Expected accuracy by number of judges. {title}.",
            records(
                judges=[row["n_judges"] for row in rows],
                accuracy=[row["expected_accuracy"] for row in rows],
                saved=[row["calls_saved"] for row in rows],
                names=[one_line(", ".join(row["judges"])) for row in rows],
                finding=["as good as all" if one else "may lose more" for one in good],
            ),
            specification("jury-panels"),
        )
    ]
