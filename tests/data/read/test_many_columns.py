"""Files with thousands of columns are read; rows of ever new keys are refused in plain words."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from veracity import Claims
from veracity.data.read import tables
from veracity.errors import InputError

CLAIMS = [
    {"source": "ann", "entity": "sky", "value": "blue"},
    {"source": "bob", "entity": "sky", "value": "grey"},
    {"source": "cat", "entity": "sea", "value": "blue"},
]


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    """Write rows as JSON lines."""
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def test_rows_with_hundreds_of_keys_are_rows(tmp_path: Path) -> None:
    more = {f"x{number}": "1" for number in range(300)}
    read = Claims.read(written(tmp_path / "claims.jsonl", [row | more for row in CLAIMS]))
    assert len(read) == 3


def test_rows_with_keys_of_their_own_are_rows(tmp_path: Path) -> None:
    rows = [
        CLAIMS[place % 3] | {"entity": f"e{place}"} | {f"x{place}_{n}": "1" for n in range(9)}
        for place in range(60)
    ]
    assert len(Claims.read(written(tmp_path / "claims.jsonl", rows))) == 60


def test_too_many_keys_are_counted_and_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_KEYS", 5)
    rows = [row | {f"x{place}": "1"} for place, row in enumerate(CLAIMS)]
    with pytest.raises(InputError, match="have 6 different keys; at most 5 are read"):
        Claims.read(written(tmp_path / "claims.jsonl", rows))


def test_parquet_columns_with_parts_keep_their_places(tmp_path: Path) -> None:
    path = tmp_path / "claims.parquet"
    columns = {
        "tags": [["a", "b"], [], ["c"]],
        "source": ["ann", "bob", "cat"],
        "place": [{"x": 1, "y": {"z": [2]}}] * 3,
        "entity": ["sky", "sky", "sea"],
        "value": ["blue", "grey", "blue"],
    }
    pq.write_table(pa.table(columns), path)
    assert Claims.read(path).matrix.sources.to_pylist() == ["ann", "bob", "cat"]
