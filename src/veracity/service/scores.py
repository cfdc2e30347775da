"""Scoring: new claims, judged by the model of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.output.tables import Table
from veracity.data.output.write import escape_formulas, table_bytes
from veracity.data.read.formats import locate
from veracity.data.read.scratch import Scratch
from veracity.data.read.tables import FileOptions, open_location
from veracity.data.read.workbench import Workbench
from veracity.data.truth.known import label_codes
from veracity.errors import VeracityError
from veracity.models.explanation import Explanation
from veracity.models.source_rates import rates_given_plausibility
from veracity.service.errors import ServiceError
from veracity.service.results import RATES, Results
from veracity.service.settings import ServiceSettings
from veracity.workflow import SavedRun
from veracity.workflow.scoring import Scored

#: How a file of claims is called in errors.
UPLOADED = "claims.csv"
#: So many columns of claims to be scored are read.
MOST_COLUMNS = 1_000


class Answered:
    """The answer to new claims: tables, notes, and how many claims of the run were combined."""

    def __init__(self, scored: Scored, sources: Table) -> None:
        self.scored, self.claims = scored, scored.claims
        tables = {"truths": scored.truths, "statements": scored.statements, "sources": sources}
        self.tables: dict[str, Table] = tables
        self.notes = [note.text for note in scored.notes]
        self.explanations: list[dict[str, Any]] = []

    def as_dict(self) -> dict[str, Any]:
        """Return all tables as rows."""
        rows = {name: table.to_pylist() for name, table in self.tables.items()}
        counts = {"combined": self.scored.n_combined, "replaced": self.scored.n_replaced}
        return rows | counts | {"explanations": self.explanations, "notes": self.notes}

    def csv(self, name: str) -> bytes:
        """Return a table as CSV, cells that a spreadsheet would run made harmless."""
        return table_bytes(escape_formulas(self.tables[name].to_arrow()), "csv")


class Scorer:
    """Scores claims by the model of a run."""

    def __init__(self, saved: SavedRun, results: Results, settings: ServiceSettings) -> None:
        self._saved, self._settings = saved, settings
        self._known_sources, self._known_rates = saved.claims.matrix.sources, results.rates

    def of_records(
        self, records: Sequence[Mapping[str, Any]], explain: bool = False, alone: bool = False
    ) -> Answered:
        """Score claims given as records."""
        self._check_count(len(records))
        _check_columns(len({name for record in records for name in record}))
        return self._scored(table_of(records), explain, alone)

    def of_csv(self, content: bytes, explain: bool = False, alone: bool = False) -> Answered:
        """Score claims given as CSV."""
        with Scratch() as place:
            path = place / UPLOADED
            path.write_bytes(content)
            try:
                table = _read_csv(path)
            except VeracityError as error:
                raise _invalid(str(error).replace(str(path), UPLOADED)) from error
        self._check_count(table.num_rows)
        return self._scored(table, explain, alone)

    def _check_count(self, count: int) -> None:
        if count > self._settings.max_claims:
            raise ServiceError(
                413,
                "too_many_claims",
                f"{count:,} claims came; at most {self._settings.max_claims:,} are scored at once. "
                "Send them in parts, or use `veracity score` on the command line.",
            )

    def _scored(self, table: pa.Table, explain: bool, alone: bool) -> Answered:
        model = self._saved.model.copied()
        try:
            scored = self._saved.scoring.score(table, alone=alone, model=model)
            answered = Answered(scored, self._sources(model, scored))
        except VeracityError as error:
            raise _invalid(str(error)) from error
        if explain:
            self._explain(model, answered)
        return answered

    def _sources(self, model: Any, scored: Scored) -> Table:
        """Return how reliable the sources of new claims are: as in the run, where it knows them.

        A few new claims say less about a source than all those that the run has of it.
        """
        matrix = scored.claims.matrix
        place = label_codes(pa.chunked_array([matrix.sources]), self._known_sources)
        known = place >= 0
        expected: dict[str, Floats] = {}
        if not known.all():
            expected = _expected_rates(model, scored.claims, scored.statements)
        nothing = np.full(matrix.n_sources, np.nan)
        rates = {
            name: np.where(known, self._known_rates[name][place], expected.get(name, nothing))
            for name in RATES
        }
        new = matrix.source_index[scored.is_new]
        count = np.bincount(new, minlength=matrix.n_sources)
        columns = {
            "source": matrix.sources,
            "known": pa.array(known.tolist()),
            "n_claims": pa.array(count.tolist()),
            **{name: to_arrow(rate, nan_is_null=True) for name, rate in rates.items()},
        }
        return Table("sources", pa.table(columns).filter(pa.array((count > 0).tolist())))

    def _explain(self, model: Any, answered: Answered) -> None:
        """Explain the first items."""
        if not hasattr(model, "explainer"):
            answered.notes.append(f"{type(model).__name__} cannot explain its verdicts.")
            return
        n_items, most = answered.claims.matrix.n_items, self._settings.max_explained
        if n_items > most:
            answered.notes.append(f"The first {most:,} of {n_items:,} items are explained.")
        explainer = model.explainer(answered.claims)
        answered.explanations = [
            _explained(explainer.item(item)) for item in range(min(n_items, most))
        ]


def _expected_rates(model: Any, claims: Claims, statements: Table) -> dict[str, Floats]:
    """Return how reliable sources are by what they say now: by the model, else by its verdicts."""
    names = ("reliability", "tpr", "fpr")
    if hasattr(model, "reliability"):
        found = model.reliability(claims).to_arrow()
        return {name: to_numpy(found[name]) for name in names}
    plausibility = np.array(statements["plausibility"].to_pylist())
    judged = rates_given_plausibility(claims.matrix, plausibility)
    return {name: getattr(judged, name) for name in names}


def table_of(records: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Make a table of records; labels become text, features keep their type."""
    names = dict.fromkeys(name for record in records for name in record)
    if not names:
        raise _invalid("The claims are empty objects. Expected source, entity and value in each.")
    columns = {}
    for name in names:
        cells = [record.get(name) for record in records]
        columns[name] = _column(name, cells)
    return pa.table(columns)


