"""From a table of claims to results on disk, and from those back to a run."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veracity.workflow.discovery import STAGES, discover
    from veracity.workflow.files import RUN_FILE, check_run_folder
    from veracity.workflow.golden_records import Golden, golden
    from veracity.workflow.loading import load
    from veracity.workflow.publication import bring_up_to_date
    from veracity.workflow.run import Run, check_engine
    from veracity.workflow.saved_run import SavedRun, open_run
    from veracity.workflow.updates import Updated, summary_line, update

#: The module of each name; imported at its first use, so that a command starts with what it needs.
_HOMES = {
    "RUN_FILE": "files",
    "STAGES": "discovery",
    "Golden": "golden_records",
    "Run": "run",
    "SavedRun": "saved_run",
    "Updated": "updates",
    "bring_up_to_date": "publication",
    "check_engine": "run",
    "check_run_folder": "files",
    "discover": "discovery",
    "golden": "golden_records",
    "load": "loading",
    "open_run": "saved_run",
    "summary_line": "updates",
    "update": "updates",
}

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


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
