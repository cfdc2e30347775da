"""The report of a saved run, made again in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from veracity.data.output.locks import writing_into
from veracity.data.output.together import finish, together
from veracity.data.output.write import CHARTS_FOLDER
from veracity.errors import OutputError, listing
from veracity.report.files import Report
from veracity.workflow.files import RUN_FILE, read_description
from veracity.workflow.manifest import FILES, hashes_of, sealed
from veracity.workflow.publication import charts_in


def put_report(folder: Path, made: Report, description: dict[str, Any]) -> None:
    """Put a report into the folder of the run that it is about, in place of an earlier one.

    `description` is that of the run when it was opened.
    """
    ours = charts_in(folder, description)
    _check_place(folder / CHARTS_FOLDER, ours)
    try:
        with writing_into(folder):
            finish(folder)
            if read_description(folder) != description:
                raise OutputError(
                    f"{folder} was changed while its report was made. Make the report again."
                )
            with together(folder) as files:
                made.write(files.place)
                files.gone = ours
                before = description.get(FILES) or hashes_of(folder)
                text = sealed(description, files.place, before, files.gone)
                (files.place / RUN_FILE).write_text(text, encoding="utf-8")
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        reason = error.strerror or str(error)
        raise OutputError(f"The report was not written to {folder}: {reason}.") from error


def _check_place(charts: Path, ours: list[str]) -> None:
    """Refuse to put charts among files of others."""
    if not charts.exists():
        return
    if not charts.is_dir():
        raise OutputError(f"{charts} is a file, where the charts of the report go. Move it away.")
    names = (path.name for path in charts.iterdir())
    foreign = sorted(name for name in names if f"{CHARTS_FOLDER}/{name}" not in ours)
    if foreign:
        raise OutputError(
            f"{charts} was not written by veracity: it holds {listing(foreign, 3)}. Move that "
            "away, or write the page alone with -o."
        )
