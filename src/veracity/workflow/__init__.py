"""From a table of claims to results on disk, and from those back to a run."""

from __future__ import annotations

from veracity.workflow.discovering import STAGES, discover
from veracity.workflow.files import RUN_FILE
from veracity.workflow.opening import SavedRun, check_run_folder, declared_attributes, open_run
from veracity.workflow.run import Run, check_engine

__all__ = [
    "RUN_FILE",
    "STAGES",
    "Run",
    "SavedRun",
    "check_engine",
    "check_run_folder",
    "declared_attributes",
    "discover",
    "open_run",
]
