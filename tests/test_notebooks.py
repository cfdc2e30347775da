"""Tutorials are notebooks, and run from the first cell to the last."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import veracity

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
NOTEBOOKS = sorted(path for path in TUTORIALS.iterdir() if path.suffix in (".md", ".py", ".ipynb"))
#: Seconds for one cell; the machine may be busy.
PATIENCE = 600


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
