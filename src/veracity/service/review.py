"""The review: marks beside the items of a run, its progress, and what they say about the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.output.tables import Table
from veracity.data.shares import WIDTH_95, wilson
from veracity.data.truth.answers import spelled
from veracity.data.truth.ground_truth import GroundTruth
from veracity.evaluation.metrics import assess
from veracity.service.errors import ServiceError
from veracity.service.items import ItemIndex, Places
from veracity.service.results import DECISIONS
from veracity.workflow import SavedRun
from veracity.workflow.marks import Mark, MarkBook, MarksUnavailable, marks_table


class Review:
    """Marks, by item of the run; read from disk once and kept in step with what is written."""

    def __init__(self, book: MarkBook, saved: SavedRun, index: ItemIndex) -> None:
        self._book, self._claims, self._index = book, saved.claims, index
        self._version = 0
        self._lock = Lock()
        self._evaluated: tuple[int, dict[str, Any] | None] | None = None
        self.why_not: str | None = None
        try:
            marks = book.read()
        except MarksUnavailable as error:
            marks, self.why_not = [], str(error)
        self._marks = {(mark.entity, mark.attribute): mark for mark in reversed(marks)}
        self._of_item: dict[int, tuple[str, ...]] = {}
        for mark in self._marks.values():
            item = index.find_item(mark.entity, mark.attribute)
            if item is not None:
                self._of_item[item] = mark.values

    def mark_of(self, item: int) -> list[str] | None:
        """Return the values marked as true, or None."""
        return list(self._of_item[item]) if item in self._of_item else None

    def marked(self) -> tuple[int, Places]:
        """Return a number that changes with the marks, and the items that have one."""
        items = np.fromiter(list(self._of_item), np.int32)
        return self._version, items

    def put(self, item: int, values: Sequence[str]) -> dict[str, Any]:
        """Mark values, in the spelling of the claims where they are theirs.

        Several are refused where only one can be true.
        """
        index = self._index
        written = spelled(self._claims, item, values)
        self._check_count(item, len(written))
        with self._lock:  # what is remembered is what was written last
            mark = self._book.put(index.entity(item), index.attribute(item), written)
            self._marks.pop((mark.entity, mark.attribute), None)
            self._marks[mark.entity, mark.attribute] = mark
            self._of_item[item] = mark.values
            self._version += 1
        return {"item": item, **asdict(mark)}

    def remove(self, item: int) -> bool:
        """Take a mark away; say whether there was one."""
        key = self._index.entity(item), self._index.attribute(item)
        with self._lock:
            gone = self._book.remove(*key)
            self._marks.pop(key, None)
            self._of_item.pop(item, None)
            self._version += 1
        return gone

    def _check_count(self, item: int, count: int) -> None:
        if count > 1 and self._index.kind(item) != "multiple":
            name = self._index.attribute(item)
            raise ServiceError(
                422,
                "invalid_request",
                f"{count} values came, but {name!r} has one true value. Mark one of them.",
            )

    # What is shown

    def all_marks(self) -> list[Mark]:
        """Return all marks, the latest first."""
        return list(reversed(self._marks.values()))

    def rows(self) -> list[dict[str, Any]]:
        """Return all marks as plain data, the latest first."""
        return [
            {"item": self._index.find_item(mark.entity, mark.attribute), **asdict(mark)}
            for mark in self.all_marks()
        ]

    def table(self) -> pa.Table:
        """Return the marks as a truth table."""
        return marks_table(self.all_marks())

    def progress(self) -> dict[str, Any]:
        """Return how far the review is, and how the run does on the marks."""
        version, items = self.marked()
        left = dict(self._index.counts)
        done = np.bincount(self._index.results.decision[items], minlength=len(DECISIONS))
        for word, count in zip(DECISIONS, done.tolist(), strict=True):
            left[word] -= count
        if self._evaluated is None or self._evaluated[0] != version:
            self._evaluated = version, self._evaluation(items.tolist())
        return {
            "n_marks": len(self._marks),
            "n_items": len(items),
            "n_undecided_left": left["undecided"],
            "n_review_left": left["review"],
            "writable": self.why_not is None and self._book.is_writable(),
            "evaluation": self._evaluated[1],
        }

    def worth_marking(self, limit: int, after: int | None = None) -> list[int]:
        """Return items without a mark, first those where one tells most; `after` goes on there."""
        order = self._index.by_worth
        if after is not None and 0 <= after < len(order):
            order = np.roll(order, -1 - int(np.flatnonzero(order == after)[0]))
        candidates = order[: limit + len(self._of_item)].tolist()
        return [item for item in candidates if item not in self._of_item][:limit]

    def _evaluation(self, items: Sequence[int]) -> dict[str, Any] | None:
        """Measure the run, and the vote, on the marked items."""
        if not items:
            return None
        index = self._index
        believed, voted = [], []
        for item in items:
            key = index.entity(item), index.attribute(item)
            plausibility = float(index.results.item_plausibility[item])
            believed.append((*key, index.believed[item], plausibility))
            believed += [(*key, word, 0.5) for word in index.further_values(item)]
            voted.append((*key, index.vote_value(item), float(index.vote_share[item])))
        truth = GroundTruth(marks_table(self._marked_here(items)), has_attribute=True)
        return {"model": self._accuracy(believed, truth), "vote": self._accuracy(voted, truth)}

    def _marked_here(self, items: Sequence[int]) -> list[Mark]:
        index = self._index
        return [self._marks[index.entity(item), index.attribute(item)] for item in items]

    def _accuracy(
        self, rows: list[tuple[str, str, str, float]], truth: GroundTruth
    ) -> dict[str, Any]:
        names = ("entity", "attribute", "value", "plausibility")
        table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
        found, _ = assess(Table("truths", table), truth, self._claims)
        low, high = wilson(found.n_right, found.n_items, WIDTH_95)
        return {
            "n_right": found.n_right,
            "n_items": found.n_items,
            "accuracy": found.accuracy,
            "low": float(low),
            "high": float(high),
        }
