"""Sources on labels: the known truth of the run or, where it was given none, the marks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow
from veracity.data.output.tables import Table
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.known import KnownTruth, label_codes
from veracity.models.labelled_claims import LabelledClaims
from veracity.models.labelled_sources import (
    EXPECTED,
    FLAG,
    LABELLED_COLUMNS,
    PREFIX,
    RATE,
    RIGHT,
    WRONG,
    sources_by_attribute,
    with_labelled,
)
from veracity.service.results import Results
from veracity.service.review import Review
from veracity.workflow import SavedRun

KNOWN_TRUTH, MARKS = "known truth", "marks"


@dataclass(frozen=True, eq=False)
class SourcesOnLabels:
    """Sources on labels, in the order of the claim matrix.

    Attributes
    ----------
    origin
        Where the labels come from: `KNOWN_TRUTH` or `MARKS`.
    sources
        The columns of `LABELLED_COLUMNS`; one row a source.
    by_attribute
        As in ``sources_by_attribute``.
    """

    origin: str
    sources: pa.Table
    by_attribute: pa.Table

    def row(self, source: int) -> dict[str, Any] | None:
        """Return how a source does on labels, or None if it speaks about none."""
        row = self.sources.slice(source, 1).to_pylist()[0]
        counts = {name.removeprefix(PREFIX): value for name, value in row.items()}
        return counts if counts[RIGHT] + counts[WRONG] else None

    def attributes_of(self, name: str) -> list[dict[str, Any]]:
        """Return how a source does on labels, attribute by attribute."""
        first, last = self._rows_of.get(name, (0, 0))
        rows: list[dict[str, Any]] = self.by_attribute.slice(first, last - first).to_pylist()
        return [{key: value for key, value in row.items() if key != "source"} for row in rows]

    @cached_property
    def _rows_of(self) -> dict[str, tuple[int, int]]:
        """Where the rows of each source begin and end; they are sorted by source."""
        found: dict[str, tuple[int, int]] = {}
        for place, name in enumerate(self.by_attribute["source"].to_pylist()):
            found[name] = found.get(name, (place, place))[0], place + 1
        return found

    @cached_property
    def sort_keys(self) -> dict[str, Floats]:
        """Numbers to sort sources by, NaN for those without labels."""
        rate, expected = (self._numbers(name) for name in (RATE, EXPECTED))
        n = self._numbers(RIGHT) + self._numbers(WRONG)
        flagged = np.array([bool(flag) for flag in self.sources[FLAG].to_pylist()])
        return {
            "labels": np.where(n > 0, n, np.nan),
            "labelled_rate": rate,
            "disagrees": np.abs(rate - expected) + 1.0 * flagged,  # flagged ones first
        }

    def _numbers(self, name: str) -> Floats:
        return np.array(self.sources[f"{PREFIX}{name}"].to_pylist(), np.float64)


class LabelIndex:
    """What labels say about the sources of a run; marks are counted again when they change."""

    def __init__(self, saved: SavedRun, results: Results, review: Review) -> None:
        self._claims, self._results, self._review = saved.claims, results, review
        self._by_truth = _by_known_truth(saved)
        self._has_truth = saved.known_truth is not None
        self._by_marks: tuple[object, SourcesOnLabels | None] | None = None

    def now(self) -> SourcesOnLabels | None:
        """Return the sources on labels, or None if no source speaks about any."""
        if self._has_truth:
            return self._by_truth
        version, items = self._review.marked()
        if self._by_marks is None or self._by_marks[0] != version:
            self._by_marks = version, self._counted() if len(items) else None
        return self._by_marks[1]

    def _counted(self) -> SourcesOnLabels | None:
        """Count the claims about marked items, of which the run knew nothing."""
        claims = self._claims
        known = KnownTruth.of(GroundTruth(self._review.table(), has_attribute=True), claims)
        matrix = claims.matrix
        found = LabelledClaims.of(matrix, known, self._results.plausibility)
        if not len(found):
            return None
        names = matrix.attributes.to_pylist()
        sources = with_labelled(Table("sources", pa.table({"source": matrix.sources})), found)
        by_attribute = sources_by_attribute(found, matrix.sources, names)
        return SourcesOnLabels(
            MARKS, sources.to_arrow().select(LABELLED_COLUMNS), by_attribute.to_arrow()
        )


def _by_known_truth(saved: SavedRun) -> SourcesOnLabels | None:
    """Read from the tables of the run how its sources do on its known truth."""
    by_attribute, sources = saved.sources_by_attribute, saved.sources.to_arrow()
    if by_attribute is None or not set(LABELLED_COLUMNS) <= set(sources.column_names):
        return None
    names = pa.chunked_array([saved.claims.matrix.sources])
    row = label_codes(names, sources["source"].combine_chunks())
    labelled = sources.select(LABELLED_COLUMNS).take(to_arrow(row))
    return SourcesOnLabels(KNOWN_TRUTH, labelled, by_attribute.to_arrow())
