"""The audit as pages and API see it: the next item, progress, and what the marks carry."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np

from veracity.data.arrays import Indices
from veracity.evaluation.guarantee import MODEST, Guarantee, Limit
from veracity.report.chart import Chart
from veracity.report.charts.accepted import accepted_by_audits
from veracity.report.findings import Audited
from veracity.service.items import ItemIndex
from veracity.service.review import Review
from veracity.workflow.acceptance import audited_by
from veracity.workflow.audits import Audit
from veracity.workflow.marks import Labels, MarksUnavailable
from veracity.workflow.promises import progress_sentence, state_sentences
from veracity.workflow.repairs import repair_order

#: The error rates and confidences that are shown, that which is reached first first.
LIMITS = (MODEST, Limit())
#: How many audits there must be for a chart of what they carry.
LEAST_FOR_CHART = 20


class AuditDesk:
    """The audit and the repairs of a run; figures are worked out once for each change of marks."""

    def __init__(self, audit: Audit, review: Review, index: ItemIndex) -> None:
        self._audit, self._review, self._index = audit, review, index
        self._lock = Lock()
        self._answer: tuple[object, dict[str, Any]] | None = None
        self._chart: tuple[object, Chart | None] | None = None
        self._audited: tuple[object, Audited | None] | None = None

    def prepare(self) -> None:
        """Do the work that the first requests would wait for."""
        self._audit.ranking, self._audit.kept, self._repair_order  # noqa: B018
        self.answer()

    # The audit

    def answer(self) -> dict[str, Any]:
        """Return how far the audit is, what it carries, and which item comes next."""
        version = self._review.refresh()
        with self._lock:
            if self._answer is None or self._answer[0] != version:
                self._answer = version, self._worked_out()
            return self._answer[1] | {"writable": self._review.progress()["writable"]}

    def audited(self) -> Audited | None:
        """Return what the audits show at the error rate of the run, None if there are none."""
        version = self._review.refresh()
        with self._lock:
            if self._audited is None or self._audited[0] != version:
                self._audited = version, audited_by(self._audit)
            return self._audited[1]

    def draw(self, size: int) -> None:
        """Draw the first items of the random order; what is drawn already stays so."""
        with self._review.writing():
            self._audit.draw(size)

    def undo(self) -> Labels | None:
        """Take back the last mark or skip of a drawn item; return the item, None if there is none.

        What is taken back is open again.
        """
        with self._review.writing() as book:
            last = self._audit.last_answered()
            if last is not None:
                book.remove(*last)
            return last

    def chart(self) -> Chart | None:
        """Return the accepted share by the number of audits, None if these are too few."""
        version = self._review.refresh()
        with self._lock:
            if self._chart is None or self._chart[0] != version:
                self._chart = version, self._drawn()
            return self._chart[1]

    def _worked_out(self) -> dict[str, Any]:
        try:
            state = self._audit.state()
            found = [self._audit.guarantee(limit) for limit in LIMITS] if state.n_drawn else []
        except MarksUnavailable:
            return _nothing(int(self._audit.judged.sum()))
        after = None if state.next is None else asdict(state.next)
        return asdict(state) | {
            "n_open": state.n_open,
            "next": after,
            "limits": [_limit(one) for one in found],
            "sentence": progress_sentence(state, found),
            "cautions": state_sentences(state),
        }

    def _drawn(self) -> Chart | None:
        try:
            if self._audit.state().n_counted < LEAST_FOR_CHART:
                return None
            found = [one for limit in LIMITS for one in self._audit.growth(limit)]
        except MarksUnavailable:
            return None
        return accepted_by_audits(found)

    # Repairs

    def repairs(self, limit: int, after: int | None = None) -> list[int]:
        """Return unmarked items, first those most likely wrong; `after` goes on there."""
        order = self._repair_order
        if after is not None and 0 <= after < len(order):
            order = np.roll(order, -1 - int(np.flatnonzero(order == after)[0]))
        self._review.refresh()
        waiting = (item for item in map(int, order) if not self._review.is_answered(item))
        return list(islice(waiting, limit))

    @cached_property
    def _repair_order(self) -> Indices:
        return repair_order(self._audit, np.ones(self._audit.matrix.n_items))


def _limit(found: Guarantee) -> dict[str, Any]:
    return {
        "error_rate": found.limit.error_rate,
        "confidence": found.limit.confidence,
        "n_accepted": found.n_listed,
        "share": found.share,
        "n_more": found.n_more,
    }


def _nothing(n_items: int) -> dict[str, Any]:
    """Return the answer where marks cannot be read."""
    counts = ("n_drawn", "n_marked", "n_skipped", "n_wrong", "n_counted", "n_new", "n_open")
    return {
        "seed": None,
        "n_items": n_items,
        **dict.fromkeys(counts, 0),
        "next": None,
        "limits": [],
        "sentence": "The marks cannot be read.",
        "cautions": [],
    }
