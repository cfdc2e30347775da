"""``veracity audit``: a random sample of verdicts to check, and how far the checking is."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.console import Page, print_json
from veracity.cli.explain import RunFolder
from veracity.cli.options import AsJson, Quiet
from veracity.cli.table_files import (
    Escape,
    Output,
    Overwrite,
    check_table_file,
    write_table_file,
)
from veracity.data.notes import plural

if TYPE_CHECKING:
    from veracity.workflow.audits import Audit, AuditState


def audit(
    run: RunFolder,
    size: Annotated[
        int, typer.Option(help="How many verdicts to draw in all; more continue the draw.", min=1)
    ] = 100,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the random order; 0 if not given.", min=0, show_default=False),
    ] = None,
    output: Output = None,
    overwrite: Overwrite = False,
    escape: Escape = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Draw verdicts at random for people to check, as a guarantee needs them."""
    from veracity.workflow import open_run
    from veracity.workflow.audits import Audit
    from veracity.workflow.sheets import sheet

    check_table_file(output, overwrite)
    found = Audit(open_run(run))
    state = found.draw(size, seed)
    waiting = found.open_items()
    caution = ""
    if output is not None and waiting:
        table = sheet(found.matrix, [one.item for one in waiting], [one.number for one in waiting])
        caution = write_table_file(table, output, escape)
    if as_json:
        print_json(asdict(state) | {"n_open": state.n_open})
    elif not quiet:
        show_state(Page(), found, state)
        show_what_to_do(Page(), run, state, output, caution)


def show_state(page: Page, found: Audit, state: AuditState) -> None:
    """Print how far the audit is, and what it carries so far."""
    from veracity.evaluation.guarantee import MODEST, Limit
    from veracity.workflow.promises import state_sentences

    done = state.n_marked + state.n_skipped
    page.line(
        f"{done:,} of {plural(state.n_drawn, 'drawn verdict')} audited, of {state.n_items:,} in "
        f"all; {state.n_wrong:,} wrong, {state.n_skipped:,} skipped.",
        style="bold",
    )
    if state.n_counted:
        counts = [(found.guarantee(limit).n_listed, limit) for limit in (Limit(), MODEST)]
        parts = [f"{f'{count:,}' if count else 'none'} at {limit}" for count, limit in counts]
        page.line(f"Verdicts that can be accepted: {', '.join(parts)}.")
    for sentence in state_sentences(state):
        page.line(sentence)


def show_what_to_do(
    page: Page, run: Path, state: AuditState, output: Path | None, caution: str
) -> None:
    """Print what comes next."""
    from veracity.workflow.sheets import CANNOT_TELL

    page.line()
    if state.next is None:
        page.line(
            f"All that are drawn are done. `veracity accept {run}` states what can be accepted; "
            f"`veracity audit {run} --size {state.n_drawn + 100}` draws more."
        )
    elif output is None:
        page.line("To mark them, write a sheet with --output FILE.csv, or use `veracity serve`.")
    else:
        page.line(f"Written to {output}. {caution}".rstrip())
        page.line(
            "Fill in the column value; add a row for each if several values are true. "
            f"{CANNOT_TELL} means that nobody can tell, and empty cells stay open."
        )
        page.line(f"Then: veracity marks {run} --read {output}")
