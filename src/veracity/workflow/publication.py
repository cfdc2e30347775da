"""The tables of a run that was updated, brought up to date.

An update is done when the history holds it. The tables, the model and ``run.json`` follow from the
history, each written whole; ``run.json`` comes last and says up to which update they go, so that
whoever opens the run can tell, and bring them up to date.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from veracity.data.notes import Note, ranked
from veracity.data.output.summary import ClaimsSummary
from veracity.data.output.tally import Tally
from veracity.data.output.write import (
    CHARTS_FOLDER,
    HISTORY_FILE,
    REPORT_FILE,
    TableFormat,
    escape_formulas,
    write_parts,
    write_table,
)
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import OutputError
from veracity.evaluation.metrics import assess
from veracity.models.base import TruthModel
from veracity.models.persistence import ARRAYS, DESCRIPTION, load, write_model
from veracity.report.findings import Findings
from veracity.streaming.history import History
from veracity.streaming.stream import Stream
from veracity.workflow.files import (
    CLAIMS_FILE,
    CONFUSIONS,
    KNOWN_TRUTH_FILE,
    RUN_FILE,
    TRUTH_FILE,
    read_description,
)

#: Tables with no more rows than this are written after every update.
SMALL = 1_000_000
#: Larger ones when so large a part of their rows has changed.
CHANGED_PART = 0.25
MODEL_FILES = (DESCRIPTION, ARRAYS)


def bring_up_to_date(folder: Path) -> None:
    """Write the tables of a run that was updated since they were written, if it was."""
    if not (folder / HISTORY_FILE).is_file():
        return
    with closing(History(folder / HISTORY_FILE)) as history:
        if history.is_empty:
            return
        written = read_description(folder).get("updates", {}).get("written", 0)
        if written != history["version"]:
            publish(folder, resumed(history))


def resumed(history: History) -> Stream:
    """Return the stream of a run with its model, as the last update left them."""
    with tempfile.TemporaryDirectory(prefix="veracity-") as place:
        for name in MODEL_FILES:
            (Path(place) / name).write_bytes(history[name])
        model = load(place)
    model.error_rate = history["error_rate"]
    return Stream.resume(model, history)


def keep_model(history: History, model: TruthModel) -> None:
    """Keep the files of a model in the history."""
    with tempfile.TemporaryDirectory(prefix="veracity-") as place:
        write_model(model, Path(place))
        for name in MODEL_FILES:
            history[name] = (Path(place) / name).read_bytes()


def is_to_be_written(history: History) -> bool:
    """Whether the tables are small, or have changed so much that it is time to write them."""
    rows = history["n_rows"]
    return bool(rows <= SMALL or history["n_changed"] > CHANGED_PART * rows)


def publish(folder: Path, stream: Stream) -> None:
    """Write the tables, the model and ``run.json`` as the history has them."""
    history = stream.history
    description = read_description(folder)
    output = description.get("output", {})
    form: TableFormat = output.get("format", "parquet")
    escaped = bool(output.get("escaped", False))
    try:
        for name, parts in _tables(stream).items():
            shown = map(escape_formulas, parts) if escaped else parts
            with _replacing(folder / f"{name}.{form}") as path:
                write_parts(iter(shown), path, form)
        with _replacing(folder / CLAIMS_FILE) as path:
            write_parts(history.all_claims(), path, "parquet")
        if len(stream.labels):
            with _replacing(folder / KNOWN_TRUTH_FILE) as path:
                write_table(stream.labels.table, path, "parquet")
        for name in MODEL_FILES:
            with _replacing(folder / name) as path:
                path.write_bytes(history[name])
        (folder / REPORT_FILE).unlink(missing_ok=True)
        (folder / f"{CONFUSIONS}.{form}").unlink(missing_ok=True)  # of the claims before
        shutil.rmtree(folder / CHARTS_FOLDER, ignore_errors=True)
        described = _described(folder, stream, description)
        text = json.dumps(described, indent=2, ensure_ascii=False) + "\n"
        with _replacing(folder / RUN_FILE) as path:
            path.write_text(text, encoding="utf-8")
        with history.change():
            history["n_changed"] = 0
    except (OSError, duckdb.Error) as error:
        if isinstance(error, OutputError):
            raise
        reason = str(error).splitlines()[0]
        raise OutputError(
            f"The update is saved, but the tables in {folder} could not be written: {reason}. When "
            f"that is fixed, `veracity update {folder} --write-tables` writes them."
        ) from error


def _tables(stream: Stream) -> dict[str, Iterator[pa.Table]]:
    sources, by_attribute = stream.source_tables()
    by_labels = {"sources_by_attribute": by_attribute, "crossfit": stream.crossfit()}
    return {
        "truths": stream.truth_parts(),
        "statements": stream.statements().parts(),
        "sources": sources.parts(),
        **{name: table.parts() for name, table in by_labels.items() if table is not None},
        **{name: table.parts() for name, table in stream.tables_by_form().items()},
    }


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give the path of a file to write, which takes the place of another at the end."""
    scratch = path.with_name(f".{path.name}")  # hidden, and with the ending that tells its format
    try:
        yield scratch
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)


def _described(folder: Path, stream: Stream, before: dict[str, Any]) -> dict[str, Any]:
    """Return what ``run.json`` is to say."""
    history, reading = stream.history, stream.reading
    found = history.values_by_attribute()
    profiles = []
    for name in sorted(found):
        n_items, n_values = found[name]
        profiles.append(
            reading.profiles[name].as_dict() | {"n_items": n_items, "n_values": n_values}
        )
    roles = {role: role for role, there in reading.roles.items() if there}
    counts = ClaimsSummary.of_counts(
        stream.memory.n_claims, n_rows=history["n_read"], **history.summary()
    )
    declared = reading.as_dict()["declared"]
    notes = [note.as_dict() for note in ranked(_notes(stream))]
    evaluation = _evaluated(folder, stream)
    findings = Findings.of(
        counts.as_dict(),
        Tally.of(stream.truths()),
        stream.source_tables()[0],
        notes,
        stream.model.error_rate,
        type(stream.model).__name__,
        evaluation,
    )
    return before | {
        "findings": findings.as_dict(),
        "settings": before["settings"] | {"attributes": declared},
        "columns": roles | before["columns"],
        "features": reading.features,
        "attributes": profiles,
        "counts": counts.as_dict(),
        "evaluation": evaluation,
        "notes": notes,
        "updates": {
            "number": history["version"],
            "written": history["version"],
            "last": datetime.now(UTC).isoformat(timespec="seconds"),
            "inputs": history["inputs"],
            "claims_at_last_whole_fit": stream.n_fitted,
        },
    }


def _evaluated(folder: Path, stream: Stream) -> dict[str, Any] | None:
    """Measure the verdicts against the truth that the run was given, if it was."""
    if not (folder / TRUTH_FILE).exists():
        return None
    truth = GroundTruth.read(folder / TRUTH_FILE)
    return assess(stream.truths(), truth, stream.claims())[0].as_dict()


def _notes(stream: Stream) -> list[Note]:
    number = stream.history["version"]
    text = (
        f"The run was updated {number:,} time{'s' * (number != 1)}. Items without new claims keep "
        f"their earlier plausibility; the last full fit was at {stream.n_fitted:,} claims. "
        "`veracity report` makes a new report."
    )
    short = "the answer was not checked again since the last full fit"
    return [*stream.model._notes_on_labels(), Note("updates", text, short=short)]
