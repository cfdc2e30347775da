"""Writing tables into pages of the documentation, where the page has room for them."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def write_into(page: str, command: str, content: str) -> None:
    """Put what a command makes between the two lines of a page that name the command."""
    path = DOCS / page
    begin, end = f"<!-- written by {command} -->", f"<!-- end of what {command} writes -->"
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        sys.exit(f"{path} has no place for the tables: a line {begin} and a line {end}.")
    path.write_text(f"{before}{begin}\n\n{content}\n\n{end}{after}", encoding="utf-8")
