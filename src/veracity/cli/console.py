"""Console output: progress on standard error, the summary on standard output."""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from veracity.data.notes import Importance, Note, ranked
from veracity.errors import listing

#: Notes on a page, unless more of them are important.
NOTES_SHOWN = 10
#: Work shorter than this shows no progress bar.
PATIENCE_SECONDS = 1.0
CELL_WIDTH = 30
#: Signs that would steer the terminal if data held them.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@contextmanager
def progress_bar(stages: Sequence[str], quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show which stage is under way, if it takes long and somebody is watching."""
    with counting_bar(stages[0], quiet) as count:
        yield lambda stage: count(stages.index(stage), len(stages), stage)


@contextmanager
def counting_bar(first: str, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """Show how much is done, of how much, and what it is; if it takes long and is watched."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total, what: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(first, total=None)
    timer = threading.Timer(PATIENCE_SECONDS, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total, what: bar.update(
            task, description=what or first, completed=done, total=total
        )
    finally:
        timer.cancel()
        bar.stop()


@contextmanager
def log_to_terminal(wanted: bool) -> Iterator[None]:
    """Write the progress of a fit to standard error, if wanted, each line with the time."""
    if not wanted:
        yield
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("veracity")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def print_json(content: Any) -> None:
    """Print plain data as JSON."""
    any_sign = sys.stdout.encoding.lower().startswith("utf")
    sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=not any_sign) + "\n")


class Page:
    """A summary on standard output: headings, lines and small tables, never markup from data."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(highlight=False, soft_wrap=True)

    def line(self, text: str = "", style: str | None = None) -> None:
        """Print a line of plain text."""
        from rich.text import Text

        self._console.print(Text(CONTROL.sub("\ufffd", text), style=style or ""))

    def heading(self, text: str) -> None:
        """Print a heading, with space before it."""
        self.line()
        self.line(text, style="bold")

    def table(self, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print a table; numbers stand to the right and are never cut."""
        cells = [[_cell(cell) for cell in row] for row in rows]
        is_number = [all(_is_number(row[i]) for row in rows) for i in range(len(header))]
        widths = [max(len(name), *(len(row[i]) for row in cells)) for i, name in enumerate(header)]
        self.line(_joined(header, widths, is_number), style="dim")
        for row in cells:
            self.line(_joined(row, widths, is_number))


def _joined(cells: Sequence[str], widths: Sequence[int], is_number: Sequence[bool]) -> str:
    padded = (
        cell.rjust(width) if number else cell.ljust(width)
        for cell, width, number in zip(cells, widths, is_number, strict=True)
    )
    return "  ".join(padded).rstrip()


def _is_number(cell: object) -> bool:
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))


def _cell(cell: object) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:.3f}"
    text = "" if cell is None else " ".join(str(cell).split())
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 1] + "…"


def show_notes(page: Page, notes: Sequence[Note]) -> None:
    """Print notes, what matters most first; where they are many, information is left out."""
    if not notes:
        return
    page.heading("Notes")
    in_order = ranked(notes)
    important = [note for note in in_order if note.importance != Importance.INFORMATION]
    shown = in_order[: max(NOTES_SHOWN, len(important))]
    for note in shown:
        page.line(f"- {note}")
    if left := in_order[len(shown) :]:
        about = listing(dict.fromkeys(note.subject for note in left))
        page.line(f"- and {len(left)} more on {about}, in run.json")
