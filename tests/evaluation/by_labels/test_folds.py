"""Labels in folds: who is held out when, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.worlds import world

from veracity import Claims, GroundTruth
from veracity.engines.local import in_one_block
from veracity.errors import InputError, InvalidParameter
from veracity.evaluation.by_labels import Labels

MADE = world([0.9, 0.8, 0.7, 0.6], 40)
KNOWN = MADE.known(17)


def labels_of(known: dict[str, Any], claims: Any = MADE.claims) -> Labels:
    return Labels.of(GroundTruth.from_frame(known), claims)


def pairs(truth: GroundTruth) -> set[tuple[str, str]]:
    rows = truth.to_arrow()
    return set(zip(rows["entity"].to_pylist(), rows["value"].to_pylist(), strict=True))


def test_each_label_is_held_out_once_and_given_otherwise() -> None:
    everything = set(zip(KNOWN["entity"], KNOWN["value"], strict=True))
    seen: list[str] = []
    for held_out, given in labels_of(KNOWN).split(5).rounds():
        names = held_out["entity"].to_pylist()
        assert len(names) in (3, 4)
        assert pairs(given) == everything - {(entity, MADE.truth[entity]) for entity in names}
        seen += names
    assert sorted(seen) == KNOWN["entity"]


def test_the_order_of_rows_and_their_values_make_no_difference() -> None:
    turned = {name: cells[::-1] for name, cells in KNOWN.items()}
    other = KNOWN | {"value": [*KNOWN["value"][1:], KNOWN["value"][0]]}
    folds = [labels_of(known).split(5).fold for known in (KNOWN, turned, other)]
    assert (folds[0] == folds[1]).all()
    assert (folds[0] == folds[2]).all()
    assert (folds[0] != labels_of(KNOWN).split(5, random_state=1).fold).any()


def test_claims_in_blocks_have_the_same_labels() -> None:
    mine, theirs = labels_of(KNOWN), labels_of(KNOWN, in_one_block(MADE.claims))
    assert mine.items == theirs.items
    assert (mine.cluster == theirs.cluster).all()


def test_answers_of_assessors_are_withheld_with_the_label_of_their_item() -> None:
    entity = [*KNOWN["entity"], KNOWN["entity"][0], "e0030"]
    value = [*KNOWN["value"], "v0", "v1"]
    trust = [None] * 17 + ["0.9", "0.8"]
    labels = labels_of({"entity": entity, "value": value, "trust": trust})
    assert len(labels) == 17
    for held_out, given in labels.split(5).rounds():
        doubtful = given.doubtful(["value"])
        assert doubtful is not None
        first_is_held_out = KNOWN["entity"][0] in held_out["entity"].to_pylist()
        assert doubtful["entity"].to_pylist() == [KNOWN["entity"][0]] * (not first_is_held_out) + [
            "e0030"
        ]


def test_labels_of_an_entity_are_one_cluster() -> None:
    rows = {
        "source": ["a", "b"] * 3,
        "entity": ["x", "x", "x", "x", "y", "y"],
        "attribute": ["p", "p", "q", "q", "p", "p"],
        "value": ["1", "2"] * 3,
    }
    claims = Claims.from_frame(rows)
    known = {"entity": ["x", "x", "y"], "attribute": ["p", "q", "p"], "value": ["1", "2", "1"]}
    assert labels_of(known, claims).cluster.tolist() == [0, 0, 1]
    one = {name: cells[:2] for name, cells in known.items()}
    assert labels_of(one, claims).cluster.tolist() == [0, 1]


def test_labels_of_items_without_claims_do_not_judge() -> None:
    known = {"entity": [*KNOWN["entity"], "nobody"], "value": [*KNOWN["value"], "v0"]}
    assert len(labels_of(known)) == 17


@pytest.mark.parametrize(
    ("known", "folds", "said"),
    [
        ({"entity": ["nowhere"], "value": ["v0"]}, 2, "about an item with claims"),
        ({"entity": ["e0000"], "value": ["v0"], "trust": ["0.8"]}, 2, "trust below 1"),
        (MADE.known(3), 5, "3 labels of items with claims cannot be split into 5 folds"),
        ({"entity": [f"e{n:04d}" for n in range(9)], "value": ["v1"] * 9}, 3, "All 9 labels"),
        ({"entity": ["e0000"] * 2, "value": ["v0", "v1"]}, 2, "contradicts itself"),
    ],
)
def test_labels_that_cannot_judge_are_refused(known: dict[str, Any], folds: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        labels_of(known).split(folds)


def test_one_fold_is_none() -> None:
    with pytest.raises(InvalidParameter, match="folds must be 2 or more"):
        labels_of(KNOWN).split(1)


def test_items_keep_the_order_of_labels_in_any_script() -> None:
    names = ["Zürich", "zebra", "Ähre", "日本", "😀", "a b", "A"]
    rows = {"source": ["s"] * 7, "entity": names, "value": [str(n) for n in range(7)]}
    labels = labels_of({"entity": names, "value": rows["value"]}, Claims.from_frame(rows))
    assert labels.items["entity"].to_pylist() == sorted(names)
    assert np.unique(labels.cluster).size == 7
