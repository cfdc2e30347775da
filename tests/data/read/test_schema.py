"""Columns by the names they go by."""

from __future__ import annotations

from pathlib import Path

import pytest

from veracity import Claims
from veracity.data.read.schema import find_columns, fold_name
from veracity.errors import AmbiguousColumn, MissingColumn


@pytest.mark.parametrize("source", ["source", "worker", "annotator", "judge", "Source_ID"])
@pytest.mark.parametrize(
    ("entity", "value"),
    [
        ("task", "label"),
        ("item", "answer"),
        ("object", "fact"),
        ("example", "value"),
        ("entity", "Value"),
        ("ObjectID", "PropertyValue"),
    ],
)
def test_synonyms(source: str, entity: str, value: str) -> None:
    columns = find_columns([value, entity, source], {})
    assert columns.roles == {"source": source, "entity": entity, "value": value}


def test_dafna_header(tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text(
        "ClaimID,ObjectID,PropertyID,PropertyValue,SourceID,TimeStamp\n"
        "1,book,author,Ann,shop,2012-12-07\n2,book,author,Bob,shop,2012-12-08\n"
    )
    claims = Claims.read(tmp_path / "claims.csv")
    assert claims.columns.roles == {
        "entity": "ObjectID",
        "attribute": "PropertyID",
        "value": "PropertyValue",
        "source": "SourceID",
        "time": "TimeStamp",
    }
    assert claims.columns.ignored == ("ClaimID",)
    assert [note.count for note in claims.notes if "Columns not used" in note.text] == [1]
    assert [note.count for note in claims.notes if note.subject == "duplicates"] == [1]


def test_what_was_found_is_reported() -> None:
    columns = find_columns(["worker", "entity", "label", "timestamp"], {})
    assert columns.guessed == ("source", "value", "time")
    (note,) = columns.notes()
    assert "source = 'worker'" in note.text
    assert "value = 'label'" in note.text
    assert "entity" not in note.text


def test_explicit_mapping_wins() -> None:
    names = ["source", "worker", "task", "label", "answer"]
    columns = find_columns(names, {"source": "worker", "value": "answer", "entity": "task"})
    assert (columns.roles["source"], columns.roles["value"]) == ("worker", "answer")
    claims = Claims.from_frame(
        {"source": ["a"], "worker": ["w"], "task": ["t"], "label": ["l"], "answer": ["x"]},
        source="worker",
        value="answer",
    )
    assert claims.to_arrow()["source"].to_pylist() == ["w"]
    assert claims.to_arrow()["value"].to_pylist() == ["x"]


def test_ambiguity_names_the_candidates() -> None:
    with pytest.raises(AmbiguousColumn, match=r"'worker' or 'annotator'.*--source worker"):
        find_columns(["worker", "annotator", "task", "label"], {})


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["sorce", "entity", "value"], "No source column.*Did you mean 'sorce'"),
        (["source", "entity", "lable"], "No value column.*Did you mean 'lable'"),
        (["source", "entity"], "No value column.*columns are: source, entity"),
    ],
)
def test_missing_columns_come_with_suggestions(names: list[str], message: str) -> None:
    with pytest.raises(MissingColumn, match=message):
        find_columns(names, {})


def test_given_columns_must_exist() -> None:
    with pytest.raises(MissingColumn, match=r"given as 'wroker'.*Did you mean 'worker'"):
        find_columns(["worker", "task", "label"], {"source": "wroker"})
    with pytest.raises(KeyError):
        find_columns(["worker", "task", "label"], {"source": "wroker"})


def test_features_are_known_by_their_prefix() -> None:
    names = ["source", "entity", "value", "source_age", "claim_order", "entity_kind", "comment"]
    columns = find_columns(names, {})
    assert columns.features == ("source_age", "claim_order", "entity_kind")
    assert columns.ignored == ("comment",)


@pytest.mark.parametrize(
    ("name", "folded"), [("Source_ID", "source"), ("SourceID", "source"), ("id", "id")]
)
def test_fold_name(name: str, folded: str) -> None:
    assert fold_name(name) == folded
