"""Notes on numbers: the scale, stuck sources, and what the intervals are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from veracity.data.notes import Note, plural
from veracity.errors import listing
from veracity.models.forms.number.calibration import Calibration
from veracity.models.forms.number.interval import LEAST_LABELS
from veracity.models.forms.number.parameters import NumberParameters


def notes_on(
    attributes: Sequence[str],
    learned: NumberParameters,
    calibration: Calibration,
    sources: Sequence[str],
) -> list[Note]:
    """Say what a user should know about a fit to numbers."""
    notes = []
    for place, name in enumerate(attributes):
        if not learned.n_claims[place]:
            continue
        notes.append(_scale_note(name, bool(learned.is_log[place])))
        notes.append(_interval_note(name, calibration, place))
        if learned.split[place]:
            notes.append(_camps_note(name))
        stuck = np.flatnonzero(learned.table(learned.trust)[place, :-1] < 1)
        if len(stuck):
            names = listing((repr(sources[one]) for one in stuck.tolist()), 5)
            text = (
                f"The claims of {plural(len(stuck), 'source')} about {name!r} do not follow the "
                f"truth from item to item, and hardly count: {names}."
            )
            notes.append(Note("sources", text, len(stuck)))
    return notes


def _camps_note(name: str) -> Note:
    text = (
        f"The sources of {name!r} fall into camps whose numbers differ throughout, as if they "
        "meant different things. Claims do not show which is right, so the median of all is "
        f"believed. Give the truth of {LEAST_LABELS} items or more to tell them apart."
    )
    return Note("sources", text)


def _scale_note(name: str, is_log: bool) -> Note:
    text = f"{name!r} is judged as a number; errors are "
    if is_log:
        text += "a share of the truth (logarithms fit the claims better)."
    else:
        text += "of one size for large and small numbers."
    return Note("scale", text)


def _interval_note(name: str, calibration: Calibration, place: int) -> Note:
    n_labels = int(calibration.n_labels[place])
    if not np.isnan(calibration.wider[place]):
        text = (
            f"The 90 % intervals of {name!r} are calibrated by {plural(n_labels, 'label')}: in "
            "nine of ten labelled items, the truth lay within."
        )
        return Note("intervals", text)
    text = (
        f"The intervals of {name!r} are the spread of the sources: claims do not show an error "
        f"that all sources share. Give the truth of {LEAST_LABELS} items or more, better 20, to "
        "calibrate them."
    )
    return Note("intervals", text)
