"""The benchmark of scale watches processes, and tells how their costs grow."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scale import PEERS, main, row_of, watch
from scale_page import Cost, exponents, page


def test_a_run_is_watched_with_its_children() -> None:
    child = "import time; held = b'x' * 60_000_000; time.sleep(1)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    cost = watch("children", 10, [sys.executable, "-c", parent], limit=60.0)
    assert not cost.failed
    assert cost.peak_mb > 55


def test_a_run_that_fails_says_why() -> None:
    cost = watch("failure", 10, [sys.executable, "-c", "raise SystemExit('no claims')"], 60.0)
    assert cost.failed == "no claims"
    assert "no claims" in row_of(cost)


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [((10**6, 10**7), ["1,000,000 to 10,000,000"]), ((10**4, 10**6), ["10,000 to 1,000,000"])],
)
def test_growth_is_told_from_a_million_on(sizes: tuple[int, int], shown: list[str]) -> None:
    costs = [Cost("grbm", size, 1.0, size / 10**5, 1.0, 0.0) for size in sizes]
    told = list(exponents(costs))
    assert len(told) == len(shown)
    assert all(text in sentence for text, sentence in zip(shown, told, strict=True))
    assert told[0].endswith("1.00")


def test_a_page_has_a_column_for_each_size_and_says_what_failed() -> None:
    costs = [
        Cost("grbm, 4GB", 10**6, 9.0, 10.0, 500.0, 90.0),
        Cost("grbm, 4GB", 10**8, 900.0, 1000.0, 3500.0, 9000.0),
        Cost("peer", 10**6, 5.0, 5.0, 800.0, 0.0),
        Cost("peer", 10**8, 5.0, 5.0, 800.0, 0.0, failed="out of memory"),
    ]
    written = page(costs)
    assert "| run | 1,000,000 | 100,000,000 | µs a claim | grows as |" in written
    assert "| grbm, 4GB | 10.0 | 1,000.0 | 10.00 | 1.00 |" in written
    assert "| peer | 5.0 |  | 5.00 |  |" in written
    assert "| grbm, 4GB | 500 | 3,500 | 9,000 |" in written
    assert "- peer, 100,000,000 claims: out of memory" in written


def test_runs_whose_figures_are_kept_are_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "costs.json"
    kept.write_text(json.dumps([asdict(Cost("vote, 2GB", 500, 1.0, 1.0, 1.0, 0.0))]))
    given = ["scale.py", "--claims", "500", "--sources", "20", "--models", "vote"]
    monkeypatch.setattr(sys, "argv", [*given, "--json", str(kept), "--folder", str(tmp_path)])
    main()
    assert "| vote, 2GB |" not in capsys.readouterr().out
    assert len(json.loads(kept.read_text())) == 1


@pytest.mark.parametrize("name", [name for name in PEERS if name.startswith(("numpy", "floor"))])
def test_peers_take_a_file_of_claims(name: str, tmp_path: Path) -> None:
    path = tmp_path / "claims.parquet"
    claims = {"source": ["a", "b", "c"], "entity": ["x", "x", "y"], "value": ["1", "2", "1"]}
    pq.write_table(pa.table(claims), path)
    PEERS[name](str(path))


def test_a_matrix_that_is_too_large_for_snorkel_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("snorkel")
    path = tmp_path / "claims.parquet"
    claims = {"source": ["a", "b"], "entity": ["x", "x"], "value": ["1", "2"]}
    pq.write_table(pa.table(claims), path)
    monkeypatch.setattr("scale.MOST_OF_SNORKEL", 1.0)
    with pytest.raises(SystemExit, match="GB"):
        PEERS["Snorkel LabelModel"](str(path))
