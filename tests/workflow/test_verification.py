"""Damage of any file of a run is seen, by `verify` and by whoever opens the file."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from veracity import Claims, discover, open_run
from veracity.cli.app import run as command
from veracity.errors import InputError
from veracity.workflow import update
from veracity.workflow.marks import MarkBook
from veracity.workflow.verification import verify

ROWS = [
    (source, f"e{item}", "x" if (item + number) % 3 else "y")
    for number, source in enumerate(("ann", "bob", "cat", "dan"))
    for item in range(12)
]
#: Bits of each file that are turned.
FLIPS = 12


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with all that it can hold: a report, known truth, an update and marks."""
    known = {"entity": ["e0", "e1"], "value": ["x", "y"]}
    run = discover(Claims.from_triples(ROWS), known_truth=known, truth=known)
    out = run.save(tmp_path_factory.mktemp("runs") / "out")
    update(out, Claims.from_triples([("eve", "e3", "x")]), refit=False)
    assert command(["report", str(out), "-q"]) == 0
    book = MarkBook(out)
    book.put("e1", "value", ["x"])
    book.put("e1", "value", ["y"])
    book.skip("e2", "value")
    return out


def names_in(folder: Path) -> list[Path]:
    """Return the files of a run, but for those by which SQLite lets others wait."""
    paths = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in paths if not path.name.endswith(("-wal", "-shm"))]


def test_a_run_is_intact(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["verify", str(made)]) == 0
    assert "is intact" in capsys.readouterr().out
    found = verify(made)
    assert found.n_files == len(names_in(made))
    assert found.unlisted == []
    open_run(made)


def test_every_file_that_is_changed_missing_or_foreign_is_named(made: Path, tmp_path: Path) -> None:
    for name in names_in(made):
        if name.suffix != ".sqlite":
            copy = Path(shutil.copytree(made, tmp_path / str(name).replace("/", "-")))
            (copy / name).unlink()
            if name.name == "run.json":
                with pytest.raises(InputError, match="not the folder of a run"):
                    verify(copy)
            else:
                assert any(name.name in problem for problem in verify(copy).problems)
    (copy / "notes.txt").write_text("mine")
    assert verify(copy).unlisted == ["notes.txt"]


def test_no_turned_bit_changes_what_is_shown(made: Path, tmp_path: Path) -> None:
    """Either the damage is named, or nothing that anybody sees has changed."""
    copy = Path(shutil.copytree(made, tmp_path / "out"))
    rng = np.random.default_rng(0)
    shown = _shown(copy)
    unseen = []
    for name in names_in(made):
        whole = (made / name).read_bytes()
        for place in rng.integers(0, 8 * len(whole), FLIPS).tolist():
            turned = bytearray(whole)
            turned[place // 8] ^= 1 << place % 8
            (copy / name).write_bytes(turned)
            try:
                problems = verify(copy).problems
            except InputError:
                continue
            if not problems and _shown(copy) != shown:
                unseen.append((str(name), place))
        (copy / name).write_bytes(whole)
    assert unseen == []


def _shown(folder: Path) -> object:
    run = open_run(folder)
    marks = MarkBook(folder)
    tables = (run.truths, run.statements, run.sources)
    rows = [table.to_arrow().to_pylist() for table in tables]
    return rows, marks.read(), marks.skipped(), run.claims_table.to_pylist()


@pytest.mark.parametrize("name", ["claims.parquet", "model.json", "known_truth.parquet"])
def test_who_opens_a_damaged_file_is_told(made: Path, tmp_path: Path, name: str) -> None:
    copy = Path(shutil.copytree(made, tmp_path / "out"))
    with (copy / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(InputError, match=rf"{name} is damaged"):
        open_run(copy)
    assert command(["verify", str(copy)]) == 2


def test_tables_are_checked_when_they_are_read(made: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(made, tmp_path / "out"))
    shutil.copy(copy / "sources.parquet", copy / "truths.parquet")
    run = open_run(copy)
    with pytest.raises(InputError, match=r"truths.parquet is damaged"):
        len(run.truths)
