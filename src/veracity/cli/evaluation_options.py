"""Options that the commands that measure models share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Models = Annotated[
    str,
    typer.Option(help="Models to run: names, all, or default.", metavar="A,B,...|all"),
]
Seeds = Annotated[int, typer.Option(help="Number of seeds, for ties and random starts.", min=1)]
Peers = Annotated[
    bool, typer.Option("--peers", help="Run crowd-kit's methods as well, if it is installed.")
]
TimeLimit = Annotated[
    float | None,
    typer.Option(help="Wall-clock time limit of a fit.", metavar="SECONDS", show_default=False),
]
Jobs = Annotated[int, typer.Option(help="Number of parallel processes.", min=1)]
Markdown = Annotated[
    Path | None, typer.Option(help="Write the tables as Markdown.", metavar="FILE")
]
Picture = Annotated[Path | None, typer.Option(help="Draw the result as SVG.", metavar="FILE.svg")]


def names(text: str | None) -> list[str] | None:
    """Read names with commas between them; None if there are none."""
    found = [name.strip() for name in (text or "").split(",") if name.strip()]
    return found or None


def check_outputs(markdown: Path | None, picture: Path | None) -> None:
    """Refuse what could not be written or drawn, before any work is done for it."""
    from veracity.data.output.atomic import check_target
    from veracity.errors import InvalidParameter
    from veracity.scoreboard.picture import check_installed

    for path in (markdown, picture):
        if path is not None:
            check_target(path)
    if picture is not None:
        if picture.suffix.lower() != ".svg":
            raise InvalidParameter(f"--picture takes a file that ends in .svg. Got {picture}.")
        check_installed()
