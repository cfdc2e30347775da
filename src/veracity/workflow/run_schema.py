"""The JSON schema of ``run.json``, for programs that read runs."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

SCHEMA_FILE = "run.schema.json"


def run_schema() -> dict[str, Any]:
    """Return the JSON schema of ``run.json``, draft 2020-12.

    Examples
    --------
    >>> from veracity.workflow.run_schema import run_schema
    >>> run_schema()["properties"]["error_rate"]["maximum"]
    1
    """
    text = files("veracity.workflow").joinpath(SCHEMA_FILE).read_text(encoding="utf-8")
    return dict(json.loads(text))
