"""The section on training: how the fit went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from veracity.report.advice import shown_notes
from veracity.report.chart import Chart
from veracity.report.parts import Fact, Section, cell
from veracity.report.subject import Subject

#: The notes that are shown here.
SUBJECTS = ("orientation",)


def section(subject: Subject, charts: Sequence[Chart]) -> Section:
    """Return the section."""
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
        else f"{subject.model_name} does not iterate: its answer is worked out at once."
    )
    notes = shown_notes(subject.description["notes"], only=SUBJECTS)
    return Section("training", "Training", lead, facts=facts, charts=charts, notes=notes)
