"""The only files of a run's folder that are served: its report and its charts."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi import Path as PathParameter
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from veracity.data.output.write import CHARTS_FOLDER, REPORT_FILE
from veracity.errors import VeracityError
from veracity.service.errors import ServiceError
from veracity.service.state import state_of
from veracity.workflow.consistency import read_together
from veracity.workflow.manifest import checked

router = APIRouter(include_in_schema=False)

#: The report brings its own scripts and asks nobody for anything; in a sandbox, they cannot act in
#: the name of the reader either.
REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; "
    "sandbox allow-scripts allow-downloads allow-popups allow-modals"
)


@router.get("/report/file")
def report(request: Request) -> Response:
    """Serve the report of the run."""
    path = _intact(state_of(request).folder, REPORT_FILE)
    return FileResponse(
        path, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY}
    )


@router.get("/report/charts/{name}.json")
def chart(
    request: Request, name: Annotated[str, PathParameter(pattern=r"^[A-Za-z0-9_-]{1,100}$")]
) -> Response:
    """Serve a chart of the report: records and a Vega-Lite specification."""
    path = _intact(state_of(request).folder, f"{CHARTS_FOLDER}/{name}.json")
    return FileResponse(path, media_type="application/json")


def _intact(folder: Path, name: str) -> Path:
    """Return a file of a run, unless it lies elsewhere or is not as it was written."""
    path = (folder / name).resolve()
    if path.parent != (folder / name).parent.resolve() or not path.is_file():
        raise ServiceError(
            404, "not_found", f"The run has no {name}. `veracity report OUT` makes the report."
        )
    try:
        read_together(folder, lambda description: checked(folder, name, description))
    except (VeracityError, OSError):
        raise ServiceError(
            500, "damaged", f"{name} is damaged. `veracity report OUT` makes the report again."
        ) from None
    return path


def static_files() -> StaticFiles:
    """Serve the looks of pages: those of the explorer, then those shared with the report."""
    packages = ("veracity.service", "veracity.report")
    folders = [Path(str(files(package))) / "static" for package in packages]
    app = StaticFiles(directory=folders[0], check_dir=False)
    app.all_directories = list(folders)
    return app
