"""Ground truth, from files and frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from veracity import GroundTruth
from veracity.errors import AmbiguousColumn, InputError, MissingColumn


@pytest.mark.parametrize("value", ["value", "truth", "gold", "label", "PropertyValue"])
@pytest.mark.parametrize("entity", ["entity", "task", "ObjectID"])
def test_columns_by_synonym(entity: str, value: str) -> None:
    truth = GroundTruth.from_frame({entity: ["x"], value: [1]})
    assert truth.to_arrow().to_pylist() == [{"entity": "x", "attribute": "value", "value": "1"}]


def test_read_and_of(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("entity,attribute,value\nx,size,1\nx,size,2\ny,size,1\ny,size,\n")
    truth = GroundTruth.read(path)
    assert len(truth) == 2
    assert repr(truth) == "GroundTruth(2 items)"
    assert truth.to_arrow().num_rows == 3
    assert GroundTruth.of(truth) is truth
    for given in (path, str(path), pd.read_csv(path, dtype=str)):
        assert GroundTruth.of(given).to_arrow() == truth.to_arrow()


def test_columns_may_be_named() -> None:
    frame = {"a": ["x"], "b": ["1"]}
    assert len(GroundTruth.from_frame(frame, entity="a", value="b")) == 1
    with pytest.raises(MissingColumn, match="No entity column"):
        GroundTruth.from_frame(frame)
    with pytest.raises(AmbiguousColumn, match=r"'truth' or 'gold'|'gold' or 'truth'"):
        GroundTruth.from_frame({"entity": ["x"], "truth": ["1"], "gold": ["1"]})


@pytest.mark.parametrize("cells", [[], [None], [""]])
def test_truth_without_rows(cells: list[Any]) -> None:
    with pytest.raises(InputError, match="has no rows"):
        GroundTruth.from_frame({"entity": ["x"][: len(cells)], "value": cells})


def test_ragged_truth_is_refused(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("entity,value\nx,1\ny\n")
    with pytest.raises(InputError, match="1 row without exactly 2 cells"):
        GroundTruth.read(tmp_path / "truth.csv")
