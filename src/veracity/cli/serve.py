"""``veracity serve``: the explorer and the scoring service on a run."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer

from veracity.cli.explain import RunFolder
from veracity.cli.options import Quiet
from veracity.errors import MissingDependency

if TYPE_CHECKING:
    from veracity.service.server import Address
    from veracity.service.state import ServiceState

NEEDED = ("fastapi", "uvicorn")
MEGABYTE = 2**20


def serve(
    run: RunFolder,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but this machine's needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any free one.")] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="VERACITY_TOKEN", help="Token that clients must send.", show_default=False
        ),
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the explorer in a browser.")
    ] = False,
    max_claims: Annotated[
        int, typer.Option(min=1, help="Largest number of claims scored at once.")
    ] = 100_000,
    max_megabytes: Annotated[
        int, typer.Option(min=1, help=("Largest size of a request, in megabytes."))
    ] = 16,
    score_seconds: Annotated[
        float, typer.Option(min=0.001, help="Longest time for scoring, in seconds.")
    ] = 30.0,
    score_slots: Annotated[
        int, typer.Option(min=1, help="Largest number of requests scored at the same time.")
    ] = 2,
    log: Annotated[bool, typer.Option("--log", help="Print a line for each request.")] = False,
    quiet: Quiet = False,
) -> None:
    """Explore a run in a browser, and score new claims over HTTP."""
    _check_installed()
    from veracity.service.server import serve as serve_run
    from veracity.service.settings import ServiceSettings
    from veracity.workflow import check_run_folder

    check_run_folder(run)
    settings = ServiceSettings(
        token=token or None,
        max_body=max_megabytes * MEGABYTE,
        max_claims=max_claims,
        score_seconds=score_seconds,
        score_slots=score_slots,
    )

    def started(address: Address) -> None:
        if not quiet:
            typer.echo(f"veracity serves {run} at {address.url} (Ctrl-C ends it)")
        if open_browser:
            _open(address.url + (f"?{urlencode({'token': token})}" if token else ""))

    def loaded(state: ServiceState) -> None:
        if not quiet:
            typer.echo(f"The run is loaded: {len(state.store.index):,} items.")

    serve_run(run, host, port, settings, log=log, started=started, loaded=loaded)


def _check_installed() -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingDependency(
            f"The service needs {' and '.join(missing)}: install it with "
            "`pip install 'veracity[service]'`."
        )


def _open(url: str) -> None:
    import webbrowser

    if not webbrowser.open(url) and os.isatty(2):
        typer.echo(f"No browser could be opened. Open {url} yourself.", err=True)
