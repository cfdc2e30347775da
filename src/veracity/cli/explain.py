"""``veracity explain``: why a value is believed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from veracity.cli.console import Page, print_json
from veracity.cli.options import AsJson

RunFolder = Annotated[
    Path, typer.Argument(metavar="OUT", help="Folder of a run.", show_default=False)
]


def explain(
    run: RunFolder,
    entity: Annotated[
        str, typer.Argument(metavar="ENTITY", help="Entity to explain.", show_default=False)
    ],
    attribute: Annotated[
        str | None,
        typer.Argument(
            metavar="ATTRIBUTE",
            help="Attribute to explain, if the entity has several.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the evidence for every value of an item, as a sum of log-odds."""
    from veracity.workflow import open_run

    found = open_run(run).explain(entity, attribute)
    if as_json:
        print_json(
            {
                "entity": found.entity,
                "attribute": found.attribute,
                "families": [asdict(family) for family in found.families],
                "statements": [
                    asdict(statement)
                    | {"log_odds": statement.log_odds, "plausibility": statement.plausibility}
                    for statement in found.statements
                ],
            }
        )
        return
    page = Page()
    for line in str(found).splitlines():
        page.line(line)
