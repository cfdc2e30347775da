"""The benchmark of whole fits measures all that it promises."""

from __future__ import annotations

import pytest
from fit import main, zipf_claims


def test_claims_are_drawn_as_zipf_has_it() -> None:
    claims = zipf_claims(5_000, 4, 500)
    said = claims["worker"].value_counts()
    assert said.iloc[0] > 10 * said.median()
    assert not claims.duplicated(["worker", "task"]).any()
    assert claims["label"].nunique() == 4


def test_a_tiny_size_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("crowdkit")
    main(["--claims", "2000", "--classes", "2", "--sources", "100", "--repeats", "1"])
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split("|")[3].strip() for row in rows] == [
        "default, CPU",
        "default, wall",
        "one pass, CPU",
        "two threads, wall",
        "two passes at a time, wall",
    ]
    assert all(float(row.split("|")[6]) > 0 for row in rows)
