"""``discover(model="auto")``: labels choose the model of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.models.grbm.term_worlds import specialists
from tests.worlds import CLOSED, world

from veracity import Claims, GroundTruth, MajorityVote, discover
from veracity.errors import InputError, InvalidParameter
from veracity.workflow import open_run
from veracity.workflow.choice import Choice

EVEN = world([0.8, 0.75, 0.7, 0.7, 0.65], 150)


def by_attribute(n_items: int = 300) -> tuple[Claims, dict[str, list[str]], dict[str, str]]:
    """Return claims of sources that know one attribute each, 60 labels, and the truth."""
    made = specialists(n_items=n_items, seed=1)
    rows = {name: made.columns[name] for name in ("source", "entity", "value")}
    rows["attribute"] = made.columns["entity_topic"]
    attribute = dict(zip(rows["entity"], rows["attribute"], strict=True))
    known = made.known(60)
    known["attribute"] = [attribute[entity] for entity in known["entity"]]
    return Claims.from_frame(rows, attributes={"*": CLOSED}), known, made.truth


def accuracy(run: Any, truth: dict[str, str], known: list[str]) -> float:
    rows = [row for row in run.model.truths_.to_pylist() if row["entity"] not in set(known)]
    right: list[bool] = [row["value"] == truth[row["entity"]] for row in rows]
    return sum(right) / len(right)


def said(run: Any) -> list[str]:
    return [note.text for note in run.notes if note.subject == "choice"]


def test_labels_that_can_tell_choose_and_are_then_kept_to() -> None:
    claims, known, truth = by_attribute()
    run = discover(claims, model="auto", known_truth=known)
    assert run.choice is not None
    assert run.choice.chosen == "domain=attribute"
    assert said(run)[0].startswith("Chose domain=attribute: its log loss is lower than that of de")
    assert (run.model_name, run.model.get_params()["domain"]) == ("grbm", "attribute")
    shown = {row["entity"]: row["value"] for row in run.model.truths_.to_pylist()}
    assert [shown[entity] for entity in known["entity"]] == known["value"]
    plain = discover(claims, known_truth=known)
    names = known["entity"]
    assert accuracy(run, truth, names) > accuracy(plain, truth, names) + 0.05


def test_labels_that_cannot_tell_keep_the_default(tmp_path: Path) -> None:
    run = discover(EVEN.claims, model="auto", known_truth=EVEN.known(40))
    plain = discover(EVEN.claims, known_truth=EVEN.known(40))
    assert run.model_name == "grbm"
    assert said(run)[0].startswith("Kept default: ")
    assert "domain=attribute is left out: there is only one attribute." in said(run)
    assert run.model.plausibility_.tolist() == plain.model.plausibility_.tolist()
    run.save(tmp_path / "out", report=False)
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert record["choice"]["chosen"] == "default"
    assert record["choice"]["reason"] == said(run)[0]
    names = {row["model"] for row in record["choice"]["models"]}
    assert names == {"default", "vote", "accu-copy", "dawid-skene", "grbm-paper"}
    assert record["model"]["name"] == "grbm"
    assert open_run(tmp_path / "out").description["choice"] == record["choice"]


def test_without_labels_it_is_the_default() -> None:
    run, plain = discover(EVEN.claims, model="auto"), discover(EVEN.claims)
    assert run.choice is None
    assert said(run) == ["Kept default: without known truth nothing shows which model is right."]
    assert run.model.plausibility_.tolist() == plain.model.plausibility_.tolist()
    assert plain.describe()["choice"] is None


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (EVEN.known(19), "19 labels are too few to choose a model by; 20 are needed."),
        (
            {"entity": [f"e{n:04d}" for n in range(30)], "value": ["v1"] * 30},
            "all 30 labels are 'v1', so they cannot tell a good model from one that always says so",
        ),
    ],
)
def test_labels_too_weak_to_choose_by_keep_the_default(known: dict[str, Any], text: str) -> None:
    run = discover(EVEN.claims, model="auto", known_truth=known)
    assert run.choice is None
    assert text in said(run)[0]


def test_labels_of_other_items_are_refused() -> None:
    known = {"entity": [f"x{n}" for n in range(30)], "value": ["v0", "v1"] * 15}
    with pytest.raises(InputError, match="No known truth is about an item with claims"):
        discover(EVEN.claims, model="auto", known_truth=known)


def test_a_chosen_vote_shows_the_labels_that_it_cannot_learn_from() -> None:
    known = EVEN.known(40)
    model = MajorityVote()
    Choice("vote", model).fit(EVEN.claims, GroundTruth.from_frame(known), None)
    shown = {row["entity"]: row["value"] for row in model.truths_.to_pylist()}
    assert [shown[entity] for entity in known["entity"]] == known["value"]
    voted = MajorityVote().fit(EVEN.claims).truths_.to_pylist()
    others = [row for row in voted if row["entity"] not in known["entity"]]
    assert [shown[row["entity"]] for row in others] == [row["value"] for row in others]
    with pytest.raises(InvalidParameter, match="known truth"):  # as of any model that was given it
        model.partial_fit(EVEN.claims)


def test_claims_in_blocks_leave_models_out_that_need_all(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    names = ("source", "entity", "value")
    lines = [",".join(row) for row in zip(*(EVEN.columns[name] for name in names), strict=True)]
    path.write_text("\n".join([",".join(names), *lines]) + "\n", encoding="utf-8")
    run = discover(path, model="auto", known_truth=EVEN.known(40), memory="1GB")
    assert run.choice is not None
    assert set(run.choice.left_out) >= {"accu-copy"}
    assert run.choice.left_out["accu-copy"] == "AccuCopy needs all claims in memory"
    assert {"default", "vote", "dawid-skene"} <= set(run.choice.scores)


def test_rules_leave_the_vote_out() -> None:
    claims, known, _ = by_attribute(90)
    rules = {
        "if_attribute": ["topic 0"],
        "if_value": ["v0"],
        "then_attribute": ["topic 1"],
        "then_value": ["v0"],
        "kind": ["implies"],
        "weight": [None],
    }
    run = discover(claims, model="auto", known_truth=known, rules=rules)
    assert run.choice is not None
    assert "does not give the probabilities of values" in run.choice.left_out["vote"]


def test_parameters_are_those_of_the_default() -> None:
    claims, known, _ = by_attribute(90)
    run = discover(
        claims,
        model="auto",
        known_truth=known,
        parameters={"domain": "attribute"},
        error_rate=0.1,
    )
    assert run.choice is not None
    assert run.choice.left_out["domain=attribute"] == "the default is told its domains already"
    assert run.model.error_rate == 0.1
    with pytest.raises(InvalidParameter, match="GRBM has no parameter 'prior'"):
        discover(claims, model="auto", known_truth=known, parameters={"prior": 1})


def test_the_order_of_labels_makes_no_difference() -> None:
    known = EVEN.known(30)
    turned = {name: cells[::-1] for name, cells in known.items()}
    found = [
        discover(EVEN.claims, model="auto", known_truth=GroundTruth.from_frame(each)).choice
        for each in (known, turned)
    ]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].as_dict() == found[1].as_dict()
