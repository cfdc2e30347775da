"""The shipped example is what its generator writes, and has something for every model."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from veracity.datasets import example
from veracity.datasets.example import make
from veracity.datasets.example.sites import COPIER, ORIGINAL, RANDOM_SITE

Row = dict[str, str]
Item = tuple[str, str]

SINGLE = {"category", "closing_time", "opened", "wheelchair_access"}


def read(name: str) -> list[Row]:
    with (example.path().parent / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def claims() -> list[Row]:
    return read("claims.csv")


@pytest.fixture(scope="module")
def truth() -> dict[Item, set[str]]:
    values = defaultdict(set)
    for row in read("truth.csv"):
        values[row["entity"], row["attribute"]].add(row["value"])
    return dict(values)


def item(row: Row) -> Item:
    return row["entity"], row["attribute"]


def share_right(rows: list[Row], truth: dict[Item, set[str]]) -> float:
    single = [row for row in rows if row["attribute"] in SINGLE]
    return float(np.mean([row["value"] in truth[item(row)] for row in single]))


@pytest.mark.parametrize("name", ["claims.csv", "truth.csv"])
def test_files_are_what_the_generator_writes(tmp_path: Path, name: str) -> None:
    make.make(tmp_path)
    assert (tmp_path / name).read_bytes() == (example.path().parent / name).read_bytes()


def test_load() -> None:
    loaded = example.load()
    assert loaded.name == "example"
    kinds = {profile.name: (profile.kind, profile.domain) for profile in loaded.claims.attributes}
    assert kinds == {
        "category": ("single", "closed"),
        "closing_time": ("single", "open"),
        "opened": ("single", "open"),
        "payment": ("multiple", "closed"),
        "wheelchair_access": ("boolean", "closed"),
    }
    assert loaded.truth is not None
    assert len(loaded.truth) == 220 * 5
    assert loaded.claims.notes == []


def test_sizes(claims: list[Row], truth: dict[Item, set[str]]) -> None:
    assert 3000 <= len(claims) <= 5000
    assert len({entity for entity, _ in truth}) == 220
    by_source = Counter(row["source"] for row in claims)
    assert len(by_source) == 36
    assert sum(count <= 5 for count in by_source.values()) >= 5
    assert max(by_source.values()) > 400


def test_every_claim_is_about_an_item_with_truth(
    claims: list[Row], truth: dict[Item, set[str]]
) -> None:
    assert {item(row) for row in claims} <= set(truth)
    assert all(len(values) == 1 for (_, name), values in truth.items() if name in SINGLE)
    assert max(len(values) for (_, name), values in truth.items() if name == "payment") > 2


def test_nobody_says_two_things_at_once(claims: list[Row]) -> None:
    keys = Counter((row["source"], *item(row)) for row in claims if row["attribute"] in SINGLE)
    assert set(keys.values()) == {1}
    rows = Counter((row["source"], *item(row), row["value"]) for row in claims)
    assert set(rows.values()) == {1}


def test_time_agrees_with_age(claims: list[Row]) -> None:
    for row in claims:
        age = timedelta(days=int(row["claim_age_days"]))
        assert date.fromisoformat(row["time"]) == make.TODAY - age


def test_features_belong_to_their_source_and_entity(claims: list[Row]) -> None:
    def n_distinct(key: str, *features: str) -> int:
        return len({(row[key], *(row[name] for name in features)) for row in claims})

    assert n_distinct("source", "source_kind", "source_verified") == n_distinct("source")
    assert n_distinct("entity", "entity_reviews") == n_distinct("entity")
    assert {row["source_kind"] for row in claims} == {"directory", "aggregator", "owner", "social"}


def test_the_vote_leaves_room(claims: list[Row], truth: dict[Item, set[str]]) -> None:
    votes: dict[Item, Counter[str]] = defaultdict(Counter)
    for row in claims:
        if row["attribute"] in SINGLE:
            votes[item(row)][row["value"]] += 1
    right = []
    for about, counts in votes.items():
        most = max(counts.values())
        best = [value for value, count in counts.items() if count == most]
        right.append(np.mean([value in truth[about] for value in best]))
    assert 0.75 <= np.mean(right) <= 0.85
    claimed = np.mean([bool(truth[about] & set(counts)) for about, counts in votes.items()])
    assert claimed > 0.9


def test_reliability_follows_the_features(claims: list[Row], truth: dict[Item, set[str]]) -> None:
    def right(kind: str) -> float:
        return share_right([row for row in claims if row["source_kind"] == kind], truth)

    assert right("owner") > 0.93
    assert right("owner") > right("directory") > right("aggregator")
    fresh = [row for row in claims if int(row["claim_age_days"]) < 200]
    old = [row for row in claims if int(row["claim_age_days"]) > 800]
    assert share_right(fresh, truth) > share_right(old, truth) + 0.15
    nonsense = [row for row in claims if row["source"] == RANDOM_SITE]
    assert share_right(nonsense, truth) < 0.4


def test_the_copier_copies_mistakes(claims: list[Row], truth: dict[Item, set[str]]) -> None:
    said = {
        name: {item(row): row["value"] for row in claims if row["source"] == name}
        for name in (COPIER, ORIGINAL, "Grand Annuaire de Valmare")
    }
    original = {about: said[ORIGINAL][about] for about in said[ORIGINAL] if about[1] in SINGLE}
    mistakes = {about: value for about, value in original.items() if value not in truth[about]}

    def agreement(name: str) -> float:
        shared = [about for about in mistakes if about in said[name]]
        assert len(shared) > 20
        return float(np.mean([said[name][about] == mistakes[about] for about in shared]))

    assert agreement(COPIER) > 0.85
    assert agreement("Grand Annuaire de Valmare") < 0.4