def _column(name: str, cells: Sequence[Any]) -> pa.Array:
    kinds = set(map(type, cells)) - {type(None)}
    if kinds <= {str}:
        return pa.array(cells, pa.string())
    nested = next((cell for cell in cells if isinstance(cell, list | dict)), None)
    if nested is not None:
        raise _invalid(f"{name!r} holds {type(nested).__name__}s; expected text and numbers.")
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds and kinds <= {int, float}:
        if all(cell is None or abs(cell) < 2**53 for cell in cells) and kinds == {int}:
            return pa.array(cells, pa.int64())
        if float in kinds and all(cell is None or math.isfinite(cell) for cell in cells):
            return pa.array([None if cell is None else float(cell) for cell in cells])
    return pa.array([_text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def _read_csv(path: Path) -> pa.Table:
    with Workbench() as workbench:
        raw = open_location(workbench, locate(path), FileOptions())
        _check_columns(len(raw.names))
        table = workbench.arrow(raw.relation)
        raw.check()
        return table.rename_columns(list(raw.names))


def _explained(found: Explanation) -> dict[str, Any]:
    return {
        "entity": found.entity,
        "attribute": found.attribute,
        "families": [asdict(family) for family in found.families],
        "evidence": [
            {
                "value": one.value,
                "before": one.global_hidden_bias,
                "terms": [
                    {
                        "claim": None,
                        "source": term.source,
                        "says": term.says,
                        "claims": term.claims,
                        "log_odds": term.log_odds,
                        "weight": term.weight,
                    }
                    for term in one.terms
                ],
                "adjustments": [
                    {"reason": step.reason, "log_odds": step.log_odds} for step in one.adjustments
                ],
                "log_odds": one.log_odds,
                "plausibility": one.plausibility,
            }
            for one in found.statements
        ],
    }


def _check_columns(count: int) -> None:
    """Refuse a table whose columns alone would keep the service busy."""
    if count > MOST_COLUMNS:
        raise ServiceError(
            413,
            "too_many_columns",
            f"{count:,} columns came; at most {MOST_COLUMNS:,} are read. Send those of the claims "
            "and their features.",
        )


def _invalid(message: str) -> ServiceError:
    return ServiceError(422, "invalid_claims", message)
