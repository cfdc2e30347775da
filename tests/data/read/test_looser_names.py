"""Looser names of columns: taken where no column has a better one, and where cells agree."""

from __future__ import annotations

from typing import Any

import pytest

from veracity import Claims
from veracity.data.read.schema import LOOSER, SYNONYMS, find_columns
from veracity.errors import AmbiguousColumn, MissingColumn


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (["site", "isbn", "verdict"], ("site", "isbn", "verdict")),
        (["model", "prompt", "response"], ("model", "prompt", "response")),
        (["source_dataset", "cluster_id", "claim"], ("source_dataset", "cluster_id", "claim")),
        (["Rater ID", "Document", "Rating"], ("Rater ID", "Document", "Rating")),
        (["user", "id", "category"], ("user", "id", "category")),
        (["rater", "model", "key", "image", "vote", "category"], ("rater", "image", "vote")),
    ],
)
def test_looser_names_are_found(names: list[str], roles: tuple[str, ...]) -> None:
    columns = find_columns(names, {})
    assert tuple(columns.roles[role] for role in ("source", "entity", "value")) == roles
    assert set(columns.guessed) == {"source", "entity", "value"}


def test_synonyms_come_first() -> None:
    names = ["worker", "task", "label", "model", "document", "rating", "source_dataset"]
    columns = find_columns(names, {})
    assert dict(columns.roles) == {"source": "worker", "entity": "task", "value": "label"}
    assert columns.features == ("source_dataset",)


def test_two_loose_names_for_a_needed_role_are_named() -> None:
    with pytest.raises(AmbiguousColumn, match="--value verdict or --value rating"):
        find_columns(["site", "isbn", "verdict", "rating"], {})


def test_two_loose_names_for_an_optional_role_play_none() -> None:
    columns = find_columns(["source", "entity", "value", "created_at", "updated_at"], {})
    assert "time" not in columns.roles
    assert "--time created_at or --time updated_at" in columns.notes()[0].text


def test_no_name_is_for_two_roles() -> None:
    names = [name for group in SYNONYMS.values() for name in group]
    names += [name for groups in LOOSER.values() for group in groups for name in group]
    assert len(names) == len(set(names))
    assert "confidence" not in names


def test_a_row_number_is_no_entity() -> None:
    table = {"id": ["1", "2", "3"], "rater": ["a", "b", "a"], "vote": ["x", "y", "x"]}
    with pytest.raises(MissingColumn, match="'id' is different in each row"):
        Claims.from_frame(table)
    assert len(Claims.from_frame(table, entity="id")) == 3
    assert Claims.from_frame(table | {"id": ["1", "1", "2"]}).columns.roles["entity"] == "id"


def dated(dates: list[str]) -> Claims:
    """Claims of two sources about two items, with a date each."""
    table: dict[str, Any] = {
        "source": ["a", "b", "a", "b"],
        "entity": ["x", "x", "y", "y"],
        "value": ["1", "2", "1", "1"],
        "date": dates,
    }
    return Claims.from_frame(table)


def test_a_date_is_the_time_of_claims_that_differ_in_it() -> None:
    claims = dated(["2020-01-01", "2020-01-02", "2020-01-01", "2020-01-03"])
    assert claims.columns.roles["time"] == "date"
    assert claims.time is not None


@pytest.mark.parametrize(
    "dates",
    [
        ["2020-01-01", "2020-01-01", "2020-01-02", "2020-01-02"],  # of the item
        ["2020-01-01", "spring", "2020-01-01", "2020-01-03"],
        ["", "", "", ""],
    ],
)
def test_other_dates_are_not_used(dates: list[str]) -> None:
    claims = dated(dates)
    assert claims.time is None
    assert claims.columns.ignored == ("date",)


def test_unused_columns_that_look_informative_are_suggested() -> None:
    n = 12
    table: dict[str, Any] = {
        "source": [f"s{i % 4}" for i in range(n)],
        "entity": [f"e{i // 4}" for i in range(n)],
        "value": [str(i % 3) for i in range(n)],
        "confidence": [0.1 + i / 17 for i in range(n)],
        "site type": ["shop" if i % 4 < 2 else "library" for i in range(n)],
        "topic": ["a" if i < 8 else "b" for i in range(n)],
        "row": list(range(n)),
        "remark": [f"text {i}" for i in range(n)],
        "language": ["en"] * n,
        "value name": [f"value {i % 3}" for i in range(n)],
        "source name": [f"source {i % 4}" for i in range(n)],
    }
    claims = Claims.from_frame(table)
    assert claims.columns.informative == {
        "confidence": "claim",
        "site type": "source",
        "topic": "entity",
    }
    (note,) = [note for note in claims.notes if "Columns not used" in note.text]
    assert "--feature confidence --feature 'site type:source' --feature topic:entity" in note.text
    used = Claims.from_frame(table, features=claims.columns.informative)  # type: ignore[arg-type]
    assert used.columns.informative == {}
    assert list(used.feature_types) == ["claim_confidence", "source_site type", "entity_topic"]
