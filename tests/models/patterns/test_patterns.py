"""Spammers are named for what they are, and nobody else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from tests.engines.worlds import in_place

from veracity import GRBM, MajorityVote, datasets
from veracity.engines.sums import Keyed
from veracity.models import make_model
from veracity.models.patterns.naming import significant, spammers_sentence

Rows = dict[str, list[Any]]
KINDS = ("constant", "random", "adversarial")


def crowd(seed: int, share: float = 0.5, n_items: int = 400, n_classes: int = 2) -> Rows:
    """Draw eight good workers, a spammer of each kind and a copier; all answer most questions."""
    rng = np.random.default_rng(seed)
    rest = [(1 - share) / (n_classes - 1)] * (n_classes - 1)
    truth = rng.choice(n_classes, n_items, p=[share, *rest])

    def right_with(probability: float) -> Any:
        wrong = (truth + rng.integers(1, n_classes, n_items)) % n_classes
        return np.where(rng.random(n_items) < probability, truth, wrong)

    said = {f"good-{place}": right_with(0.8) for place in range(8)}
    said["constant"] = np.zeros(n_items, int)
    said["random"] = rng.integers(0, n_classes, n_items)
    said["adversarial"] = right_with(0.1)
    said["copier"] = said["good-0"]
    rows: Rows = {"source": [], "entity": [], "value": []}
    for name, answers in said.items():
        asked = rng.random(n_items) < (0.8 if name == "copier" else 1.0)
        rows["source"] += [name] * int(asked.sum())
        rows["entity"] += [f"q{place}" for place in np.flatnonzero(asked)]
        rows["value"] += ["abcdef"[answer] for answer in answers[asked]]
    return rows


def named(sources: Any) -> dict[str, tuple[str, str | None]]:
    rows = sources.to_pylist()
    return {row["source"]: (row["pattern"], row["pattern_of"]) for row in rows if row["pattern"]}


@pytest.mark.parametrize("name", ["grbm", "vote", "dawid-skene"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_spammers_are_named(name: str, n_classes: int) -> None:
    rows = crowd(1, share=1 / n_classes, n_classes=n_classes)
    found = named(make_model(name).fit(rows).sources_)
    expected: dict[str, tuple[str, str | None]] = {kind: (kind, None) for kind in KINDS}
    assert found == expected | {"copier": ("copier", "good-0")}


def test_names_are_the_same_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    csv.write_csv(pa.table(crowd(2)), path)
    blocks = in_place(path, "two threads", 1_000)
    assert len(blocks.blocks) > 2
    whole, parts = make_model("vote").fit(path), make_model("vote").fit(blocks)
    assert named(parts.sources_) == named(whole.sources_) != {}
    assert whole.confusions_ is not None
    assert parts.confusions_ is not None
    expected = whole.confusions_["weight"].to_pylist()
    assert parts.confusions_["weight"].to_pylist() == pytest.approx(expected)


def test_saying_what_is_nearly_always_true_is_no_spam() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(60) < 0.97
    rows: Rows = {"source": [], "entity": [], "value": []}
    for source in range(8):
        answers = np.where(rng.random(60) < 0.95, truth, ~truth) if source else np.ones(60, bool)
        rows["source"] += [f"s{source}"] * 60
        rows["entity"] += [f"q{place}" for place in range(60)]
        rows["value"] += ["no" if answer else "yes" for answer in answers]
    assert set(rows["value"][:60]) == {"no"}
    assert named(GRBM().fit(rows).sources_) == {}


def test_rules_that_say_one_value_or_nothing_are_not_named() -> None:
    rng = np.random.default_rng(4)
    truth = rng.random(600) < 0.5
    rows: Rows = {"source": [], "entity": [], "value": []}
    for source in range(10):
        says = source % 2 == 0
        speaks = rng.random(600) < np.where(truth == says, 0.5, 0.1)
        rows["source"] += [f"rule{source}"] * int(speaks.sum())
        rows["entity"] += [f"q{place}" for place in np.flatnonzero(speaks)]
        rows["value"] += ["spam" if says else "ham"] * int(speaks.sum())
    assert named(MajorityVote().fit(rows).sources_) == {}


def test_a_handful_of_claims_names_nobody() -> None:
    rows = crowd(3, n_items=15)
    assert named(GRBM().fit(rows).sources_) == {}


def test_open_values_and_a_single_source_have_no_confusions() -> None:
    alone = {"source": ["a"] * 9, "entity": list("abcdefghi"), "value": ["x", "y", "z"] * 3}
    model = MajorityVote().fit(alone)
    assert model.confusions_ is None
    assert model.sources_["pattern"].to_pylist() == [None]


def test_a_copier_of_open_values_is_named() -> None:
    found = named(MajorityVote().fit(datasets.example.path()).sources_)
    assert found == {"Écho Valmare": ("copier", "Magpie Index")}


@pytest.mark.parametrize("name", ["grbm", "dawid-skene"])
def test_confusions_are_those_of_the_truth(name: str) -> None:
    confusions = make_model(name).fit(crowd(5)).confusions_
    assert confusions is not None
    share = {
        (row["source"], row["believed"], row["claimed"]): row["share"]
        for row in confusions.to_pylist()
    }
    for value in "ab":
        assert share["good-1", value, value] == pytest.approx(0.8, abs=0.08)
        assert share["constant", value, "a"] == 1.0
        assert share["adversarial", value, value] == pytest.approx(0.1, abs=0.12)
        assert share["random", value, "a"] == pytest.approx(0.5, abs=0.1)
    weights = [row["weight"] for row in confusions.to_pylist() if row["source"] == "good-1"]
    assert sum(weights) == pytest.approx(400)


def test_no_confusions_after_an_update() -> None:
    model = GRBM().fit(crowd(6, n_items=60))
    assert model.confusions_ is not None
    model.partial_fit({"source": ["new"], "entity": ["q1"], "value": ["a"]})
    assert model.confusions_ is None
    assert "pattern" not in model.sources_.column_names


def test_evidence_is_judged_together() -> None:
    alone = np.array([np.log(50.0), 0.0, 0.0, 0.0])
    assert significant(alone).tolist() == [False] * 4  # 80 are needed for the first of four
    two = np.array([np.log(50.0), np.log(45.0), 0.0, 0.0])
    assert significant(two).tolist() == [True, True, False, False]
    assert significant(np.zeros(0)).tolist() == []


def test_the_sentence_names_a_few() -> None:
    names = [f"w{place}" for place in range(8)]
    table = pa.table({"source": names, "pattern": ["random"] * 7 + ["copier"]})
    assert spammers_sentence(table) == (
        "8 sources answer like spammers: random 'w0', 'w1', 'w2', 'w3', 'w4' and 2 more; copier "
        "'w7'."
    )
    assert (
        spammers_sentence(pa.table({"source": ["a"], "pattern": pa.nulls(1, pa.string())})) is None
    )
    assert spammers_sentence(pa.table({"source": ["a"]})) is None


def test_keyed_rows_add() -> None:
    one = Keyed.of(np.array([7, 3, 7]), np.array([[1.0], [2.0], [3.0]]))
    both = one + Keyed(np.array([3, 9]), np.array([[5.0], [6.0]]))
    assert both.key.tolist() == [3, 7, 9]
    assert both.numbers.tolist() == [[7.0], [4.0], [6.0]]
