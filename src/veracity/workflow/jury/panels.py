"""Panels of fewer judges: what is lost without one of them, and which are enough.

A panel is fitted anew without the judges that are left out. How good its verdicts are is judged by
the plausibilities of all judges together, so a panel that changes no verdict loses nothing, and
one that changes some loses the difference in plausibility between the two verdicts. This is an
expectation by the model, no measurement: where all judges err together, it does not show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.workflow.jury.beliefs import Beliefs
from veracity.workflow.jury.confidence import share_right
from veracity.workflow.jury.panel import Panel
from veracity.workflow.jury.preference import MIN_VERDICTS, REACH

#: The loss of one changed verdict that is added to those seen: what has not happened among few
#: questions may still happen.
UNSEEN = 0.5
#: A judge is hardly better than chance if it surely gets no more of the way to being always right.
HARDLY = 0.15


@dataclass(frozen=True)
class Loss:
    """What is expected to be lost without some judges.

    Attributes
    ----------
    n_changed
        Verdicts that become others.
    expected, high
        The expected loss of accuracy, and a bound that it exceeds in one of twenty cases.
    is_chance
        Whether the verdicts of the judge that is left out are hardly better than chance. Then
        nothing is lost, though the model may expect it: a source is never worse than chance to it.
    """

    n_changed: int
    expected: float
    high: float
    is_chance: bool = False

    def is_within(self, tolerance: float) -> bool:
        """Whether so much or nothing is lost."""
        return self.is_chance or self.high <= tolerance


@dataclass(frozen=True)
class SmallerPanel:
    """A panel of the best judges, and what its verdicts are expected to be worth."""

    judges: tuple[str, ...]
    expected_accuracy: float
    loss: Loss


def loss_without(full: Beliefs, part: Beliefs, counted: Mask) -> Loss:
    """Return what is lost if only some judges are heard.

    Parameters
    ----------
    full, part
        What all judges, and some of them, are found to say.
    counted
        Marks the items that count: those whose truth is not known anyway; (n_items,).
    """
    lost = losses(full, part)[counted]
    changed = int((full.verdict != part.verdict)[counted].sum())
    if not len(lost):
        return Loss(0, 0.0, 1.0)
    with_unseen = np.append(lost, UNSEEN)
    error = float(with_unseen.std(ddof=1)) / np.sqrt(len(with_unseen))
    return Loss(changed, float(lost.mean()), float(with_unseen.mean()) + REACH * error)


def hardly_better_than_chance(panel: Panel, judge: str, beliefs: Beliefs) -> bool:
    """Whether a judge, by what is believed without it, is surely little better than guessing."""
    own = (panel.judge == panel.judges.index(judge)) & beliefs.heard[panel.item]
    if own.sum() < MIN_VERDICTS:
        return False
    others = beliefs.plausibility[panel.statement[own]]
    size = panel.matrix.domain_size[panel.item[own]].astype(np.float64)
    high = share_right(others, (1.0 - others) / (size - 1.0))[2]
    chance = float((1.0 / size).mean())
    return high <= chance + HARDLY * (1.0 - chance)


def losses(full: Beliefs, part: Beliefs) -> Floats:
    """Return how much less plausible the verdict of a part is, by all judges; (n_items,)."""
    best = full.plausibility[full.verdict]
    other = np.where(part.verdict >= 0, full.plausibility[part.verdict], 0.0)
    return np.asarray(best - other)


def smaller_panels(
    judges: Sequence[str],
    full: Beliefs,
    without: Mapping[str, Beliefs],
    fit: Callable[[frozenset[str]], Beliefs],
    counted: Mask,
) -> list[SmallerPanel]:
    """Drop one judge after the other, always the one whose loss is least; the largest panel first.

    A loss that was worked out for a larger panel is taken to be about right until its judge would
    be next, and then worked out anew.
    """
    panel = frozenset(judges)
    found = [_panel(panel, full, full, counted)]
    queue = [
        (loss_without(full, beliefs, counted).expected, judge, len(panel))
        for judge, beliefs in without.items()
    ]
    heapify(queue)
    while len(panel) > 1 and queue:
        _, judge, size = heappop(queue)
        left = panel - {judge}
        beliefs = fit(left)
        if size == len(panel):
            panel = left
            found.append(_panel(panel, full, beliefs, counted))
        else:
            heappush(queue, (loss_without(full, beliefs, counted).expected, judge, len(panel)))
    return found


def _panel(panel: frozenset[str], full: Beliefs, part: Beliefs, counted: Mask) -> SmallerPanel:
    loss = loss_without(full, part, counted)
    best = full.plausibility[full.verdict][counted]
    accuracy = float(best.mean()) - loss.expected if len(best) else float("nan")
    return SmallerPanel(tuple(sorted(panel)), accuracy, loss)
