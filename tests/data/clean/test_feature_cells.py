"""The features of a row are those of the table, whatever their type."""

from __future__ import annotations

import pyarrow as pa

from veracity.data.clean.feature_cells import FeatureCells


def test_cells_are_those_of_the_table() -> None:
    table = pa.table(
        {
            "claim_number": pa.array([1.5, None, 3.0]),
            "claim_flag": pa.array([True, None, False]),
            "source_kind": pa.array(["a", None, "b"]).dictionary_encode(),
            "entity_text": pa.array(["x", "y", None]),
        }
    )
    cells = FeatureCells(table)
    assert [cells.of(row) for row in range(3)] == table.to_pylist()
    joined = FeatureCells(pa.concat_tables([table, table.slice(1)]))
    assert joined.of(4) == table.to_pylist()[2]


def test_no_features() -> None:
    assert FeatureCells(pa.table({})).of(0) == {}
