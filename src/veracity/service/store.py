"""RunStore: a run as pages and API see it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from veracity.data.output.tally import Tally
from veracity.data.output.write import REPORT_FILE as REPORT_FILE
from veracity.models.explanation import Explainer
from veracity.report.findings import Findings
from veracity.report.heat_map import HeatMap, heat_map
from veracity.service.audit import AuditDesk
from veracity.service.confusions import Confusions
from veracity.service.description import describe_run
from veracity.service.details import ItemDetails
from veracity.service.errors import ServiceError, not_found
from veracity.service.items import ItemIndex, ItemQuery
from veracity.service.labels import LabelIndex
from veracity.service.results import Results, read_results
from veracity.service.review import Review
from veracity.service.schemas import WhatIfRequest
from veracity.service.scores import Scorer
from veracity.service.settings import ServiceSettings
from veracity.service.sources import SourceIndex
from veracity.service.what_if import WhatIf
from veracity.workflow import SavedRun, open_run
from veracity.workflow.audits import Audit
from veracity.workflow.marks import MarkBook, MarksUnavailable

Progress = Callable[[str], None]

#: How far the model's answer for the run's own claims may be from the tables of the run.
SAME = 1e-6


class RunStore:
    """A saved run to look at, to question, to score with and to mark.

    Methods return plain data of the shapes in `schemas`.
    """

    def __init__(
        self,
        folder: Path,
        saved: SavedRun,
        results: Results,
        settings: ServiceSettings,
        writing: Lock | None = None,
    ) -> None:
        self.folder, self.saved = folder, saved
        self._report = str(folder / REPORT_FILE)
        self.index = ItemIndex(saved.claims.matrix, results)
        self.source_index = SourceIndex(self.index)
        explainer, why_not = _explainer(saved, results)
        self.details = ItemDetails(saved.claims, self.source_index, explainer, why_not)
        book = MarkBook(folder)
        self.review = Review(book, saved, self.index, writing or Lock())
        self.desk = AuditDesk(Audit(saved, book), self.review, self.index)
        self.labels = LabelIndex(saved, results, self.review)
        table = saved.confusions
        self.confusions = Confusions(None if table is None else table.to_arrow(), self.source_index)
        self.what_if_judge = WhatIf(saved, self.details)
        self.scorer = Scorer(saved, results, settings)
        self.tally = Tally.of(saved.truths)

    @classmethod
    def open(
        cls,
        folder: Path,
        settings: ServiceSettings,
        progress: Progress = lambda stage: None,
        *,
        home: Path | None = None,
        writing: Lock | None = None,
    ) -> RunStore:
        """Open the folder of a run; refuse a damaged one, saying what is wrong.

        `home` is where the folder will be when it is shown, if not where it is; `writing` is held
        while marks are written.
        """
        progress("reading claims and model")
        saved = open_run(folder)
        progress("reading results")
        results = read_results(saved)
        progress("preparing explanations")
        store = cls(home or folder, saved, results, settings, writing)
        for what, part in (("items", store.index), ("sources", store.source_index)):
            progress(f"sorting {what}")
            part.prepare()
        progress("preparing the audit")
        store.desk.prepare()
        progress("preparing claims")
        store.what_if_judge.prepare()
        return store

    # The run

    def run(self) -> dict[str, Any]:
        """Return the description of the run, and how far its review is."""
        explains = self.details.explainer is not None
        matrix = self.index.matrix
        counts = {
            "claims": matrix.n_claims,
            "sources": matrix.n_sources,
            "items": matrix.n_items,
            "statements": matrix.n_statements,
            **self.index.counts,
        }
        return describe_run(self.saved.description, counts, explains) | {
            "findings": self.findings().as_dict(),
            "marks": self.progress(),
            "report": self.has_report(),
        }

    def has_report(self) -> bool:
        """Whether the run has a report; each page asks."""
        return os.path.isfile(self._report)

    def findings(self) -> Findings:
        """Return the run in three sentences, with what its audits show by now."""
        description, model = self.saved.description, self.saved.model
        return Findings.of(
            description["counts"],
            self.tally,
            self.saved.sources,
            description["notes"],
            description.get("error_rate", model.error_rate),
            type(model).__name__,
            description.get("evaluation"),
            self.desk.audited(),
        )

    # Items

    def items(self, query: ItemQuery, limit: int = 50, offset: int = 0) -> dict[str, Any]:
        """Return a page of items."""
        self.review.refresh()
        found = self.index.find(query, self.review.marked)
        chosen = found[offset : offset + limit].tolist()
        rows = [self.index.row(item, self.review.mark_of(item)) for item in chosen]
        return {"items": rows, "total": len(found), "limit": limit, "offset": offset}

    def item(self, item: int) -> dict[str, Any]:
        """Return an item in full."""
        self._check_item(item)
        self.review.refresh()
        return self.details.answer(item, self.review.mark_of(item))

    def what_if(self, item: int, request: WhatIfRequest) -> dict[str, Any]:
        """Return an item as it would be judged after a change of its claims."""
        self._check_item(item)
        return self.what_if_judge.answer(item, request, self.review.mark_of(item))

    def _check_item(self, item: int) -> None:
        if not 0 <= item < len(self.index):
            raise not_found("item", item, len(self.index))

    # Sources

    def sources(
        self,
        q: str = "",
        sort: str = "reliability",
        order: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> dict[str, Any]:
        """Return a page of sources."""
        labels = self.labels.now()
        index = self.source_index
        found = index.find(q, sort, order, None if labels is None else labels.sort_keys)
        rows = [
            index.row(source) | {"labels": None if labels is None else labels.row(source)}
            for source in found[offset : offset + limit].tolist()
        ]
        return {
            "sources": rows,
            "total": len(found),
            "limit": limit,
            "offset": offset,
            "labels_from": None if labels is None else labels.origin,
        }

    def source(self, source: int, limit: int = 50, offset: int = 0) -> dict[str, Any]:
        """Return a source, a page of its claims, and sources that say much the same."""
        index = self.source_index
        if not 0 <= source < len(index):
            raise not_found("source", source, len(index))
        claims = index.claims_of(source)
        rows = [index.claim_row(claim) for claim in claims[offset : offset + limit].tolist()]
        labels = self.labels.now()
        name = index.names[source]
        return index.row(source) | {
            "labels": None if labels is None else labels.row(source),
            "labels_from": None if labels is None else labels.origin,
            "by_attribute": [] if labels is None else labels.attributes_of(name),
            "claims": rows,
            "total": len(claims),
            "limit": limit,
            "offset": offset,
            "clashes": self._clashes.get(name, []),
            "answers": self.confusions.of(source),
            "similar": index.similar(source),
        }

    @cached_property
    def _clashes(self) -> dict[str, list[dict[str, Any]]]:
        """The clashes of each source."""
        table, found = self.saved.clashes, dict[str, list[dict[str, Any]]]()
        for row in [] if table is None else table.to_pylist():
            found.setdefault(row.pop("source"), []).append(row)
        return found

    @cached_property
    def feature_names(self) -> list[str]:
        """The names of the feature columns."""
        return list(self.saved.claims.feature_types)

    @cached_property
    def heat_map(self) -> HeatMap | None:
        """How sources do on attributes; None with fewer than two of either."""
        return heat_map(self.index.matrix, self.index.results.plausibility, self.saved.clashes)

    # Marks

    def progress(self) -> dict[str, Any]:
        """Return how far the review is, and how the run does on the marks."""
        return self.review.progress()

    def marks_answer(self, limit: int = 50, offset: int = 0) -> dict[str, Any]:
        """Return a page of marks, the latest first."""
        rows = self.review.rows()
        return {
            "marks": rows[offset : offset + limit],
            "total": len(rows),
            "limit": limit,
            "offset": offset,
            "progress": self.progress(),
        }

    def set_mark(self, item: int, values: Sequence[str]) -> dict[str, Any]:
        """Mark the true value of an item, or several; on disk when this returns."""
        self._check_item(item)
        with _as_unavailable():
            return self.review.put(item, values)

    def delete_mark(self, item: int) -> None:
        """Take the mark of an item away."""
        self._check_item(item)
        with _as_unavailable():
            gone = self.review.remove(item)
        if not gone:
            raise ServiceError(404, "not_found", f"Item {item} has no mark.")

    # The audit

    def audit(self) -> dict[str, Any]:
        """Return how far the audit is, what it carries, and which item comes next."""
        return self.desk.answer()

    def draw_audit(self, size: int) -> dict[str, Any]:
        """Draw items for the audit, or more of them."""
        with _as_unavailable():
            self.desk.draw(size)
        return self.desk.answer()

    def skip(self, item: int) -> dict[str, Any]:
        """Note that nobody can tell what is true of an item."""
        self._check_item(item)
        with _as_unavailable():
            self.review.skip(item)
        return self.desk.answer()

    def undo_audit(self) -> dict[str, Any]:
        """Take back the last mark or skip of the audit."""
        with _as_unavailable():
            undone = self.desk.undo()
        if undone is None:
            raise ServiceError(404, "not_found", "No item of the audit is marked or skipped yet.")
        return self.desk.answer()

    def repairs(self, limit: int, after: int | None = None) -> list[dict[str, Any]]:
        """Return unmarked items, first those most likely wrong; `after` goes on there."""
        return [self.index.row(item, None) for item in self.desk.repairs(limit, after)]


def _explainer(saved: SavedRun, results: Results) -> tuple[Explainer | None, str | None]:
    """Return what takes the verdicts of a run apart, or why nothing can."""
    model: Any = saved.model
    if not hasattr(model, "explainer"):
        name = type(model).__name__
        return None, (
            f"{name} cannot explain its verdicts. The models grbm, grbm-paper and rbm can."
        )
    explainer: Explainer = model.fit_explainer(saved.claims)
    unknown = ~results.known[saved.claims.matrix.item_of_statement]
    away = np.abs(explainer.plausibility - results.plausibility)[unknown]
    if away.max(initial=0.0) > SAME:
        return None, (
            "The model gives other plausibilities than the run's tables, by up to "
            f"{away.max():.2g}; they may come from another version of veracity. Make the run again."
        )
    return explainer, None


@contextmanager
def _as_unavailable() -> Iterator[None]:
    """Answer 503 where marks cannot be kept."""
    try:
        yield
    except MarksUnavailable as error:
        raise ServiceError(503, "marks_unavailable", str(error)) from error
