"""New claims for a run that was saved: ``veracity update``."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veracity.arguments import check_path, knows_arguments
from veracity.data.notes import Note, plural
from veracity.data.output.locks import writing_into
from veracity.data.output.together import Together, finish
from veracity.data.output.write import HISTORY_FILE
from veracity.data.read.settings import SHAPED_OPTIONS
from veracity.data.read.tables import FILE_OPTIONS
from veracity.data.threads import use_threads
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InputError, InvalidParameter, OutputError
from veracity.models import make_model
from veracity.streaming.history import History
from veracity.streaming.outcome import Update
from veracity.streaming.reader import StreamReader
from veracity.streaming.stream import Stream
from veracity.workflow.files import CLAIMS_FILE, KNOWN_TRUTH_FILE, RULES_FILE, read_description
from veracity.workflow.publication import (
    is_to_be_written,
    keep_model,
    prepare,
    put_in_place,
    resumed,
)
from veracity.workflow.saved_run import open_run


@dataclass(frozen=True)
class Updated:
    """Result of an update: its counts, whether the tables were written, and seconds."""

    found: Update
    number: int
    n_claims: int
    written: bool
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        found = self.found
        return {
            "update": self.number,
            "claims": self.n_claims,
            "new_claims": found.n_claims,
            "known_claims": found.n_known,
            "items": found.n_items,
            "new_items": found.n_new_items,
            "new_sources": found.n_new_sources,
            "new_labels": found.n_labels,
            "fitted_anew": found.refitted,
            "changed": found.changed,
            "tables_written": self.written,
            "seconds": round(self.seconds, 4),
            "notes": [note.as_dict() for note in found.notes],
        }


@knows_arguments(SHAPED_OPTIONS | FILE_OPTIONS)
def update(
    folder: str | Path,
    claims: Any = None,
    *,
    known_truth: Any = None,
    refit: bool = True,
    write_tables: bool = False,
    threads: int | None = None,
    **options: Any,
) -> Updated:
    """Let the model of a run learn from new claims and labels; bring its results up to date.

    The update as a whole is there or not, whatever happens on the way. The first one reads all
    claims of the run once, to keep them by item; those that follow read what they touch. One update
    of a run is made at a time: another waits for it, a minute at most.

    Parameters
    ----------
    folder
        Of the run.
    claims
        A table of claims, its path, or `Claims`; None for none.
    known_truth
        The truth of some further items, as for `discover`; what is known already stays.
    refit
        Whether all may be fitted anew: where there are few claims, or twice as many as at the last
        whole fit.
    write_tables
        Write the tables even if they are large and little has changed in them.
    threads
        How many to use; as many as there are cores if not given.
    options
        How to read the claims, as in `Claims.read`, where that is not as before.
    """
    started = time.perf_counter()
    check_path("folder", folder)
    place = Path(folder)
    _check(place)
    with (
        use_threads(threads),
        writing_into(place),
        closing(History(place / HISTORY_FILE)) as history,
    ):
        finish(place)
        files = None
        try:
            with history.change():  # from here on, nobody else changes what is read
                is_new = history.is_empty
                stream = _begun(place, history) if is_new else resumed(history)
                found = stream.learn(claims, known_truth, refit, **options)
                if found.n_claims or found.n_labels:
                    _keep(history, stream, found)
                elif not is_new:
                    history.leave_unchanged()
                written = write_tables or is_to_be_written(history)
                files = _tables_of(place, stream, write_tables)
        except BaseException:
            if files is not None:
                files.close()
            raise
        if files is not None:
            try:
                put_in_place(place, files)
            except OutputError as error:  # which is no reason to make the update again
                written = False
                found.notes.append(Note("updates", str(error)))
        elapsed = time.perf_counter() - started
        n_claims = int(stream.memory.n_claims.sum())
        return Updated(found, history["version"], n_claims, written, elapsed)


def _tables_of(folder: Path, stream: Stream, write_tables: bool) -> Together | None:
    """Write the tables to a place beside those that are there, if it is time to; else None."""
    history = stream.history
    current = read_description(folder).get("updates", {}).get("written", 0)
    is_time = is_to_be_written(history) and current != history["version"]
    return prepare(folder, stream) if write_tables or is_time else None


def _check(folder: Path) -> None:
    """Refuse a folder whose run cannot be updated, before anything is read."""
    description = read_description(folder)
    given = description["model"]
    plain = {
        name: value
        for name, value in given["parameters"].items()
        if not (isinstance(value, dict) and "not saved" in value)
    }
    if len(plain) < len(given["parameters"]):
        raise InvalidParameter(
            f"The model of {folder} uses a Python object of yours, which the folder does not "
            "contain, so it cannot be updated. Make the run again with all claims."
        )
    model = make_model(given["name"], **plain)
    model.check_stream()
    known = folder / KNOWN_TRUTH_FILE
    model.check_stream_of_labels(GroundTruth.read(known) if known.exists() else None)
    if (folder / RULES_FILE).exists():
        raise InvalidParameter(
            f"The run in {folder} used rules, which updates do not support. Make the run again "
            "with all claims."
        )
    if not (folder / CLAIMS_FILE).is_file():
        raise InputError(
            f"{folder} has no file {CLAIMS_FILE}: runs made on a cluster are not updated in place. "
            "Make the run again with all claims."
        )
    if "golden" in description:
        raise InvalidParameter(
            f"The run in {folder} made golden records, which updates would leave behind. Make them "
            "again with all records: `veracity golden`."
        )
    if description["settings"].get("canonical"):
        raise InvalidParameter(
            f"The run in {folder} compares values by a function of yours, which the folder does "
            "not contain. Use partial_fit in Python, or make the run again."
        )


def _begun(folder: Path, history: History) -> Stream:
    """Keep the claims and results of a run by item, for the first update of it."""
    saved = open_run(folder)
    saved.model.error_rate = saved.description["error_rate"]
    reading = StreamReader.of(saved.claims, saved.description["settings"])
    stream = Stream.begin(saved.model, saved.claims, history, reading, saved.known_truth)
    history["error_rate"] = saved.description["error_rate"]
    history["n_read"] = saved.description["counts"]["n_rows"]
    history["n_rows"] = history.count("claims")
    history["n_changed"], history["version"], history["inputs"] = 0, 0, []
    stream.keep()
    keep_model(history, saved.model)
    return stream


def _keep(history: History, stream: Stream, found: Update) -> None:
    """Keep the state of things after an update, within its transaction."""
    stream.keep()
    keep_model(history, stream.model)
    history["version"] = history["version"] + 1
    history["n_read"] = history["n_read"] + found.n_claims + found.n_known
    history["n_rows"] = int(stream.memory.n_claims.sum())
    changed = history["n_rows"] if found.refitted or found.n_labels else found.n_claims
    history["n_changed"] = history["n_changed"] + changed
    history["inputs"] = found.origin


def summary_line(updated: Updated) -> str:
    """Say in a sentence what an update did."""
    found = updated.found
    if found.n_labels and not found.n_claims:
        changed = plural(len(found.changed), "verdict")
        return f"{plural(found.n_labels, 'new label')}; {changed} changed."
    if not found.n_claims:
        known = f"; {plural(found.n_known, 'claim')} already known" if found.n_known else ""
        return f"Nothing new{known}."
    parts = [
        f"{plural(found.n_claims, 'new claim')} about {plural(found.n_items, 'item')} "
        f"({found.n_new_items:,} of them new), {plural(found.n_new_sources, 'new source')}"
    ]
    if found.n_known:
        parts.append(f"{plural(found.n_known, 'claim')} already known")
    if found.n_labels:
        parts.append(plural(found.n_labels, "new label"))
    parts.append(f"{plural(len(found.changed), 'verdict')} changed")
    return "; ".join(parts) + "."
