"""From a table of claims to results on disk, and from those back to a run."""

from __future__ import annotations

from veracity.workflow.discovery import STAGES, discover
from veracity.workflow.files import RUN_FILE, check_run_folder
from veracity.workflow.golden_records import Golden, golden
from veracity.workflow.loading import load
from veracity.workflow.publication import bring_up_to_date
from veracity.workflow.run import Run, check_engine
from veracity.workflow.saved_run import SavedRun, open_run
from veracity.workflow.updates import Updated, summary_line, update

__all__ = [
    "RUN_FILE",
    "STAGES",
    "Golden",
    "Run",
    "SavedRun",
    "Updated",
    "bring_up_to_date",
    "check_engine",
    "check_run_folder",
    "discover",
    "golden",
    "load",
    "open_run",
    "summary_line",
    "update",
]
