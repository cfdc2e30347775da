"""The tables of a run that was updated, brought up to date.

An update is done when the history holds it. The tables, the model and ``run.json`` follow from the
history, each written whole; ``run.json`` comes last and says up to which update they go, so that
whoever opens the run can tell, and bring them up to date.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from veracity.data.notes import Note, ranked
from veracity.data.output.locks import Unwritable, writing_into
from veracity.data.output.summary import ClaimsSummary
from veracity.data.output.tally import Tally
from veracity.data.output.together import Together, finish, put_right
from veracity.data.output.write import (
    CHARTS_FOLDER,
    HISTORY_FILE,
    REPORT_FILE,
    TableFormat,
    escape_formulas,
    write_parts,
    write_table,
)
from veracity.data.read.scratch import Scratch
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InputError, OutputError, VeracityError
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
from veracity.workflow.manifest import AGAIN, FILES, hashes_of, sealed

#: Tables with no more rows than this are written after every update.
SMALL = 1_000_000
#: Larger ones when so large a part of their rows has changed.
CHANGED_PART = 0.25
MODEL_FILES = (DESCRIPTION, ARRAYS)
#: What comes of facts that are missing or of another type.
NOT_OURS = (KeyError, ValueError, TypeError, AttributeError, IndexError)


def bring_up_to_date(folder: Path) -> None:
    """Write the tables of a run that was updated since they were written, if it was.

    While somebody else writes the run, or where it may only be read, it is read as it is: as of an
    earlier update.
    """
    put_right(folder)
    if not _is_behind(folder):
        return
    try:  # quickly, as a whole update can take long
        with writing_into(folder, patience=0.0):
            if _is_behind(folder):
                with closing(History(folder / HISTORY_FILE)) as history:
                    publish(folder, resumed(history))
    except Unwritable:
        return


def _is_behind(folder: Path) -> bool:
    """Whether the tables are those of an earlier update than the last."""
    if not (folder / HISTORY_FILE).is_file():
        return False
    with closing(History(folder / HISTORY_FILE)) as history:
        if history.is_empty:
            return False
        written = read_description(folder).get("updates", {}).get("written", 0)
        try:
            return bool(written != history["version"])
        except (*NOT_OURS, sqlite3.DatabaseError) as error:
            raise InputError(f"{history.place} is damaged: {error!r}. {AGAIN}") from error


def resumed(history: History) -> Stream:
    """Return the stream of a run with its model, as the last update left them."""
    try:
        with Scratch() as place:
            for name in MODEL_FILES:
                (place / name).write_bytes(history[name])
            model = load(place)
        model.error_rate = history["error_rate"]
        return Stream.resume(model, history)
    except (*NOT_OURS, sqlite3.DatabaseError) as error:
        if isinstance(error, VeracityError):
            raise
        raise InputError(f"{history.place} is damaged: {error!r}. {AGAIN}") from error


def keep_model(history: History, model: TruthModel) -> None:
    """Keep the files of a model in the history."""
    with Scratch() as place:
        write_model(model, place)
        for name in MODEL_FILES:
            history[name] = (place / name).read_bytes()


def is_to_be_written(history: History) -> bool:
    """Whether the tables are small, or have changed so much that it is time to write them."""
    rows = history["n_rows"]
    return bool(rows <= SMALL or history["n_changed"] > CHANGED_PART * rows)


def publish(folder: Path, stream: Stream) -> None:
    """Write the tables, the model and ``run.json`` as the history has them.

    To be called by who holds `writing_into`.
    """
    finish(folder)
    with stream.history.change():
        files = prepare(folder, stream)
    put_in_place(folder, files)


def put_in_place(folder: Path, files: Together) -> None:
    """Put the tables of an update that is kept in their places."""
    try:
        files.commit()
    except OSError as error:
        raise OutputError(
            f"The update is saved, but its tables in {folder} are not in their places: "
            f"{error.strerror or error}. Whoever opens the run next puts them there."
        ) from error
    finally:
        files.close()


def prepare(folder: Path, stream: Stream) -> Together:
    """Write all that follows from the history to a place of its own in the folder."""
    files = None
    try:
        files = Together(folder)
        _write(folder, stream, files)
    except (OSError, duckdb.Error) as error:
        if files is not None:
            files.close()
        if isinstance(error, OutputError):
            raise
        full = "No space left" in str(error)
        reason = "the disk is full" if full else str(error).splitlines()[0]
        raise OutputError(
            f"The tables in {folder} could not be written: {reason}. Nothing was changed. When "
            "that is fixed, try again."
        ) from error
    except BaseException:
        if files is not None:
            files.close()
        raise
    return files


def _write(folder: Path, stream: Stream, files: Together) -> None:
    history, place = stream.history, files.place
    description = read_description(folder)
    output = description.get("output", {})
    form: TableFormat = output.get("format", "parquet")
    escaped = bool(output.get("escaped", False))
    for name, parts in _tables(stream).items():
        shown = map(escape_formulas, parts) if escaped else parts
        write_parts(iter(shown), place / f"{name}.{form}", form)
    write_parts(history.all_claims(), place / CLAIMS_FILE, "parquet")
    if len(stream.labels):
        write_table(stream.labels.table, place / KNOWN_TRUTH_FILE, "parquet")
    for name in MODEL_FILES:
        (place / name).write_bytes(history[name])
    before = description.get(FILES) or hashes_of(folder)
    files.gone = [REPORT_FILE, f"{CONFUSIONS}.{form}"]  # of the claims before
    files.gone += charts_in(folder, description)
    history["n_changed"] = 0
    text = sealed(_described(folder, stream, description), place, before, files.gone)
    (place / RUN_FILE).write_text(text, encoding="utf-8")


def charts_in(folder: Path, description: dict[str, Any]) -> list[str]:
    """Return the charts that a report has here, by their names in the folder of the run."""
    from veracity.report.files import INDEX  # brings all charts along, which few runs need here

    if FILES in description:
        return [name for name in description[FILES] if name.startswith(f"{CHARTS_FOLDER}/")]
    charts = folder / CHARTS_FOLDER  # of an earlier version
    if not (charts / INDEX).is_file():
        return []
    return [f"{CHARTS_FOLDER}/{path.name}" for path in charts.glob("*.json")]


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
            "sha256": history.digest(),
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
