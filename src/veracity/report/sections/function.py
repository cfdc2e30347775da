"""The section on features: what makes a source reliable."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.report.advice import shown_notes
from veracity.report.chart import Chart
from veracity.report.parts import Section
from veracity.report.subject import Subject

#: The notes that are shown here.
SUBJECTS = ("features",)


def section(subject: Subject, charts: Sequence[Chart]) -> Section:
    """Return the section."""
    notes = shown_notes(subject.description["notes"], only=SUBJECTS)
    if charts:
        lead = (
            "What the model learned about reliability from what is known of a claim: it holds for "
            "sources never seen before, too."
        )
    elif notes:
        lead = "No feature is in use, so there is no function of features to show. Why:"
    else:
        lead = (
            f"{subject.model_name} judges sources by what they say alone. The default model "
            "learns how reliability depends on features, columns whose names begin with claim_ or "
            "source_, where these help."
        )
    title = "What makes a source reliable"
    return Section("function", title, lead, charts=charts, notes=notes)
