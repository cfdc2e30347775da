"""Files in the folder of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from veracity.arguments import came
from veracity.data.output.exchange import recover
from veracity.errors import InputError, listing
from veracity.workflow.manifest import RUN_FILE as RUN_FILE
from veracity.workflow.manifest import check_description
from veracity.workflow.run_schema import run_schema

CLAIMS_FILE = "claims.parquet"
TRUTH_FILE = "truth.parquet"
KNOWN_TRUTH_FILE = "known_truth.parquet"
RULES_FILE = "rules.parquet"
#: Of a run on records: the record of each claim, and all entities in order.
RECORDS_FILE = "records.parquet"
ENTITIES_FILE = "entities.parquet"
RUN_FORMAT = 1
#: Parts of the description of a run that not every run has.
NOT_ALWAYS = ("findings", "output", "golden", "updates", "dated", "files", "sha256")
JSON_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
}
RESULT_TABLES = ("truths", "statements", "sources")
#: Further tables of a run that was given known truth.
LABEL_TABLES = ("sources_by_attribute", "crossfit")
#: The table of sources in another format, of a run that has such.
CLASHES_TABLE = "clashes"
#: A table of runs with closed attributes: what each source claims for each believed value.
CONFUSIONS = "confusions"
#: A table of runs with attributes whose truth changes: when each value was true.
TIMELINES = "timelines"


def check_run_folder(folder: Path) -> None:
    """Refuse a folder that is not that of a run, without opening it."""
    if not (folder / RUN_FILE).is_file():
        recover(folder)
    if not (folder / RUN_FILE).is_file():
        within = sorted(path.parent for path in folder.glob(f"*/{RUN_FILE}"))
        hint = (
            f"Did you mean {within[0]}?"
            if within
            else "Make one with `veracity discover CLAIMS -o FOLDER`."
        )
        raise InputError(f"{folder} is not the folder of a run: it has no {RUN_FILE}. {hint}")


def read_description(folder: Path) -> dict[str, Any]:
    """Return what ``run.json`` says."""
    check_run_folder(folder)
    path = folder / RUN_FILE
    try:
        description = dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: {error!r}.") from error
    check_description(description, path)
    _check_parts(path, description)
    _check_within(path, description)
    return description


def _check_parts(path: Path, description: dict[str, Any]) -> None:
    """Refuse a description that lacks a part, or has something else in its place."""
    version = description.get("format")
    if not isinstance(version, int):
        raise InputError(f"{path} is damaged: it has no format. Make the run again.")
    if version > RUN_FORMAT:
        raise InputError(
            f"{path} has format {version}, but this version of veracity reads up to {RUN_FORMAT}. "
            "Use the version that made the run, or a newer one."
        )
    for name, part in run_schema()["properties"].items():
        kinds = JSON_TYPES.get(str(part.get("type")))
        if kinds is None or (name not in description and name in NOT_ALWAYS):
            continue
        if not isinstance(description.get(name), kinds):
            what = f"expected {part['type']} as {name!r}, got {came(description.get(name))}"
            raise InputError(f"{path} is damaged: {what}. Make the run again.")
    if not isinstance(description.get("evaluation"), dict | None):
        raise InputError(f"{path} is damaged: its evaluation is none. Make the run again.")


def _check_within(path: Path, description: dict[str, Any]) -> None:
    """Refuse a description whose parts say too little, or say it in another way than ours."""
    model = description["model"]
    whole = {
        "model": isinstance(model.get("name"), str) and isinstance(model.get("parameters"), dict),
        "notes": all(isinstance(note, dict) and "text" in note for note in description["notes"]),
        "attributes": all(isinstance(one, dict) for one in description["attributes"]),
        "inputs": all(isinstance(files, list) for files in description["inputs"].values()),
        "columns": all(isinstance(name, str) for name in description["columns"].values()),
        "counts": "n_claims" in description["counts"],
        "settings": isinstance(description["settings"].get("attributes"), dict),
    }
    wrong = [name for name, is_whole in whole.items() if not is_whole]
    if wrong:
        raise InputError(
            f"{path} is damaged: {listing(wrong)} is missing or not as it was written."
        )
