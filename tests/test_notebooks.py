"""Tutorials are notebooks: they run from the first cell to the last, and print what they show."""

from __future__ import annotations

import doctest
import re
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import veracity

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
NOTEBOOKS = sorted(path for path in TUTORIALS.iterdir() if path.suffix in (".md", ".py", ".ipynb"))
#: Seconds for one cell; the machine may be busy.
PATIENCE = 600
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def printed(cell: Any) -> str:
    """Return what a cell printed, and its last value."""
    return "".join(
        output.text if output.output_type == "stream" else output.data["text/plain"] + "\n"
        for output in cell.outputs
        if output.output_type in ("stream", "execute_result")
    )


def shown(cell: Any) -> str | None:
    """Return the output that a text shows at its beginning, right below a cell."""
    block = re.match(r"```text\n(.*?)^```$", cell.source, re.M | re.S)
    return block[1] if block and cell.cell_type == "markdown" else None


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_tutorial_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(veracity.__file__).parents[1]))  # in the kernel, too
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of Jupyter are not ours
        import jupytext
        from nbclient import NotebookClient

        notebook = jupytext.read(path)
        client = NotebookClient(
            notebook,
            timeout=PATIENCE,
            kernel_name="python3",
            resources={"metadata": {"path": str(tmp_path)}},
        )
        client.execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells
    assert all(cell.execution_count is not None for cell in cells)
    for cell, text in pairwise(notebook.cells):
        expected = shown(text)
        if expected is not None:
            same = doctest.OutputChecker().check_output(expected, printed(cell), LENIENT)
            assert same, f"{cell.source}\nprinted:\n{printed(cell)}"
