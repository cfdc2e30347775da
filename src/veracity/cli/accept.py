"""``veracity accept``: verdicts whose error rate is guaranteed by an audit, or expected."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from veracity.evaluation.guarantee import Guarantee
    from veracity.workflow.acceptance import Accepted


def accept(
    run: RunFolder,
    error_rate: Annotated[
        float, typer.Option(help="Largest share of errors among the accepted verdicts.")
    ] = 0.05,
    confidence: Annotated[
        float, typer.Option(help="How sure to be that there are no more, from 0.5 on.")
    ] = 0.95,
    output: Output = None,
    overwrite: Overwrite = False,
    escape: Escape = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """State the verdicts that can be accepted, with the guarantee that the audits give."""
    from veracity.evaluation.guarantee import Limit
    from veracity.workflow import open_run
    from veracity.workflow.acceptance import accept as accepted_by
    from veracity.workflow.audits import Audit

    check_table_file(output, overwrite)
    limit = Limit(error_rate, confidence)
    accepted = accepted_by(Audit(open_run(run)), limit)
    caution = ""
    if output is not None and len(accepted.table):
        caution = write_table_file(accepted.table.to_arrow(), output, escape)
    if as_json:
        print_json(_plain(accepted))
    elif not quiet:
        page = Page()
        show_accepted(page, accepted)
        if output is not None:
            page.line()
            written = f"Written to {output}. {caution}".rstrip()
            page.line(written if len(accepted.table) else "No file was written.")


def show_accepted(page: Page, accepted: Accepted) -> None:
    """Print the promise, and what it rests on."""
    from veracity.workflow.promises import headline, reasons

    page.line(headline(accepted), style="bold")
    for sentence in reasons(accepted):
        page.line(sentence)


def _plain(accepted: Accepted) -> dict[str, Any]:
    """Return the result as plain data, without its table."""
    from veracity.workflow.promises import headline, reasons

    return {
        "basis": accepted.basis,
        "n_accepted": accepted.n_accepted,
        "n_verdicts": accepted.n_verdicts,
        "expected_errors": accepted.expected_errors,
        "guarantee": _with_counts(accepted.guarantee),
        "modest": None if accepted.modest is None else _with_counts(accepted.modest),
        "audit": asdict(accepted.state),
        "text": [headline(accepted), *reasons(accepted)],
    }


def _with_counts(guarantee: Guarantee) -> dict[str, Any]:
    counts = {name: getattr(guarantee, name) for name in ("n_listed", "share", "n_more")}
    return asdict(guarantee) | counts
