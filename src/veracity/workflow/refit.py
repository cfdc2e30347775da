"""A run made again from the claims that its folder holds, with its marks as known truth."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from veracity.data.output.write import REPORT_FILE, check_folder
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InputError, InvalidParameter, OutputError
from veracity.models import MODELS, make_model
from veracity.models.base import TruthModel
from veracity.workflow.discovery import STAGES, Progress, discover
from veracity.workflow.files import CLAIMS_FILE, RULES_FILE, RUN_FILE, read_description
from veracity.workflow.golden_records import Golden
from veracity.workflow.marks import MarkBook, marks_table
from veracity.workflow.saved_run import SavedRun, open_run

#: What stays true of a run that is made again from the claims in its folder.
INHERITED = ("inputs", "settings", "columns", "attributes")


def refit(folder: Path, target: Path, progress: Progress = lambda stage: None) -> Path:
    """Make the run of a folder again, with its marks as known truth, and save it elsewhere.

    Claims, rules and the truth to measure against are those in the folder, so that no original
    file is needed. Known truth that the run was given stays, except of items that are marked.
    """
    description = read_description(folder)
    check_refit(folder, description)
    saved = open_run(folder)
    book = MarkBook(folder)
    if not book.read():
        raise InputError("No item is marked yet, so there is nothing new to learn.")
    rules = folder / RULES_FILE
    run = discover(
        saved.claims,
        model=fresh_model(description),
        truth=saved.truth,
        known_truth=with_marks(saved, book),
        rules=rules if rules.exists() else None,
        error_rate=description["error_rate"],
        progress=progress,
    )
    run.model_name = description["model"]["name"]
    run.inherited = {name: description[name] for name in INHERITED}
    if "golden" in description:
        made = description["golden"]
        Golden.of(run, made["key"], made["values_only"])
    progress(STAGES[-1])
    output = description.get("output", {})
    return run.save(
        target,
        format=output.get("format", "parquet"),
        escape=bool(output.get("escaped", False)),
        report=(folder / REPORT_FILE).is_file(),
    )


def check_refit(folder: Path, description: Mapping[str, Any]) -> None:
    """Refuse a run that cannot be made again from its folder, or not be replaced there."""
    if not (folder / CLAIMS_FILE).is_file():
        raise InputError(
            f"The folder of the run has no {CLAIMS_FILE} any more, so its claims are gone. Make "
            "the run again from the original claims."
        )
    _check_model(description)
    check_folder(folder, overwrite=True, marks=(RUN_FILE,))
    place = folder.resolve()
    if not (os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)):
        raise OutputError(
            "The folder of the run, or the one around it, is read-only. Serve a copy that you may "
            "write to."
        )


def _check_model(description: Mapping[str, Any]) -> None:
    """Refuse a model that the folder does not hold, or that does not learn from marks."""
    model = description["model"]
    own = [value for value in model["parameters"].values() if _is_own(value)]
    if own or model["name"] not in MODELS or description["settings"].get("canonical"):
        raise InvalidParameter(
            "The run uses a Python object of yours, which its folder does not hold. Make it again "
            "in Python, with the marks as known_truth."
        )
    if not fresh_model(description).uses_known_truth:
        raise InvalidParameter(
            f"The model {model['name']} learns nothing from known truth. Make the run with "
            "another, such as the default."
        )


def _is_own(value: object) -> bool:
    return isinstance(value, dict) and "not saved" in value


def fresh_model(description: Mapping[str, Any]) -> TruthModel:
    """Return a model like that of a run, not fitted yet."""
    model = description["model"]
    return make_model(model["name"], **model["parameters"])


def keeps_audits(description: Mapping[str, Any]) -> bool:
    """Say whether audits still count after marks became known truth.

    They do if the model also judges each item without its own label.
    """
    kind: Callable[..., Any] = type(fresh_model(description))._judge_crossfitted
    return kind is not TruthModel._judge_crossfitted


def with_marks(saved: SavedRun, book: MarkBook) -> GroundTruth:
    """Return the marks, and the known truth of the run about items that were never marked."""
    marks = marks_table(book.read())
    marked = GroundTruth(marks, has_attribute=True)
    if saved.known_truth is None:
        return marked
    names = [profile.name for profile in saved.claims.attributes]
    given = saved.known_truth.given_rows(names)
    pairs = zip(given["entity"].to_pylist(), given["attribute"].to_pylist(), strict=True)
    decided = book.ever_marked()
    rest = given.filter(pa.array([pair not in decided for pair in pairs], pa.bool_()))
    if not rest.num_rows:
        return marked
    return GroundTruth.from_frame(pa.concat_tables([rest, marks], promote_options="default"))
