"""Files in the folder of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from veracity.errors import InputError

RUN_FILE = "run.json"
CLAIMS_FILE = "claims.parquet"
TRUTH_FILE = "truth.parquet"
KNOWN_TRUTH_FILE = "known_truth.parquet"
RULES_FILE = "rules.parquet"
#: Of a run on records: the record of each claim, and all entities in order.
RECORDS_FILE = "records.parquet"
ENTITIES_FILE = "entities.parquet"
RUN_FORMAT = 1
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
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} is damaged: {error!r}.") from error
