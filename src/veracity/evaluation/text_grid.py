"""Tables of text: for a terminal, in blocks that fit its width, and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 100
GAP = "  "


@dataclass(frozen=True)
class Grid:
    """A table under a title; the first column names the rows, the others stand to the right.

    >>> print("\\n".join(Grid("Accuracy", ["model", "quiz"], [["vote", "0.9"]]).lines()))
    model  quiz
    vote    0.9
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: str = ""

    def lines(self, width: int = WIDTH) -> list[str]:
        """Return the table as lines; columns that do not fit go to further blocks below."""
        table = [self.header, *self.rows]
        widths = [max(len(row[column]) for row in table) for column in range(len(self.header))]
        lines: list[str] = []
        for block in _blocks(widths, width):
            lines += [""] if lines else []
            lines += [_line(row, widths, block) for row in table]
        return lines

    def markdown(self) -> str:
        """Return title, text and table as Markdown."""
        rule = ["---", *["--:"] * (len(self.header) - 1)]
        table = [self.header, rule, *self.rows]
        shown = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in table)
        parts = [f"## {self.title}", self.text, "\n".join(f"| {row} |" for row in shown)]
        return "\n\n".join(part for part in parts if part)


def _blocks(widths: Sequence[int], width: int) -> list[list[int]]:
    """Split the columns after the first into blocks that fit beside it."""
    blocks: list[list[int]] = [[]]
    taken = widths[0]
    for column in range(1, len(widths)):
        needed = len(GAP) + widths[column]
        if blocks[-1] and taken + needed > width:
            blocks.append([])
            taken = widths[0]
        blocks[-1].append(column)
        taken += needed
    return blocks


def _line(row: Sequence[str], widths: Sequence[int], block: Sequence[int]) -> str:
    cells = [row[0].ljust(widths[0]), *(row[column].rjust(widths[column]) for column in block)]
    return GAP.join(cells).rstrip()
