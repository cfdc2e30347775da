"""The section on decisions: what to accept, to review, and what stays undecided."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from veracity.data.buffers import to_numpy
from veracity.data.output.decisions import ACCEPT, REVIEW, UNDECIDED
from veracity.report.chart import Chart
from veracity.report.parts import Fact, Section, cell
from veracity.report.subject import Subject


def section(subject: Subject, charts: Sequence[Chart]) -> Section:
    """Return the section."""
    words = subject.truths["decision"]
    decided = {
        word: int(pc.sum(pc.equal(words, word)).as_py() or 0)
        for word in (ACCEPT, REVIEW, UNDECIDED)
    }
    plausibility = to_numpy(subject.truths["plausibility"])
    accepted = np.array(pc.equal(words, ACCEPT).to_pylist(), np.bool_)
    expected = float((1.0 - plausibility[accepted]).sum())
    rate = subject.description.get("error_rate", subject.model.error_rate)
    return Section(
        "decisions",
        "What to accept",
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
    )
