"""Against known truth: whether plausibilities mean what they say, and what accepting fewer buys."""

from __future__ import annotations

import numpy as np

from veracity.data.notes import plural
from veracity.evaluation.calibration import expected_calibration_error
from veracity.evaluation.metrics import Outcomes, assess
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import number, records, share, spread_over
from veracity.report.charts.shares import interval
from veracity.report.subject import Subject

BINS = 10
MAX_POINTS = 100
#: Verdicts from which on the share that is right says something.
ENOUGH = 20
#: The mean error of plausibilities has a direction if it is so many standard errors from none.
BEYOND_CHANCE = 2.0


def measured(subject: Subject) -> list[Chart]:
    """Show how the verdicts fare against known truth."""
    if subject.truth is None:
        return []
    outcomes = assess(subject.truths, subject.truth, subject.claims)[1]
    return [calibration(outcomes), coverage(outcomes)]


def calibration(outcomes: Outcomes) -> Chart:
    """Show how often values are true by how plausible they are."""
    p, right = outcomes.plausibility, outcomes.right
    place = np.clip((p * BINS).astype(np.int64), 0, BINS - 1)
    counts = np.bincount(place, minlength=BINS)
    there = np.flatnonzero(counts)
    n = counts[there]
    n_right = np.bincount(place, right, minlength=BINS)[there].astype(np.float64)
    low, high = interval(n_right, n)
    error = expected_calibration_error(p, right)
    return Chart(
        "calibration",
        _calibrated(outcomes),
        "On the dashed line plausibilities mean what they say; below it the model is too sure, "
        "above it too cautious. Lines are 90 % intervals; the bars below count the verdicts.",
        f"Calibration curve over {plural(len(right), 'item')} with known truth: the share that is "
        f"right against the plausibility, in {plural(len(there), 'bin')}. Plausibilities are off "
        f"by {error:.3f} on average.",
        records(
            **{"from": there / BINS, "to": (there + 1) / BINS},
            plausibility=np.bincount(place, p, minlength=BINS)[there] / n,
            share_right=n_right / n,
            low=low,
            high=high,
            verdicts=n,
            height=n / n.max(),
        ),
        specification("calibration"),
    )


def _calibrated(outcomes: Outcomes) -> str:
    """Say whether the model is too sure, too cautious, or neither."""
    if len(outcomes.right) < ENOUGH:
        count = plural(len(outcomes.right), "item")
        return f"Too little known truth ({count}) to say whether plausibilities hold"
    p = outcomes.plausibility
    error = expected_calibration_error(p, outcomes.right)
    surplus = float((p - outcomes.right).mean())
    by_chance = BEYOND_CHANCE * float(np.sqrt((p * (1 - p)).sum())) / len(p)
    if abs(surplus) > max(by_chance, error / 2):
        word = "too sure" if surplus > 0 else "too cautious"
        return f"The model is {word}: plausibilities are off by {error:.2f} on average"
    if error < 0.03:
        return f"Plausibilities mean what they say: off by {error:.2f} on average"
    return f"Plausibilities are off by {error:.2f} on average, in both directions"


def coverage(outcomes: Outcomes) -> Chart:
    """Show the accuracy of the most plausible verdicts, by how many are accepted."""
    order = np.argsort(-outcomes.plausibility, kind="stable")
    p, n_right = outcomes.plausibility[order], np.cumsum(outcomes.right[order])
    # Verdicts that are equally plausible are accepted together; of the first few, a share says
    # nothing.
    ends = np.flatnonzero(np.append(p[1:] < p[:-1], True))
    ends = ends[ends + 1 >= min(ENOUGH, len(p))]
    shown = ends[spread_over(len(ends), MAX_POINTS)]
    n = shown + 1
    low, high = interval(n_right[shown].astype(np.float64), n)
    half = int(shown[np.searchsorted(n, len(p) / 2)])
    best = n_right[half] / (half + 1)
    accuracy = n_right[-1] / len(p)
    right = (
        f"{share(n_right[-1], len(p)).capitalize()} of {plural(len(p), 'item')} with known truth"
    )
    finding = f"{right} {'is' if len(p) == 1 else 'are'} judged right"
    finding += f"; of the more plausible half, {share(n_right[half], half + 1)}" * (len(n) > 1)
    return Chart(
        "coverage",
        finding,
        "From left to right more verdicts are accepted, the most plausible first; the line is the "
        "share of them that is right, the band its 90 % interval. It should fall to the right.",
        f"Accuracy by the share of verdicts accepted: {best:.3f} for the more plausible half, "
        f"{accuracy:.3f} for all {len(p):,}.",
        records(
            accepted=n / len(p),
            accuracy=n_right[shown] / n,
            low=low,
            high=high,
            plausibility=p[shown],
            verdicts=n,
        ),
        specification("coverage", reference=[{"accuracy": number(accuracy)}]),
    )
