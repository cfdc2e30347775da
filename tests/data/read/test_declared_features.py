"""Feature columns that the user names: kinds, names from then on, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import veracity
from veracity import Claims
from veracity.data.read.declared_features import features_of, features_of_options, present
from veracity.errors import AmbiguousColumn, InvalidParameter, MissingColumn

TABLE: dict[str, Any] = {
    "source": ["ann", "bob", "ann", "bob"],
    "entity": ["x", "x", "y", "y"],
    "value": ["1", "2", "1", "1"],
    "confidence": [0.9, 0.2, 0.7, 0.1],
    "site_type": ["shop", "library", "shop", "library"],
    "year": ["2001", "2001", "1999", "1999"],
}


def test_a_list_and_a_mapping_say_what_columns_describe() -> None:
    assert features_of(["confidence", "source_age"]) == {
        "confidence": "claim",
        "source_age": "source",
    }
    assert features_of({"site_type": "source"}) == {"site_type": "source"}


def test_options_have_the_kind_after_a_colon() -> None:
    given = ["confidence", "site_type:source", "a:b", "year:entity"]
    assert features_of_options(given) == {
        "confidence": "claim",
        "site_type": "source",
        "a:b": "claim",
        "year": "entity",
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("confidence", "must be a list of columns"),
        ([3], "must name columns. Got 3, a int"),
        ({"confidence": "sorce"}, r"one of claim, source, entity. Got 'confidence': 'sorce'"),
    ],
)
def test_what_is_no_feature_is_refused(given: Any, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        Claims.from_frame(TABLE, features=given)


def test_features_have_the_name_of_their_kind_from_then_on() -> None:
    kinds = {"confidence": "claim", "site_type": "source", "year": "entity"}
    claims = Claims.from_frame(TABLE, features=kinds, categories=["year"])  # type: ignore[arg-type]
    assert claims.feature_types == {
        "claim_confidence": "number",
        "source_site_type": "category",
        "entity_year": "category",
    }
    assert claims.columns.ignored == ()
    assert claims.describe_settings()["features"] == kinds


def test_a_declared_feature_plays_no_role() -> None:
    table = TABLE | {"label": ["a", "b", "c", "d"]}
    with pytest.raises(AmbiguousColumn, match="'value' or 'label'"):
        Claims.from_frame(table)
    claims = Claims.from_frame(table, features=["label"])
    assert claims.columns.roles["value"] == "value"
    assert "claim_label" in claims.feature_types


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"features": ["confidense"]}, MissingColumn, "Did you mean 'confidence'"),
        ({"features": ["value"], "value": "value"}, AmbiguousColumn, "as value and as a feature"),
        ({"features": ["own"]}, AmbiguousColumn, "called 'claim_own', and the table has"),
        ({"features": {"id": "source"}}, AmbiguousColumn, "the name of another role"),
    ],
)
def test_columns_that_cannot_be_features_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    table = TABLE | {"own": [1, 2, 3, 4], "claim_own": [1, 2, 3, 4], "id": [1, 2, 1, 2]}
    with pytest.raises(error, match=message):
        Claims.from_frame(table, **options)


def test_a_feature_of_the_source_that_differs_within_one_is_noted() -> None:
    claims = Claims.from_frame(TABLE, features={"year": "source", "site_type": "source"})
    (note,) = [note for note in claims.notes if note.subject == "features"]
    assert note.text.startswith("Feature 'source_year' differs within 2 sources, such as 'ann'.")
    assert note.text.endswith("--feature year:claim.")


def test_other_shapes_take_features_along() -> None:
    records = {"key": [1, 1], "system": ["a", "b"], "name": ["x", "y"], "age": [3, 5]}
    of_records = Claims.from_records(records, key="key", source="system", features=["age"])
    assert of_records.feature_types == {"claim_age": "number"}
    assert [profile.name for profile in of_records.attributes] == ["name"]
    wide = {"item": ["x", "y"], "ann": ["1", "2"], "bob": ["1", "1"], "words": [7, 9]}
    of_wide = Claims.from_wide(wide, features={"words": "entity"})
    assert of_wide.matrix.sources.to_pylist() == ["ann", "bob"]
    assert of_wide.features["entity_words"].to_pylist() == [7, 9, 7, 9]


def test_limited_memory_reads_the_same_features(tmp_path: Path) -> None:
    import pyarrow.csv

    pyarrow.csv.write_csv(pa.table(TABLE), tmp_path / "claims.csv")
    options: Any = {"features": {"confidence": "claim", "site_type": "source"}}
    whole = Claims.read(tmp_path / "claims.csv", **options)
    blocks = Claims.read(tmp_path / "claims.csv", memory="1GB", **options)
    assert blocks.feature_types == whole.feature_types
    assert blocks.columns == whole.columns


def test_a_further_table_may_lack_familiar_features() -> None:
    named: Any = {"confidence": "claim", "site_type": "source"}
    assert present(named, ["confidence", "source_site_type"]) == {"confidence": "claim"}
    assert present(named, ["confidence", "claim_confidence"]) == {}
    table = {name: TABLE[name] for name in ("source", "entity", "value", "confidence")}
    claims = Claims.from_frame(table, familiar_features=named)
    assert claims.feature_types == {"claim_confidence": "number"}


def test_a_run_and_its_update_know_features_by_both_names(tmp_path: Path) -> None:
    options: Any = {"features": {"confidence": "claim", "site_type": "source"}}
    run = veracity.discover(pa.table(TABLE), model="vote", **options)
    run.save(tmp_path / "run", report=False)
    assert run.describe()["features"] == {
        "claim_confidence": "number",
        "source_site_type": "category",
    }
    new = {"source": ["cat"], "entity": ["x"], "value": ["2"], "confidence": [0.4]}
    updated = veracity.update(tmp_path / "run", pa.table(new))
    assert any("lack source_site_type" in note.text for note in updated.found.notes)
    prefixed = {"source": ["dan"], "entity": ["x"], "value": ["2"], "claim_confidence": [0.4]}
    veracity.update(tmp_path / "run", pa.table(prefixed), write_tables=True)
    claims = pa.parquet.read_table(tmp_path / "run" / "claims.parquet")
    assert sorted(filter(None, claims["claim_confidence"].to_pylist())) == [
        0.1, 0.2, 0.4, 0.4, 0.7, 0.9,
    ]  # fmt: skip
