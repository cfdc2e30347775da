"""The review: marks beside the items of a run, its progress, and what they say about the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from veracity.workflow.marks import Labels, Mark, MarkBook, MarksUnavailable, marks_table


class Review:
    """Marks and skips, by item of the run; read from disk again whenever they have changed there.

    `writing` is held while something is written.
    """

    def __init__(self, book: MarkBook, saved: SavedRun, index: ItemIndex, writing: Lock) -> None:
        self._book, self._claims, self._index = book, saved.claims, index
        self._writing = writing
        self._version: tuple[int, int] | None = None
        self._stamp: tuple[object, ...] | None = None
        self._evaluated: tuple[object, dict[str, Any] | None] | None = None
        self._marks: dict[Labels, Mark] = {}
        self._of_item: dict[int, tuple[str, ...]] = {}
        self._places: dict[Labels, int | None] = {}
        self._skipped: set[int] = set()
        self.why_not: str | None = None
        self.refresh()

    def refresh(self) -> tuple[int, int]:
        """Read the marks again if they have changed; return a number that changes with them."""
        try:
            stamp = self._book.stamp()
            if self._version is not None and stamp is not None and stamp == self._stamp:
                return self._version
            version = self._book.version()
            if version != self._version:
                marks, skips = self._book.read(), list(self._book.skipped())
                self._marks = {(mark.entity, mark.attribute): mark for mark in reversed(marks)}
                self._of_item = self._by_item({key: m.values for key, m in self._marks.items()})
                self._skipped = set(self._by_item(dict.fromkeys(skips, ())))
                self._version, self.why_not = version, None
            self._stamp = stamp
        except MarksUnavailable as error:
            self.why_not = str(error)
        return self._version or (0, 0)

    def _by_item(self, values: dict[Labels, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
        """Return values by the number of their item, of the items that this run has."""
        for key in values:
            if key not in self._places:
                self._places[key] = self._index.find_item(*key)
        found = ((self._places[key], given) for key, given in values.items())
        return {item: given for item, given in found if item is not None}

    def mark_of(self, item: int) -> list[str] | None:
        """Return the values marked as true, or None."""
        return list(self._of_item[item]) if item in self._of_item else None

    def is_skipped(self, item: int) -> bool:
        """Whether somebody said that nobody can tell."""
        return item in self._skipped

    def is_writable(self) -> bool:
        """Whether marks can be kept, as far as can be seen."""
        return self.why_not is None and self._book.is_writable()

    def is_answered(self, item: int) -> bool:
        """Whether an item is marked or skipped."""
        return item in self._of_item or item in self._skipped

    def marked(self) -> tuple[object, Places]:
        """Return what changes with the marks, and the items that have one."""
        version = self.refresh()
        return version, np.fromiter(list(self._of_item), np.int32)

    def put(self, item: int, values: Sequence[str]) -> dict[str, Any]:
        """Mark values, in the spelling of the claims where they are theirs.

        Several are refused where only one can be true.
        """
        written = spelled(self._claims, item, values)
        self._check_count(item, len(written))
        with self.writing() as book:
            mark = book.put(*self._labels(item), written)
        return {"item": item, **asdict(mark)}

    def skip(self, item: int) -> None:
        """Note that nobody can tell; a mark is taken away."""
        with self.writing() as book:
            book.skip(*self._labels(item))

    def remove(self, item: int) -> bool:
        """Take a mark or skip away; say whether there was one."""
        with self.writing() as book:
            return book.remove(*self._labels(item))

    @contextmanager
    def writing(self) -> Iterator[MarkBook]:
        """Give the marks to write to, while the folder of the run stays where it is."""
        with self._writing:
            yield self._book
        self.refresh()

    def _labels(self, item: int) -> Labels:
        return self._index.entity(item), self._index.attribute(item)

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
        self.refresh()
        return list(reversed(self._marks.values()))

    def rows(self) -> list[dict[str, Any]]:
        """Return all marks as plain data, the latest first."""
        return [
            {"item": self._places[mark.entity, mark.attribute], **asdict(mark)}
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
            "n_skipped": len(self._skipped),
            "n_items": len(items),
            "n_undecided_left": left["undecided"],
            "n_review_left": left["review"],
            "writable": self.is_writable(),
            "evaluation": self._evaluated[1],
        }

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
