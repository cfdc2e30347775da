"""Judges that agree more than their skill explains, by all questions that they share.

The default model looks for copying on contested items alone, since most claims on the web are about
items that nobody contests. Judges are few and answer most questions, so that all questions can be
counted: pairs stand out more clearly there, larger families on contested questions. A pair that is
found in one of the two ways counts. See `veracity.models.dependence`.
"""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import take_labels
from veracity.data.output.tables import Table
from veracity.models.dependence import dependence_of, dependence_table
from veracity.workflow.jury.agreement import MISSING
from veracity.workflow.jury.panel import Panel


def related_pairs(panel: Panel, contested: Table) -> Table:
    """Return the pairs of judges that agree more than their agreement with others explains.

    Parameters
    ----------
    panel
        The verdicts.
    contested
        The pairs that the model found on contested questions.
    """
    said = panel.said()
    agree = _together(said)
    spoken = (said != MISSING).astype(np.float64)
    shared = spoken @ spoken.T
    counts = {"agree": agree, "shared": shared, "chance": shared * _by_habit(said)}
    found = dependence_of(counts, np.arange(len(panel.judges)))
    by_all = found.table(take_labels(panel.matrix.sources, np.arange(len(panel.judges))))
    rows = by_all.to_pylist()
    known = {frozenset((row["source"], row["other"])) for row in rows}
    rows += [
        row
        for row in contested.to_pylist()
        if frozenset((row["source"], row["other"])) not in known
    ]
    return dependence_table(rows)


def _together(said: Indices) -> Floats:
    """Count the items on which judges say the same; (n_judges, n_judges)."""
    return np.array([((said == own) & (own != MISSING)).sum(axis=1) for own in said], np.float64)


def _by_habit(said: Indices) -> Floats:
    """Return how often two judges would agree if each gave its verdicts at random."""
    n_verdicts = int(said.max(initial=MISSING)) + 1
    counts = [np.bincount(own[own != MISSING], minlength=n_verdicts) for own in said]
    shares = np.stack(counts) / np.maximum((said != MISSING).sum(axis=1), 1)[:, None]
    return np.asarray(shares @ shares.T)
