"""The folder of a run, written whole or not at all."""

from __future__ import annotations

import json
import shutil
import sqlite3
import warnings
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.claims import Claims
from veracity.data.notes import Note
from veracity.data.output.list_cells import joined_lists
from veracity.data.output.tables import Table
from veracity.data.output.write import (
    MARKS_FILE,
    TableFormat,
    escape_formulas,
    formula_cells,
    formula_note,
    whole_folder,
    write_parts,
    write_table,
)
from veracity.engines.base import claims_in_use
from veracity.errors import ReportWarning
from veracity.models.base import TruthModel
from veracity.models.persistence import write_model
from veracity.report.subject import Subject
from veracity.workflow.files import (
    CLAIMS_FILE,
    CLASHES_TABLE,
    CONFUSIONS,
    ENTITIES_FILE,
    KNOWN_TRUTH_FILE,
    LABEL_TABLES,
    RECORDS_FILE,
    RESULT_TABLES,
    RULES_FILE,
    RUN_FILE,
    TIMELINES,
    TRUTH_FILE,
)
from veracity.workflow.manifest import sealed
from veracity.workflow.run import Run, timed

#: Why there is no report of a run in limited memory, and what to do.
NO_REPORT = (
    "There is no report: it needs all claims in memory, and this run had a memory limit. If the "
    "claims fit, `veracity report` makes it from the results."
)
#: The subjects of notes that saving a run adds.
_OF_SAVING = ("output", "marks", "report")


def save(
    run: Run,
    target: Path,
    format: TableFormat,
    overwrite: bool,
    escape: bool,
    report: bool,
    further: Mapping[str, bytes] | None = None,
) -> Path:
    """Write the results of a run to a folder of this machine; see `Run.save`.

    `further` are files to stand beside them, by name.
    """
    if report and not run.in_blocks:
        from veracity.report.page import check_page

        check_page()
    escape = escape and format.startswith("csv")
    run.notes = [note for note in run.notes if note.subject not in _OF_SAVING]
    run.seconds.pop("report", None)
    run.report_error = None

    def last(scratch: Path) -> None:
        keep_marks(target, scratch)

    with whole_folder(target, overwrite=overwrite, marks=(RUN_FILE,), last=last) as scratch:
        with timed(run.seconds, "writing"):
            _write_results(run, scratch, format, escape)
            _write_inputs(run, scratch)
            write_model(run.model, scratch)
            for name, content in (further or {}).items():
                (scratch / name).write_bytes(content)
        run.notes += _notes_on_marks(target)
        description = run.describe() | {"output": {"format": format, "escaped": escape}}
        if report and run.in_blocks:
            run.notes.append(Note("report", NO_REPORT))
        elif report:
            _write_report(run, description, scratch)
        described = sealed(description | run.outcome(), scratch)
        (scratch / RUN_FILE).write_text(described, encoding="utf-8")
    if run.report_error is not None:  # said when all is safe, as a warning may be an error
        warnings.warn(run.notes[-1].text, ReportWarning, stacklevel=2)
    return target


def _write_results(run: Run, scratch: Path, format: TableFormat, escape: bool) -> None:
    """Write the result tables, part by part."""
    count = 0

    def checked(part: pa.Table) -> pa.Table:
        nonlocal count
        if format.startswith("csv"):
            part = joined_lists(part)
        if escape:
            return escape_formulas(part)
        count += formula_cells(part) if format.startswith("csv") else 0
        return part

    tables = {**_result_tables(run.model), **_clashes(run), **run.tables}
    for name, table in tables.items():
        write_parts(map(checked, table.parts()), scratch / f"{name}.{format}", format)
    run.notes += [formula_note(count)] if count else []


def _result_tables(model: TruthModel) -> dict[str, Table]:
    """Return the result tables by name, and those that only some runs have."""
    names = (*RESULT_TABLES, *LABEL_TABLES, CONFUSIONS)
    found = {name: getattr(model, f"{name}_") for name in names}
    return {name: table for name, table in found.items() if table is not None} | model.tables_


def _clashes(run: Run) -> dict[str, Table]:
    """Return the table of sources in another format, if there are any."""
    return {CLASHES_TABLE: run.clashes} if run.clashes is not None and len(run.clashes) else {}


