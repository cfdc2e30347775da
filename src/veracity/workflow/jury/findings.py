"""The findings about a jury in sentences: what to do, what was found, how far to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veracity.data.notes import plural
from veracity.errors import listing
from veracity.report.charts.records import one_line
from veracity.workflow.jury.biases import Bias
from veracity.workflow.jury.confidence import ASKED, Calibration

if TYPE_CHECKING:
    from veracity.workflow.jury.result import Jury

NAMED = 3
#: Judges that are needed to tell which of them belong together.
MIN_JUDGES_TO_RELATE = 5
#: What a judge with each bias prefers.
SIDES = {
    "position": ("the answer shown first", "the answer shown second"),
    "verbosity": ("the longer answer", "the shorter answer"),
    "yes": ("yes", "no"),
}


def findings_of(jury: Jury) -> list[str]:
    """Return three to eight sentences, the most important ones first."""
    found = [_head(jury), _escalation(jury)]
    if len(jury.panel.judges) > 1:
        found += [_drop(jury), _relatives(jury)]
        found += [*_biases(jury), *_confidence(jury)]
    found += [*_cost(jury), *_measured(jury)]
    return [sentence for sentence in found if sentence]


def percent(share: float) -> str:
    """Write a share in per cent.

    >>> percent(0.25), percent(0.004), percent(0.05)
    ('25 %', '0.4 %', '5 %')
    """
    if 0.095 <= share <= 1.0:
        return f"{100 * share:.0f} %"
    return f"{round(100 * share, 1):g} %"


def names(judges: list[str], limit: int = NAMED) -> str:
    """List judges, cut after a few."""
    return listing([one_line(judge, 40) for judge in judges], limit)


def _head(jury: Jury) -> str:
    n_judges, n = len(jury.panel.judges), jury.panel.n_items
    if n_judges == 1:
        return (
            f"Only one judge, {names([jury.panel.judges[0]])}, speaks about "
            f"{plural(n, 'question')}: with nobody to compare it with, nothing can be said about "
            "its verdicts. Add a second judge, or known truth."
        )
    accuracy = percent(jury.expected_accuracy)
    contested = jury.run.summary.n_contested
    if not contested:
        return (
            f"All {n_judges} judges agree on {plural(n, 'question')}, so nothing tells them apart: "
            f"either all are right, or they err together. Expected accuracy: {accuracy}."
        )
    return (
        f"{plural(n_judges, 'judge')} gave {plural(len(jury.panel.judge), 'verdict')} on "
        f"{plural(n, 'question')} and disagree on {contested:,}; expected accuracy of the jury: "
        f"{accuracy}."
    )


def _escalation(jury: Jury) -> str:
    counts = jury.expected_errors
    n, kept = counts["n_escalated"], counts["n_kept"]
    rate = percent(jury.run.model.error_rate)
    if not n:
        return f"No question needs to be escalated: all can be kept at an error rate of {rate}."
    wrong = percent(float(counts["escalated"] or 0.0))
    if not kept:
        return (
            f"No verdict is sure enough to be kept at an error rate of {rate}; {wrong} of all are "
            "expected to be wrong. Escalate the least plausible first, or label some."
        )
    return (
        f"Escalate {plural(int(n), 'question')}, of whose verdicts {wrong} are expected to be "
        f"wrong; of the {kept:,} that are kept, {percent(float(counts['kept'] or 0.0))}."
    )


def _drop(jury: Jury) -> str:
    if not jury.can_tell_who_adds_nothing:
        return (
            f"{plural(jury.panel.n_items, 'question is', 'questions are')} too few to tell whether "
            f"a judge adds nothing (within {percent(jury.tolerance)} of accuracy)."
        )
    nothing = jury.adds_nothing
    if not nothing:
        return (
            f"To leave out any one judge may cost more than {percent(jury.tolerance)} of accuracy: "
            "none can be dropped safely."
        )
    enough = jury.enough
    first = (
        f"{names(nothing)} {'adds' if len(nothing) == 1 else 'each add'} nothing to the others: "
        f"without {'it' if len(nothing) == 1 else 'one of them'}, the expected loss of accuracy is "
        f"below {percent(jury.tolerance)}."
    )
    if enough is None:
        return first
    saved = f"{percent(enough['calls_saved'])} of the calls"
    if enough["cost_saved"] is not None:
        saved += f" and {percent(enough['cost_saved'])} of the cost"
    left = len(jury.panel.judges) - enough["n_judges"]
    return (
        f"{first} Dropping {left} of {len(jury.panel.judges)} judges saves {saved} at an expected "
        f"loss of {percent(max(enough['expected_loss'], 0.0))}; {names(enough['judges'], 6)} "
        f"{'remains' if enough['n_judges'] == 1 else 'remain'}."
    )


def _relatives(jury: Jury) -> str:
    """Say which judges belong together, and which pair is redundant."""
    sentences = []
    for family in jury.families[:NAMED]:
        how = "are declared to belong together" if family.declared else "err together"
        sentences.append(
            f"{names(list(family.members), 6)} {how}: the {len(family.members)} count as "
            f"{family.counts_as:.1f} independent judges."
        )
    redundant = [row for row in jury.pairs.to_pylist() if row["redundant"]]
    for row in redundant[:1]:
        more = f" ({len(redundant) - 1} more such pairs)" if len(redundant) > 1 else ""
        sentences.append(
            f"{names([row['judge'], row['other']])} are redundant: they agree on "
            f"{percent(row['agreement'])} of {row['n_shared']:,} questions where "
            f"{percent(row['expected_agreement'])} is expected. Drop {names([row['drop']])}{more}."
        )
    if not sentences and len(jury.panel.judges) < MIN_JUDGES_TO_RELATE:
        return (
            f"{len(jury.panel.judges)} judges are too few to tell which of them err together "
            f"({MIN_JUDGES_TO_RELATE} are needed)."
        )
    return " ".join(sentences)


def bias_sentence(bias: Bias) -> str:
    """Say what a judge prefers, and by how much."""
    shift = bias.shift or 0.0
    side = SIDES[bias.kind][shift < 0]
    who = "All judges together" if bias.judge is None else one_line(bias.judge, 40)
    prefers = "prefer" if bias.judge is None else "prefers"
    return (
        f"{who} {prefers} {side}: at even odds in {percent(0.5 + abs(shift))} of cases instead of "
        "50 %."
    )


def _biases(jury: Jury) -> list[str]:
    found = jury.biases.found
    if not found:
        seen = {bias.kind for bias in jury.biases.by_judge if bias.preference is not None}
        if seen:
            return [f"No judge shows a clear {' or '.join(sorted(seen))} bias."]
        if jury.biases.by_judge:
            return ["Too few verdicts to tell whether judges are biased."]
        return []
    text = " ".join(bias_sentence(bias) for bias in found[:2])
    more = len(found) - 2
    return [text + (f" {plural(more, 'more bias', 'more biases')} on the page." * (more > 0))]


def worth_sentence(one: Calibration) -> str:
    """Say what 90 % of a judge is worth."""
    assert one.worth is not None
    assert one.worth_low is not None
    assert one.worth_high is not None
    return (
        f"a stated {percent(ASKED)} of {one_line(one.judge, 40)} is worth {percent(one.worth)} "
        f"({percent(one.worth_low)} to {percent(one.worth_high)})"
    )


def _confidence(jury: Jury) -> list[str]:
    confidence = jury.confidence
    if confidence is None:
        return []
    if not confidence.judges:
        return ["Confidence is stated too seldom to say what it is worth."]
    if confidence.scale == "score":
        telling = [one.judge for one in confidence.judges if one.slope_low > 0]
        if not telling:
            return ["No judge's score clearly tells right from wrong verdicts."]
        return [f"The scores of {names(telling)} tell right from wrong verdicts."]
    off = sorted(
        (one for one in confidence.judges if one.is_off),
        key=lambda one: abs((one.worth or 0) - ASKED),
    )
    if not off:
        return ["No judge's stated confidence is clearly off."]
    text = worth_sentence(off[-1])
    others = plural(len(off) - 1, "more judge is", "more judges are")
    more = f"; {others} clearly off" if len(off) > 1 else ""
    return [f"{text[0].upper()}{text[1:]}{more}."]


def _cost(jury: Jury) -> list[str]:
    rows = [row for row in jury.judges.to_pylist() if row["cost_per_correct"] is not None]
    if not rows:
        return []
    best = min(rows, key=lambda row: row["cost_per_correct"])
    text = (
        f"{names([best['judge']])} costs least for an expected correct verdict: "
        f"{best['cost_per_correct']:.3g}"
    )
    whole = next(iter(jury.panel_rows), None)
    if whole is not None and whole["cost_per_correct"] is not None:
        text += f", the whole jury {whole['cost_per_correct']:.3g}"
    return [f"{text} (in the unit of {jury.roles['cost']!r})."]


def _measured(jury: Jury) -> list[str]:
    found = jury.measured
    if found is None:
        return []
    judge, accuracy = found.best
    return [
        f"Against the truth of {plural(found.n_questions, 'question')} the jury is right on "
        f"{percent(found.accuracy)}, a majority vote on {percent(found.vote)}, the best judge in "
        f"hindsight, {names([judge])}, on {percent(accuracy)}."
    ]
