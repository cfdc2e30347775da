"""From linked records to golden records: one row per entity, with the lineage of each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.arguments import knows_arguments
from veracity.data.claims import Claims
from veracity.data.notes import Note
from veracity.data.output.database import check_database, writing_tables
from veracity.data.output.decisions import WORDS
from veracity.data.output.golden import column_names, golden_table, lineage_table
from veracity.data.output.standing import agreement_by_attribute
from veracity.data.output.tables import Table
from veracity.data.output.write import TableFormat, check_folder, check_format
from veracity.data.read.records import Records
from veracity.data.read.settings import SHAPED_OPTIONS, Attribute, Kind
from veracity.data.read.shape import Shape
from veracity.data.read.tables import FILE_OPTIONS
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InvalidParameter
from veracity.models import DEFAULT_ALIAS
from veracity.models.base import TruthModel
from veracity.workflow.discovery import STAGES, Progress, discover
from veracity.workflow.files import RUN_FILE
from veracity.workflow.run import Run, timed

#: The name of the table in a database; that of the lineage ends in this.
TABLE, LINEAGE_ENDING = "golden", "_lineage"
ONE_SOURCE = (
    "All records come from one source, so no source confirms another: the golden records repeat "
    "what it says."
)


@knows_arguments(SHAPED_OPTIONS | FILE_OPTIONS)
def golden(
    records: Any,
    *,
    key: str,
    source: str,
    attributes: Sequence[str] | Mapping[str, Attribute | Kind] | None = None,
    record: str | None = None,
    values_only: bool = False,
    model: str | TruthModel = DEFAULT_ALIAS,
    parameters: Mapping[str, Any] | None = None,
    truth: Any = None,
    known_truth: Any = None,
    rules: Any = None,
    reconcile: bool = False,
    error_rate: float | None = None,
    random_state: int = 0,
    threads: int | None = None,
    progress: Progress = lambda stage: None,
    **reading: Any,
) -> Golden:
    """Make one golden record per entity from linked records.

    Parameters
    ----------
    records
        One record per row, such as the output of record linkage: a frame, or the path of a file or
        database.
    key
        The column that says which records describe the same entity.
    source
        The column that says which system a record comes from.
    attributes
        The columns that hold attribute values, or a mapping from them to what is known about them,
        where ``"*"`` speaks for all others. By default every column but the key, the source, the
        record's number, time, weight, features, and columns that just number the records. An
        attribute has one true value, unless it is declared otherwise or its cells are lists.
    record
        The column of the record's own number, for the lineage; otherwise found by the names
        unique_id, record_id and id, else the row number.
    values_only
        Leave plausibilities and decisions out of the golden table.
    model, parameters, truth, known_truth, rules, reconcile
        As of `discover`.
    error_rate, random_state, threads, progress
        As of `discover`.
    reading
        How to read the records; see `Claims.read`. Here `fields` is ``"auto"`` by default: phone
        numbers, dates, names and the like are the same value in all their spellings.

    Examples
    --------
    >>> import veracity
    >>> linked = {
    ...     "cluster_id": ["c1", "c1", "c1", "c2", "c2"],
    ...     "system": ["crm", "shop", "billing", "crm", "shop"],
    ...     "city": ["Bern", "Bern", "Basel", "Chur", None],
    ... }
    >>> made = veracity.golden(linked, key="cluster_id", source="system", values_only=True)
    >>> made.golden
    golden: 2 rows
    cluster_id  city
    c1          Bern
    c2          Chur
    >>> made.lineage["denying_sources"].to_pylist()
    [['billing'], []]
    """
    asked = {"shape": "records", "key": key, "source": source, "record": record}
    reading = {"fields": "auto", **reading}
    shape, options = Shape.taken_from({**reading, **asked, "attributes": attributes})
    options["shape"] = replace(shape, kind="single")
    seconds: dict[str, float] = {}
    progress(STAGES[0])
    with timed(seconds, "reading"):
        claims = Claims.of(records, **options)
        assert claims.records is not None
        column_names(key, claims.records.attributes, values_only)  # refused before the fit
        if truth is not None:
            truth = GroundTruth.beside(truth, reading)
        if known_truth is not None:
            known_truth = GroundTruth.beside(known_truth, reading, "known truth")
    run = discover(
        claims,
        model=model,
        parameters=parameters,
        truth=truth,
        known_truth=known_truth,
        rules=rules,
        reconcile=reconcile,
        error_rate=error_rate,
        random_state=random_state,
        threads=threads,
        progress=progress,
    )
    run.seconds["reading"] += seconds["reading"]
    return Golden.of(run, key, values_only)


@dataclass(frozen=True)
class Golden:
    """Golden records, their lineage, and the run that they come from.

    Attributes
    ----------
    run
        The run, with its model, notes and result tables.
    key
        The column of the entity.
    values_only
        Whether plausibilities and decisions are left out of the golden table.
    """

    run: Run
    key: str
    values_only: bool = False

    @classmethod
    def of(cls, run: Run, key: str, values_only: bool) -> Golden:
        """Make golden records of a run on records; the run saves them with its results."""
        made = cls(run, key, values_only)
        records = made._records
        run.tables |= {"golden": made.golden, "lineage": made.lineage}
        run.details["golden"] = {
            "key": key,
            "attributes": list(records.attributes),
            "types": records.type_names(),
            "values_only": values_only,
            "counts": made.counts(),
        }
        if run.summary.n_sources == 1:
            run.notes.insert(0, Note("sources", ONE_SOURCE))
        return made

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes, in the order of their columns."""
        return self._records.attributes

    @property
    def _records(self) -> Records:
        records: Records | None = self.run.claims.records
        assert records is not None
        return records

    @cached_property
    def _truths(self) -> pa.Table:
        return self.run.model.truths_.to_arrow()

    @cached_property
    def golden(self) -> Table:
        """One row per entity: the key, the attributes, and how certain each value is."""
        matrix = self.run.claims.matrix
        table = golden_table(self._truths, matrix, self._records, self.key, self.values_only)
        return Table("golden", table)

    @cached_property
    def lineage(self) -> Table:
        """One row per believed value: who supports it, who denies it, and its records."""
        return Table("lineage", lineage_table(self._truths, self.run.claims.matrix, self._records))

    @cached_property
    def agreement(self) -> Table:
        """How often each source is believed, by attribute, where others speak too; worst first."""
        table = agreement_by_attribute(self._truths, self.run.claims.matrix)
        return Table("agreement", table)

    def counts(self) -> dict[str, int]:
        """Count entities, cells and decisions.

        The decision on a cell with several values is that on the least certain of them.
        """
        lineage = self.lineage.to_arrow()
        codes = pc.index_in(lineage["decision"], value_set=pa.array(WORDS.tolist()))
        cells = pa.table({"e": lineage["entity"], "a": lineage["attribute"], "code": codes})
        worst = cells.group_by(["e", "a"]).aggregate([("code", "max")])["code_max"]
        found = np.bincount(np.asarray(worst), minlength=len(WORDS)).tolist()
        n_entities = len(self.golden)
        return {
            "entities": n_entities,
            "records": len(self._records.ids),
            "cells": n_entities * len(self._records.attributes),
            "filled": len(worst),
            **dict(zip(WORDS.tolist(), found, strict=True)),
        }

    def save(
        self,
        folder: str | Path | None = None,
        *,
        to: str | None = None,
        table: str = TABLE,
        format: TableFormat = "csv",
        overwrite: bool = False,
        escape: bool = False,
        report: bool = True,
    ) -> None:
        """Write the golden records and their lineage to a folder, a database, or both.

        Each is written whole or not at all.

        Parameters
        ----------
        folder
            Where to write the run, with the tables ``golden`` and ``lineage`` beside its results.
        to
            A database, such as ``postgresql://user@host/name``, or a DuckDB file.
        table
            What the golden table is called there, also with a schema, as in ``crm.golden``. The
            lineage has the same name with ``_lineage`` after it.
        format, escape, report
            Of the folder; see `Run.save`. In CSV files, a bar stands between the values of a list.
        overwrite
            Replace an earlier run in the folder, and tables of these names in the database.
        """
        check_place(folder, to, table, format, overwrite)
        tables = named_tables(table)
        content = dict(zip(tables, (self.golden.to_arrow(), self.lineage.to_arrow()), strict=True))
        with nullcontext() if to is None else writing_tables(to, content, overwrite):
            if folder is not None:
                self.run.save(
                    folder, format=format, overwrite=overwrite, escape=escape, report=report
                )


def named_tables(table: str) -> tuple[str, str]:
    """Return the names of the golden table and of its lineage in a database."""
    return table, f"{table}{LINEAGE_ENDING}"


def check_place(
    folder: str | Path | None, to: str | None, table: str, format: str, overwrite: bool
) -> None:
    """Refuse a place that cannot be written to, before any work is done for it."""
    if folder is None and to is None:
        raise InvalidParameter(
            "There is no place to write to: name a folder with --output, a database with --to, or "
            "both (in Python: folder=..., to=...)."
        )
    check_format(format)
    if folder is not None:
        check_folder(Path(folder), overwrite, (RUN_FILE,))
    if to is not None:
        check_database(to, named_tables(table), overwrite)
