"""The benchmark of reading runs at a tiny size, and both votes are about the same tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

ingest = pytest.importorskip("ingest")


@pytest.mark.filterwarnings("ignore:::crowdkit", "ignore:::pandas")
def test_a_tiny_crowd_is_voted_on_by_both() -> None:
    pytest.importorskip("crowdkit")
    ours, theirs = ingest.veracity_crowd(500, 3)(), ingest.crowdkit_crowd(500, 3)()
    assert ours == theirs == 100


def test_a_tiny_table_is_read_as_pandas_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "DATA", tmp_path)
    path = str(ingest.make_claims(200))
    assert ingest.veracity_csv(path)() == ingest.pandas_csv(path)() == 200
    assert ingest.veracity_vote(path)() < ingest.veracity_tables(path)()
