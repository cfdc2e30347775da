"""``veracity verify``: whether the files of a run are as they were written."""

from __future__ import annotations

from veracity.cli.console import Page, print_json
from veracity.cli.explain import RunFolder
from veracity.cli.options import AsJson, Quiet


def verify(run: RunFolder, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Check that every file of a run is as it was written."""
    from veracity.data.notes import plural
    from veracity.errors import InputError, listing
    from veracity.workflow.verification import verify as verify_run

    found = verify_run(run)
    if as_json:
        print_json(found.as_dict())
    if found.problems:
        raise InputError(
            f"{plural(len(found.problems), 'problem')} in {run}:\n" + "\n".join(found.problems)
        )
    if not as_json and not quiet:
        page = Page()
        page.line(f"{run} is intact: {plural(found.n_files, 'file')} checked.", style="bold")
        if found.unlisted:
            page.line(f"Not written by the run, so not checked: {listing(found.unlisted)}.")
