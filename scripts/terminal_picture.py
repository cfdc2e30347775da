"""Draw what `veracity discover` prints on the shipped example: docs/images/discover.svg.

Run it with `make picture` after the summary or the example changes. The command runs as a user
would run it, in an empty folder; what it prints is drawn as an SVG that loads nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path
from string import Template

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from veracity.datasets import example

TARGET = Path(__file__).parents[1] / "docs" / "images" / "discover.svg"
COMMAND = ("discover", "claims.csv", "--truth", "truth.csv", "-o", "results")

BACKGROUND, FOREGROUND = (27, 31, 40), (222, 226, 233)
THEME = TerminalTheme(BACKGROUND, FOREGROUND, [FOREGROUND] * 8)

#: Longer lines are wrapped, as a terminal does.
COLUMNS = 100

#: The size of a cell, as rich draws it, and the space around the text.
CELL_WIDTH, LINE_HEIGHT, PADDING = 12.2, 24.4, 22

#: A plain frame, the fonts that the reader's machine has, and no address to load anything from.
#: What stands in braces is filled in by rich, what stands after a dollar sign by us.
SVG_FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" role="img" \
aria-label="What veracity discover prints on the shipped example">
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
    font-size: {char_height}px;
    line-height: {line_height}px;
}}
{styles}
</style>
<defs>{lines}</defs>
<rect width="$width" height="$height" rx="10" fill="#1b1f28"/>
<g transform="translate($padding, $padding)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def run_command() -> str:
    """Run the command in an empty folder and return what a terminal would get."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("claims.csv", "truth.csv"):
            shutil.copy(example.path().parent / name, folder)
        finished = subprocess.run(
            [sys.executable, "-m", "veracity", *COMMAND],
            cwd=folder,
            env={**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        )
    return finished.stdout


def draw(printed: str) -> str:
    """Return the picture of a terminal with the command and what it printed."""
    lines = [Text("$ ", style="dim").append(f"veracity {' '.join(COMMAND)}", style="not dim bold")]
    for printed_line in printed.rstrip().splitlines():
        lines += Text.from_ansi(printed_line).wrap(Console(), COLUMNS) or [Text()]
    columns = max(line.cell_len for line in lines)
    console = Console(
        record=True,
        file=StringIO(),
        width=columns,
        highlight=False,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    for line in lines:
        console.print(line)
    frame = Template(SVG_FORMAT).substitute(
        width=round(columns * CELL_WIDTH + 2 * PADDING),
        height=round(len(lines) * LINE_HEIGHT + 2 * PADDING),
        padding=PADDING,
    )
    svg = console.export_svg(title="", theme=THEME, code_format=frame, unique_id="terminal")
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(draw(run_command()), encoding="utf-8")
