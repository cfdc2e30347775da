"""Charts of verdicts: plausibilities of the believed values, and their margins."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats
from veracity.data.buffers import to_numpy
from veracity.data.notes import plural
from veracity.data.output.decisions import ACCEPT, REVIEW, UNDECIDED
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import records, share
from veracity.report.subject import Subject

BINS = 20
DECISIONS = (ACCEPT, REVIEW, UNDECIDED)


def plausibility(subject: Subject) -> Chart:
    """Show how plausible the believed values are, and what is decided about them."""
    numbers = to_numpy(subject.truths["plausibility"])
    counts = _decided(subject)
    total = plural(len(numbers), "verdict")
    part = share(counts[0], len(numbers))
    return Chart(
        "plausibility",
        f"{part.capitalize()} of {total} can be accepted; {plural(counts[1], 'is', 'are')} for "
        f"review, {counts[2]:,} undecided",
        "Each bar counts the believed values of a plausibility. Accepted are as many as keep the "
        "expected share of errors within the error rate; undecided are ties and what is less "
        "plausible than not.",
        f"Histogram of the plausibility of {total}, by decision: {counts[0]:,} accepted, "
        f"{counts[1]:,} for review, {counts[2]:,} undecided. The median plausibility is "
        f"{np.median(numbers):.2f}.",
        _histogram(subject, numbers),
        specification("distribution", title="plausibility of the believed value"),
    )


def margin(subject: Subject) -> Chart:
    """Show by how much the believed values lead."""
    numbers = to_numpy(subject.truths["margin"])
    close = int((numbers < 0.2).sum())
    total = plural(len(numbers), "verdict")
    part = share(close, len(numbers))
    return Chart(
        "margin",
        f"{plural(close, 'verdict leads', 'verdicts lead')} by less than 0.2 ({part} of {total})",
        "The margin is the plausibility of the believed value less that of the next one, or of its "
        "opposite: close calls stand on the left.",
        f"Histogram of the margin of {total}, by decision. {close:,} of them ({part}) lead by less "
        f"than 0.2; the median margin is {np.median(numbers):.2f}.",
        _histogram(subject, numbers),
        specification("distribution", title="margin to the next value"),
    )


def _decided(subject: Subject) -> list[int]:
    return [int(count) for count in np.bincount(_codes(subject), minlength=len(DECISIONS))]


def _codes(subject: Subject) -> npt.NDArray[np.int32]:
    """Return the place of each decision among all."""
    known = pa.array(DECISIONS, pa.string())
    return to_numpy(pc.index_in(subject.truths["decision"], value_set=known))


def _histogram(subject: Subject, numbers: Floats) -> list[dict[str, Any]]:
    """Count numbers from 0 to 1 in bins, by decision."""
    place = np.clip((numbers * BINS).astype(np.int64), 0, BINS - 1)
    counts = np.bincount(_codes(subject) * BINS + place, minlength=BINS * len(DECISIONS))
    there = np.flatnonzero(counts)
    order, cell = np.divmod(there, BINS)
    return records(
        low=cell / BINS,
        high=(cell + 1) / BINS,
        decision=[DECISIONS[code] for code in order.tolist()],
        verdicts=counts[there],
        order=order,
    )