def _write_inputs(run: Run, scratch: Path) -> None:
    """Write the claims in use, and the truth and rules that were given."""
    in_use = run.claims.in_use()
    in_use = in_use if run.in_blocks else iter([in_use])
    write_parts(in_use, scratch / CLAIMS_FILE, "parquet")
    if "golden" in run.details:
        _write_records(run.claims, scratch)
    _write_truth(run, scratch)
    if run.rules is not None:
        write_table(run.rules.to_arrow(), scratch / RULES_FILE, "parquet")


def _write_records(claims: Claims, scratch: Path) -> None:
    """Write the record of each claim in use, and the entities in order."""
    records = claims.records
    assert records is not None
    ids = records.ids_of(np.sort(claims.matrix.row))  # in the order of `in_use`
    write_table(pa.table({"record": ids}), scratch / RECORDS_FILE, "parquet")
    write_table(pa.table({"entity": records.entities}), scratch / ENTITIES_FILE, "parquet")


def _write_truth(run: Run, scratch: Path) -> None:
    """Write the truth to measure against and to hold to."""
    names = [profile.name for profile in run.claims.attributes]
    if run.truth is not None:
        write_table(run.truth.for_attributes(names), scratch / TRUTH_FILE, "parquet")
    if run.known_truth is not None:
        write_table(run.known_truth.given_rows(names), scratch / KNOWN_TRUTH_FILE, "parquet")


def _write_report(run: Run, description: dict[str, Any], scratch: Path) -> None:
    """Write the report; what is wrong with it must not cost the results."""
    from veracity.report.files import Report

    model = run.model
    subject = Subject(
        description,
        run.claims,
        model,
        model.truths_,
        model.statements_,
        model.sources_,
        run.truth,
        model.sources_by_attribute_,
        model.confusions_,
        run.clashes,
        timelines=model.tables_.get(TIMELINES),
    )
    with timed(run.seconds, "report"):
        try:
            made = Report(subject)
        except Exception as error:
            run.report_error = error
            text = (
                f"The report could not be made ({type(error).__name__}: {error}). The results are "
                "complete; `veracity report` tries again."
            )
            run.notes.append(Note("report", text))
        else:
            made.write(scratch)


def _notes_on_marks(target: Path) -> list[Note]:
    text = (
        f"The review marks of the replaced run are kept in {MARKS_FILE}; `veracity serve` shows "
        "them."
    )
    return [Note("marks", text)] if (target / MARKS_FILE).is_file() else []


def keep_marks(target: Path, scratch: Path) -> None:
    """Take the review marks of a run that is replaced over into the new folder.

    To be called by who holds the target alone, so that no mark comes too late.
    """
    marks = target / MARKS_FILE
    if not marks.is_file():
        return
    kept = scratch / MARKS_FILE
    try:
        with (
            closing(sqlite3.connect(f"{marks.resolve().as_uri()}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(kept)) as new,
        ):
            old.backup(new)
    except sqlite3.Error:  # damaged: then as it is, with what was not written into it yet
        for rest in scratch.glob(f"{MARKS_FILE}*"):
            rest.unlink()  # a journal of this copy must not be taken for one of the file
        for path in target.glob(f"{MARKS_FILE}*"):
            shutil.copy2(path, scratch / path.name)


def save_on_spark(run: Run, folder: str, overwrite: bool) -> Path:
    """Let executors write the tables; the driver adds what is small."""
    from veracity.engines.spark.write import whole_folder

    blocks: Any = run.claims.blocks
    spark, model = blocks.session, run.model
    with whole_folder(spark, folder, overwrite=overwrite, mark=RUN_FILE) as (there, here):
        with timed(run.seconds, "writing"):
            for name, table in _result_tables(model).items():
                there.write(table.to_spark(spark), f"{name}.parquet")
            there.write(blocks.frame(claims_in_use), CLAIMS_FILE)
            _write_truth(run, here)
            write_model(model, here)
        described = json.dumps(run.describe(), indent=2, ensure_ascii=False)
        (here / RUN_FILE).write_text(described + "\n", encoding="utf-8")
    return Path(folder)
