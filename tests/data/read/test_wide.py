"""Tables of thousands of columns: read in full, and only what is used is copied."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from veracity import Attribute, Claims
from veracity.data.read.delimited import HEADER_BYTES
from veracity.data.read.wide import WIDE
from veracity.errors import InputError, InvalidParameter

ROWS = [("ann", "sky", "blue", "3"), ("bob", "sky", "grey", "5"), ("eve", "sea", "blue", "4")]


def written(path: Path, names: list[str], rows: int = 3) -> Path:
    """Write claims with further columns between value and a feature."""
    header = ",".join(["source", "entity", "value", *names, "claim_age"])
    body = [",".join([*row[:3], *["x"] * len(names), row[3]]) for row in ROWS[:rows]]
    path.write_text("\n".join([header, *body]) + "\n")
    return path


def test_a_wide_table_gives_the_same_claims_as_a_narrow_one(tmp_path: Path) -> None:
    few = Claims.read(written(tmp_path / "few.csv", ["extra"]))
    many = Claims.read(written(tmp_path / "many.csv", [f"extra{n}" for n in range(3 * WIDE)]))
    assert many.matrix.sources.equals(few.matrix.sources)
    assert np.array_equal(many.matrix.statement_index, few.matrix.statement_index)
    assert many.features.equals(few.features)


def test_a_wide_frame_gives_the_same_claims_as_a_narrow_one() -> None:
    columns = {f"extra{n}": ["x"] * 3 for n in range(3 * WIDE)}
    source, entity, value, _ = zip(*ROWS, strict=True)
    claims = {"value": list(value), "entity": list(entity), "source": list(source)}
    few, many = Claims.from_frame(claims), Claims.from_frame({**columns, **claims})
    assert many.matrix.sources.equals(few.matrix.sources)
    assert many.matrix.entities.equals(few.matrix.entities)
    assert many.matrix.values.equals(few.matrix.values)


def test_a_ragged_row_of_a_wide_table_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "many.csv", [f"extra{n}" for n in range(3 * WIDE)])
    path.write_text(path.read_text() + "ann,sea\n")
    with pytest.raises(InputError, match="without exactly 1504 cells"):
        Claims.read(path)


def test_a_header_longer_than_what_is_read_first_is_read_to_its_end(tmp_path: Path) -> None:
    names = [f"{n}{'long' * 4000}" for n in range(1 + HEADER_BYTES // 16_000)]
    claims = Claims.read(written(tmp_path / "long.csv", names))
    assert claims.matrix.n_claims == 3
    assert claims.features.column_names == ["claim_age"]


def test_a_header_that_never_ends_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "endless.csv"
    path.write_bytes(b'source,entity,"' + b"value,\n" + b"value," * 3_000_000)
    with pytest.raises(InputError, match="header is longer than 16 MB"):
        Claims.read(path)


def test_an_order_of_thousands_of_levels_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="order names 10,000 values; expected 101 at most"):
        Attribute(order=[str(level) for level in range(10_000)])
    assert len(Attribute(order=[str(level) for level in range(101)]).order or ()) == 101
