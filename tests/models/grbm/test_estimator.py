"""The default model as a user meets it: robust, honest about what it does not know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.base
import torch
from tests.machines import every_kind
from tests.worlds import BOOLEAN, CLOSED, OPEN, World, world

import veracity
from veracity import GRBM, Attribute, BinaryGRBM, Claims, GroundTruth, MajorityVote
from veracity.data.output.tables import Table
from veracity.errors import InputError, InvalidParameter, NotFitted
from veracity.models.grbm.feature_trial import Trial

KINDS = {"confusion": CLOSED, "lures": OPEN, "boolean": BOOLEAN}
FORMS = {"confusion": "confusion", "lures": "lures", "boolean": "confusion"}


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Keep torch from spinning on cores that others use."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def about(model: GRBM, subject: str) -> list[str]:
    """Return the notes on a subject."""
    return [str(note) for note in model.notes_ if note.subject == subject]


def claims_of(columns: dict[str, list[Any]], attribute: Attribute = CLOSED) -> Claims:
    """Read columns, all attributes of one kind."""
    return Claims.from_frame(columns, attributes={"*": attribute})


def skilled(
    seed: int = 0, n_sources: int = 240, n_items: int = 300
) -> tuple[dict[str, Any], World]:
    """Draw sources whose reliability follows from a feature, with few claims each."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=n_sources)
    rates = 0.25 + 0.75 / (1 + np.exp(-3.0 * skill))
    drawn = world(rates.tolist(), n_items, share=0.02, seed=seed)
    place = [int(name[1:]) for name in drawn.columns["source"]]
    noise = rng.normal(size=n_sources)
    columns = {
        **drawn.columns,
        "source_skill": [float(skill[source]) for source in place],
        "source_noise": [float(noise[source]) for source in place],
    }
    return columns, drawn


# Orientation


@pytest.mark.parametrize("kind", ["confusion", "boolean"])
@pytest.mark.parametrize("seed", [0, 1])
def test_ten_known_items_turn_the_mirror_image_round(kind: str, seed: int) -> None:
    """Most sources say the opposite of the truth: alone, the model must believe them."""
    rates = [0.8] * 8 + [0.2] * 12
    drawn = world(rates, 300, n_values=2, share=0.5, attribute=KINDS[kind], seed=seed)
    known = drawn.known(10)
    alone = GRBM(features="never", allow_adversaries=True).fit(drawn.claims)
    told = GRBM(features="never", allow_adversaries=True).fit(drawn.claims, known_truth=known)
    assert set(told.forms_.values()) == {FORMS[kind]}
    assert drawn.accuracy(alone, without=known["entity"]) < 0.1
    assert drawn.accuracy(told, without=known["entity"]) > 0.9
    reliability = told.sources_["reliability"].to_pylist()
    assert min(reliability[:8]) > 0.6 > 0.4 > max(reliability[8:])


def test_ten_known_items_improve_the_rest_without_adversaries() -> None:
    """Half the sources say the opposite: a coin decides which half is believed."""
    rates = [0.8] * 10 + [0.2] * 10
    gains = []
    for seed in range(4):
        drawn = world(rates, 300, n_values=2, share=0.5, attribute=BOOLEAN, seed=seed)
        known = drawn.known(10)
        alone = GRBM(features="never").fit(drawn.claims)
        told = GRBM(features="never").fit(drawn.claims, known_truth=known)
        assert drawn.accuracy(told, without=known["entity"]) > 0.75
        gains.append(
            drawn.accuracy(told, without=known["entity"])
            - drawn.accuracy(alone, without=known["entity"])
        )
    assert max(gains) > 0.5
    assert min(gains) > -0.02


def test_known_items_do_not_worsen_what_was_right_anyway() -> None:
    drawn = world([0.8] * 6 + [0.4] * 6, 150, share=0.6)
    known = drawn.known(10)
    alone, told = GRBM().fit(drawn.claims), GRBM().fit(drawn.claims, known_truth=known)
    without = known["entity"]
    assert drawn.accuracy(told, without) >= drawn.accuracy(alone, without) - 0.01
    for row in told.truths_.to_pylist():
        if row["entity"] in without:
            assert row["value"] == drawn.truth[row["entity"]]
            assert row["plausibility"] == 1.0
            assert row["decision"] == "accept"


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_is_below_chance_unless_adversaries_are_allowed(kind: str) -> None:
    n_values = 2 if kind != "lures" else 4
    rates = [0.9] * 8 + [0.02] * 2
    drawn = world(rates, 150, n_values=n_values, attribute=KINDS[kind])
    guarded = GRBM(features="never").fit(drawn.claims).sources_.to_pylist()
    free = GRBM(features="never", allow_adversaries=True).fit(drawn.claims).sources_.to_pylist()
    for row in guarded:
        assert row["tpr"] >= row["fpr"] - 1e-9
    for row in free[8:]:
        assert row["tpr"] < row["fpr"]
        assert row["reliability"] < 0.2


# Known truth that is odd


@pytest.mark.parametrize("kind", KINDS)
def test_a_known_value_that_nobody_claims_is_kept_and_reported(kind: str) -> None:
    n_values = 2 if kind == "boolean" else 3
    drawn = world([0.8] * 6, 60, n_values=n_values, attribute=KINDS[kind])
    value = "maybe" if kind == "boolean" else "elsewhere"
    word = drawn.truth["e0001"]
    known = {"entity": ["e0000", "nowhere", "e0001"], "value": [value, word, word]}
    model = GRBM(features="never").fit(drawn.claims, known_truth=known)
    rows = {row["entity"]: row for row in model.truths_.to_pylist()}
    assert rows["e0000"]["value"] == value
    assert rows["nowhere"]["n_sources"] == 0
    assert np.isfinite(model.plausibility_).all()
    texts = " ".join(about(model, "known truth"))
    assert "1 known truth is about an item without claims" in texts
    example = f"'e0000' ('value': '{value}')" if kind == "lures" else f"'{value}' of 'e0000'"
    assert f"such as {example}" in texts
    others = [row for entity, row in rows.items() if entity.startswith("e") and entity != "e0000"]
    right = np.mean([row["value"] == drawn.truth[row["entity"]] for row in others])
    assert right > 0.85


@pytest.mark.parametrize("kind", ["confusion", "lures"])
def test_two_known_values_of_one_item_are_refused(kind: str) -> None:
    drawn = world([0.8] * 6, 60, n_values=3, attribute=KINDS[kind])
    known = {"entity": ["e0000", "e0000"], "value": ["v0", "v1"]}
    with pytest.raises(InputError, match=r"contradicts itself.*'v0' and as 'v1'"):
        GRBM(features="never").fit(drawn.claims, known_truth=known)


def test_everything_known_leaves_nothing_to_judge() -> None:
    drawn = world([0.7] * 5, 40)
    model = GRBM().fit(drawn.claims, known_truth=drawn.known(40))
    assert drawn.accuracy(model) == 1.0
    best = {row["source"]: row["reliability"] for row in model.sources_.to_pylist()}
    assert all(0.5 < reliability < 0.9 for reliability in best.values())


# Odd input


@pytest.mark.parametrize("kind", KINDS)
def test_everyone_agrees(kind: str) -> None:
    word = "yes" if kind == "boolean" else "v0"
    columns = {
        "source": [f"s{i}" for i in range(5) for _ in range(20)],
        "entity": [f"e{i}" for _ in range(5) for i in range(20)],
        "value": [word] * 100,
    }
    model = GRBM().fit(claims_of(columns, KINDS[kind]))
    for row in model.truths_.to_pylist():
        assert row["value"] == word
        assert row["plausibility"] > 0.9
        assert not row["tie"]
    assert len(model.dependence_) == 0
    assert min(model.sources_["reliability"].to_pylist()) > 0.8


@pytest.mark.parametrize(
    ("kind", "n_values", "n_items", "per_item"),
    [
        ("lures", 3, 300, 5),
        ("confusion", 3, 300, 5),
        ("confusion", 2, 300, 5),
        ("boolean", 2, 300, 5),
        ("confusion", 2, 1000, 3),
        ("boolean", 2, 1000, 3),
    ],
)
def test_every_source_has_one_claim(kind: str, n_values: int, n_items: int, per_item: int) -> None:
    """Nothing tells sources apart: the best that can be done is the vote."""
    words = ["no", "yes"] if kind == "boolean" else ["v0", "v1", "v2"][:n_values]
    mine: list[bool] = []
    theirs: list[bool] = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, n_values, n_items)
        item = np.tile(np.arange(n_items), per_item)
        wrong = (truth[item] + rng.integers(1, n_values, len(item))) % n_values
        said = np.where(rng.random(len(item)) < 0.75, truth[item], wrong)
        columns = {
            "source": [f"s{number}" for number in range(len(item))],
            "entity": [f"e{number}" for number in item],
            "value": [words[value] for value in said],
        }
        claims = claims_of(columns, KINDS[kind])
        model, vote = GRBM().fit(claims), MajorityVote().fit(claims)
        for rows, right in ((model.truths_, mine), (vote.truths_, theirs)):
            right += [
                row["value"] == words[truth[int(row["entity"][1:])]] for row in rows.to_pylist()
            ]
        texts = about(model, "evidence")
        assert any(f"{len(item):,} sources (100%) make one or two" in text for text in texts)
    assert np.mean(mine) > np.mean(theirs) - 0.02


def test_more_classes_than_claims() -> None:
    columns = {
        "source": ["a", "b", "c", "a"],
        "entity": ["x", "x", "y", "z"],
        "value": ["1", "2", "3", "4"],
    }
    model = GRBM().fit(claims_of(columns))
    assert np.isfinite(model.plausibility_).all()
    assert (model.plausibility_ < 0.9).all()
    words = {row["entity"]: row["decision"] for row in model.truths_.to_pylist()}
    assert words["x"] == "undecided"


def test_a_class_that_nobody_claims_as_true() -> None:
    """A value that is only ever denied is a class of the domain, and is not believed."""
    drawn = world([0.8] * 5, 60, n_values=3)
    columns: dict[str, list[Any]] = {name: list(cells) for name, cells in drawn.columns.items()}
    columns["asserts"] = [1] * len(columns["source"])
    for source in ("s00", "s01", "s02"):
        for name, cell in zip(columns, (source, "e0000", "v9", 0), strict=True):
            columns[name].append(cell)
    model = GRBM(features="never").fit(claims_of(columns))
    statements = [row for row in model.statements_.to_pylist() if row["value"] == "v9"]
    assert [row["plausibility"] < 0.2 for row in statements] == [True]
    assert drawn.accuracy(model) > 0.85


def test_more_classes_than_items_for_them_are_judged_by_one_number() -> None:
    drawn = world([0.7] * 6, 50, n_values=24)
    model = GRBM(features="never").fit(drawn.claims)
    assert model.forms_ == {"value": "one-coin"}
    assert drawn.accuracy(model) > 0.9


def test_attributes_of_all_kinds_are_judged_in_one_run() -> None:
    claims = every_kind()
    model = GRBM().fit(claims)
    assert model.forms_ == {
        "colour": "lures",
        "author": "per-statement",
        "open": "one-coin",
    }
    assert set(model.truths_["attribute"].to_pylist()) == {"colour", "author", "open"}


def test_claims_count_by_their_weights() -> None:
    columns: dict[str, list[Any]] = {
        "source": ["a", "b", "c", "d"] * 30,
        "entity": [f"e{item}" for item in range(30) for _ in range(4)],
        "value": ["yes", "yes", "no", "no"] * 30,
    }
    weight = [3.0, 3.0, 1.0, 1.0] * 30
    model = GRBM(features="never").fit(claims_of({**columns, "weight": weight}))
    assert not about(model, "weight")
    assert {row["value"] for row in model.truths_.to_pylist()} == {"yes"}
    turned = GRBM(features="never").fit(claims_of({**columns, "weight": weight[::-1]}))
    assert {row["value"] for row in turned.truths_.to_pylist()} == {"no"}


# Features


def trial_of(model: GRBM, group: str) -> Trial:
    """Return the trial of a group of features."""
    (trial,) = [trial for trial in model.feature_trials_ if trial.group == group]
    return trial


def test_a_useful_feature_is_used_and_its_gain_told() -> None:
    columns, drawn = skilled()
    claims = claims_of(columns)
    model = GRBM().fit(claims)
    trial = trial_of(model, "the source")
    assert set(trial.names) == {"source_skill", "source_noise"}
    assert trial.is_used
    assert trial.gain.z_score > 5
    assert trial.overturned is not None
    (text,) = [text for text in about(model, "features") if text.startswith("Features of the so")]
    assert "Features of the source used (" in text
    assert f"they improve the prediction of {trial.gain.n_claims:,} held-out claims" in text
    assert f"by {trial.gain.mean:.4f} nats each ({trial.gain.z_score:.1f} standard errors)" in text
    (text,) = [text for text in about(model, "features") if text.startswith("Reliability by")]
    assert "claims with a high source_skill are more reliable (+" in text
    assert model.feature_builder_ is not None
    assert {"source_skill", "source_noise"} <= set(model.feature_builder_.used)
    plain = GRBM(features="never").fit(claims)
    assert drawn.accuracy(model) > drawn.accuracy(plain)
    assert plain.feature_trials_ == []


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_useless_feature_is_not_used(seed: int) -> None:
    columns, _ = skilled(seed)
    del columns["source_skill"]
    claims = claims_of(columns)
    model = GRBM().fit(claims)
    trial = trial_of(model, "the source")
    assert not trial.helps
    assert trial.overturned is None
    (text,) = [text for text in about(model, "features") if text.startswith("Features of the so")]
    assert "Features of the source not used (source_noise): they change the prediction" in text
    assert "more than 0.005 nats and 5 standard errors are needed" in text
    plain = GRBM(features="never").fit(claims)
    assert np.array_equal(model.plausibility_, plain.plausibility_)


def test_a_bad_group_of_features_does_not_spoil_a_good_one() -> None:
    columns, _ = skilled()
    rng = np.random.default_rng(0)
    n = len(columns["source"])
    claims = claims_of({**columns, "claim_noise": rng.normal(size=n).tolist()})
    model = GRBM().fit(claims)
    assert trial_of(model, "the source").is_used
    assert not trial_of(model, "the claim").is_used
    assert model.feature_builder_ is not None
    assert "claim_noise" not in model.feature_builder_.used


def test_features_that_overturn_the_answer_are_vetoed(monkeypatch: pytest.MonkeyPatch) -> None:
    columns, _ = skilled()
    claims = claims_of(columns)
    plain = GRBM(features="never").fit(claims)
    monkeypatch.setattr("veracity.models.grbm.feature_trial.share_overturned", lambda *_: 0.34)
    model = GRBM().fit(claims)
    trial = trial_of(model, "the source")
    assert trial.helps
    assert not trial.is_used
    (text,) = [text for text in about(model, "features") if text.startswith("Features of the so")]
    assert "but change the answer on 34% of the contested items" in text
    assert "To use them all the same, name them." in text
    assert np.array_equal(model.plausibility_, plain.plausibility_)


def test_what_is_overturned_is_counted_on_contested_items() -> None:
    columns, _ = skilled()
    claims = claims_of(columns)
    model, plain = GRBM().fit(claims), GRBM(features="never").fit(claims)
    mine, theirs = (
        {row["entity"]: row for row in one.truths_.to_pylist()} for one in (model, plain)
    )
    contested = [entity for entity, row in theirs.items() if row["n_values"] > 1]
    differs = [entity for entity in contested if mine[entity]["value"] != theirs[entity]["value"]]
    assert model._overturned == pytest.approx(len(differs) / len(contested), abs=0.01)
    assert 0 < len(differs) / len(contested) < 1 / 3


def test_a_feature_derived_from_the_value_is_left_out_with_its_number() -> None:
    drawn = world([0.7] * 6, 80)
    rng = np.random.default_rng(0)
    length = [int(value[1:]) + rng.normal() * 0.1 for value in drawn.columns["value"]]
    claims = claims_of({**drawn.columns, "claim_length": length})
    model = GRBM().fit(claims)
    (text,) = [text for text in about(model, "features") if "claim_length" in text]
    assert "'claim_length' is left out: derived from the value, which explains 9" in text
    assert "% of it within items" in text
    (choice,) = [choice for choice in model.feature_choices_ if choice.name == "claim_length"]
    assert not choice.used
    forced = GRBM(features=["claim_length"]).fit(claims)
    assert [choice.used for choice in forced.feature_choices_ if choice.name == "claim_length"] == [
        True
    ]


@pytest.mark.parametrize("column", ["number", "category"])
def test_yes_and_no_give_away_a_column_derived_from_them(column: str) -> None:
    drawn = world([0.7] * 6, 80, n_values=2, attribute=BOOLEAN)
    rng = np.random.default_rng(0)
    said = [value == "yes" for value in drawn.columns["value"]]
    made: list[Any] = [one + rng.normal() * 0.1 for one in said]
    if column == "category":
        made = [f"{'long' if one else 'short'} {rng.integers(3)}" for one in said]
    model = GRBM().fit(claims_of({**drawn.columns, "claim_length": made}, BOOLEAN))
    (choice,) = [choice for choice in model.feature_choices_ if choice.name == "claim_length"]
    assert not choice.used
    assert choice.reason is not None
    assert choice.reason.startswith("derived from the value")


def test_features_always_never_named_or_none() -> None:
    columns, _ = skilled()
    claims = claims_of(columns)
    plain = GRBM(features="never").fit(claims)
    assert plain.feature_choices_ == []
    assert not about(plain, "features")
    nothing = GRBM(features=[]).fit(claims)
    assert np.array_equal(nothing.plausibility_, plain.plausibility_)
    named = GRBM(features=["source_noise"]).fit(claims)
    assert [choice.name for choice in named.feature_choices_ if choice.used] == ["source_noise"]
    assert about(named, "features")[0] == "Features used: source_noise."
    assert named.feature_trials_ == []
    always = GRBM(features="always").fit(claims)
    assert always.feature_trials_ == []
    assert any("Features used:" in text for text in about(always, "features"))
    for other in (named, always):
        assert not np.allclose(other.plausibility_, plain.plausibility_, atol=1e-6)
    with pytest.raises(InvalidParameter, match="There is no feature 'source_skil'"):
        GRBM(features=["source_skil"]).fit(claims)


def test_reliability_follows_from_features_alone() -> None:
    columns, _ = skilled()
    model = GRBM(features=["source_skill"]).fit(claims_of(columns))
    table = model.reliability({"source_skill": [-2.0, 0.0, 2.0]})
    found = table["reliability"].to_pylist()
    assert 0.5 <= found[0] < found[1] < found[2] <= 1.0
    assert found[2] - found[0] > 0.1
    eta = np.array(table["eta"].to_pylist())
    np.testing.assert_allclose(found, (1 + np.exp(eta)) / (2 + np.exp(eta)))
    with pytest.raises(InvalidParameter, match="no feature column 'source_skill'"):
        model.reliability({"source_other": [1.0]})


def test_reliability_of_claims_is_that_of_their_sources() -> None:
    columns, _ = skilled()
    model = GRBM(features=["source_skill"]).fit(claims_of(columns))
    table = model.reliability(claims_of(columns))
    assert table["source"].to_pylist() == model.sources_["source"].to_pylist()
    np.testing.assert_allclose(
        table["reliability"].to_pylist(), model.sources_["reliability"].to_pylist(), atol=1e-12
    )
    later: dict[str, list[Any]] = {"source": ["new"], "entity": ["x"], "value": ["v0"]}
    later["source_skill"] = [2.0]
    poor = {**later, "source_skill": [-2.0]}
    good, bad = (
        model.reliability(claims_of(rows))["reliability"].to_pylist()[0] for rows in (later, poor)
    )
    assert good > bad + 0.1


@pytest.mark.parametrize("reliability", ["linear", "mlp"])
def test_a_network_learns_from_features_too(reliability: str) -> None:
    columns, drawn = skilled()
    model = GRBM(reliability, features=["source_skill"], max_iter=300).fit(claims_of(columns))
    plain = GRBM(features="never").fit(drawn.claims)
    assert drawn.accuracy(model) > drawn.accuracy(plain)
    found = model.reliability({"source_skill": [-1.5, 1.5]})["reliability"].to_pylist()
    assert found[1] > found[0] + 0.05


# Judging other claims


@pytest.mark.parametrize("case", ["every kind", "confusion", "lures", "boolean", "features"])
def test_predict_says_of_the_same_claims_what_the_fit_says(case: str) -> None:
    if case == "every kind":
        claims, features = every_kind(), "never"
    elif case == "features":
        claims, features = claims_of(skilled()[0]), "always"
    else:
        n_values = 2 if case == "boolean" else 3
        drawn = world([0.9, 0.8, 0.7, 0.5, 0.4], 60, n_values=n_values, attribute=KINDS[case])
        claims, features = drawn.claims, "never"
    model = GRBM(features=features).fit(claims)
    assert model.predict(claims).to_pylist() == model.truths_.to_pylist()
    assert model.predict_plausibility(claims).to_pylist() == model.statements_.to_pylist()


def test_unseen_sources_attributes_and_values_are_judged() -> None:
    drawn = world([0.85] * 6, 60, n_values=3)
    model = GRBM(features="never").fit(drawn.claims)
    later = {
        "source": ["s00", "new", "newer", "s00", "new", "s01"],
        "entity": ["x", "x", "x", "x", "y", "y"],
        "attribute": ["value", "value", "value", "other", "value", "value"],
        "value": ["v0", "v0", "v1", "red", "v7", "v1"],
    }
    claims = claims_of(later)
    rows = {(r["entity"], r["attribute"]): r for r in model.predict(claims).to_pylist()}
    assert rows["x", "value"]["value"] == "v0"
    assert rows["x", "other"]["value"] == "red"
    assert rows["y", "value"]["value"] == "v1"  # of v7 nothing was ever seen
    statements = model.predict_plausibility(claims).to_pylist()
    for item in rows:
        own = [s["plausibility"] for s in statements if (s["entity"], s["attribute"]) == item]
        assert min(own) >= 0
        assert sum(own) <= 1 + 1e-9
    reliability = {
        row["source"]: row["reliability"] for row in model.reliability(claims).to_pylist()
    }
    assert 0.6 < reliability["new"] < 0.95  # as an average source


def test_a_new_source_is_taken_for_an_average_one() -> None:
    drawn = world([0.95] * 5 + [0.5] * 5, 120, n_values=3)
    model = GRBM(features="never").fit(drawn.claims)

    def plausibility(source: str) -> float:
        later = {"source": [source], "entity": ["x"], "value": ["v0"]}
        return float(model.predict(claims_of(later))["plausibility"].to_pylist()[0])

    assert plausibility("s00") > plausibility("new") > plausibility("s09")


def test_judging_does_not_change_the_model() -> None:
    columns, _ = skilled()
    claims = claims_of(columns)
    model = GRBM("mlp", features=["source_skill"], max_iter=200).fit(claims)
    before = model.predict(claims).to_pylist()
    other: dict[str, list[Any]] = {
        "source": ["u", "w"],
        "entity": ["x", "x"],
        "value": ["v0", "v1"],
        "source_skill": [0.5, -1.0],
    }
    model.predict(claims_of(other))
    model.reliability({"source_skill": [0.0]})
    model.explain("e0000")
    model.score(claims_of(other))
    assert model.predict(claims).to_pylist() == before


def test_parameters_come_in_the_order_of_the_input() -> None:
    columns, _ = skilled(n_items=30)
    table = GRBM(features=["source_skill"]).fit(claims_of(columns)).parameters(claims_of(columns))
    assert table["source"].to_pylist() == columns["source"]
    assert table["entity"].to_pylist() == columns["entity"]
    assert table["value"].to_pylist() == columns["value"]
    right = np.array(table["reliability"].to_pylist())
    assert ((right > 0) & (right < 1)).all()


# Keeping it


def same_bits(one: Table, other: Table) -> bool:
    """Whether two tables are equal to the last bit."""
    return bool(one.to_arrow().equals(other.to_arrow()))


def networks() -> dict[str, Any]:
    """Return what g may be."""
    return {"linear": "linear", "mlp": "mlp", "own": torch.nn.Linear(1, 1, dtype=torch.float64)}


@pytest.mark.parametrize("name", ["linear", "mlp", "own"])
def test_a_saved_model_judges_bit_by_bit_the_same(name: str, tmp_path: Path) -> None:
    columns, _ = skilled(n_items=80)
    claims = claims_of(columns)
    module = networks()[name]
    model = GRBM(module, features=["source_skill"], max_iter=300).fit(claims)
    model.save(tmp_path / "kept")
    again = networks()["own"] if name == "own" else None
    loaded = veracity.load(tmp_path / "kept", module=again)
    assert isinstance(loaded, GRBM)
    assert same_bits(loaded.predict_plausibility(claims), model.predict_plausibility(claims))
    assert loaded.predict(claims).to_pylist() == model.predict(claims).to_pylist()
    assert loaded.parameters(claims).to_pylist() == model.parameters(claims).to_pylist()
    new = {"source_skill": [-1.0, 2.0]}
    assert loaded.reliability(new).to_pylist() == model.reliability(new).to_pylist()
    assert (loaded.n_iter_, loaded.converged_, loaded.forms_) == (
        model.n_iter_,
        model.converged_,
        model.forms_,
    )
    if name == "own":
        with pytest.raises(InputError, match="module"):
            veracity.load(tmp_path / "kept")


@pytest.mark.parametrize("case", ["every kind", "confusion", "lures"])
def test_forms_are_saved_too(case: str, tmp_path: Path) -> None:
    if case == "every kind":
        claims = every_kind()
    elif case == "confusion":
        claims = world([0.9, 0.8, 0.7, 0.5], 80, n_values=3).claims
    else:
        claims = world([0.9, 0.8, 0.7, 0.5], 80, attribute=OPEN).claims
    model = GRBM(features="never").fit(claims)
    loaded = veracity.load(model.save(tmp_path / "kept"))
    assert same_bits(loaded.predict_plausibility(claims), model.predict_plausibility(claims))
    assert repr(loaded).replace("[16]", "(16,)") == repr(model)


def test_a_module_of_ones_own_is_not_touched() -> None:
    columns, _ = skilled(n_items=40)
    module = torch.nn.Linear(1, 1, dtype=torch.float64)
    before = [parameter.detach().clone() for parameter in module.parameters()]
    GRBM(module, features=["source_skill"], max_iter=300).fit(claims_of(columns))
    for kept, parameter in zip(before, module.parameters(), strict=True):
        assert torch.equal(kept, parameter)


# Intervals


def spread_sources(
    kind: str, n_claims: int, n_sources: int, seed: int
) -> tuple[Claims, dict[str, float]]:
    """Draw sources whose log-odds of knowing are normal about 1; those who do not know guess."""
    rng = np.random.default_rng(seed)
    n_values = 2 if kind == "boolean" else 4
    n_items = n_sources * n_claims // 8
    knows = 1 / (1 + np.exp(-rng.normal(1.0, 1.0, n_sources)))
    rates = knows + (1 - knows) / n_values
    source = np.repeat(np.arange(n_sources), n_claims)
    item = np.concatenate([rng.permutation(n_items)[:n_claims] for _ in range(n_sources)])
    truth = rng.integers(0, n_values, n_items)
    wrong = (truth[item] + rng.integers(1, n_values, len(item))) % n_values
    said = np.where(rng.random(len(item)) < rates[source], truth[item], wrong)
    words = np.array(["no", "yes"] if kind == "boolean" else ["v0", "v1", "v2", "v3"])
    columns = {
        "source": [f"s{i}" for i in source],
        "entity": [f"e{i}" for i in item],
        "value": words[said].tolist(),
    }
    named = {f"s{i}": float(rate) for i, rate in enumerate(rates)}
    return claims_of(columns, KINDS[kind]), named


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_claims", "n_sources"), [(5, 400), (20, 400), (200, 300)])
def test_intervals_hold_the_reliability_nine_times_in_ten(
    kind: str, n_claims: int, n_sources: int
) -> None:
    held: list[bool] = []
    width: list[float] = []
    for seed in (0, 1):
        claims, rates = spread_sources(kind, n_claims, n_sources, seed)
        model = GRBM(features="never", tol=1e-6).fit(claims)
        assert set(model.forms_.values()) == {FORMS[kind]}
        for row in model.sources_.to_pylist():
            low, high = row["reliability_low"], row["reliability_high"]
            assert 0 <= low <= row["reliability"] <= high <= 1
            held.append(low <= rates[row["source"]] <= high)
            width.append(high - low)
    # Sources with few claims are drawn to all others by the fit, and their intervals are wide.
    assert 0.85 <= np.mean(held) <= (0.97 if n_claims == 5 else 0.95)
    assert np.mean(width) < {5: 0.5, 20: 0.27, 200: 0.11}[n_claims]


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_with_one_claim_shows_how_little_is_known(kind: str) -> None:
    n_values = 2 if kind == "boolean" else 4
    drawn = world([0.8] * 8, 200, n_values=n_values, attribute=KINDS[kind])
    columns = {name: list(cells) for name, cells in drawn.columns.items()}
    said = columns["value"][0]
    for name, cell in zip(columns, ("once", columns["entity"][0], said), strict=True):
        columns[name].append(cell)
    model = GRBM(features="never").fit(claims_of(columns, KINDS[kind]))
    for rate in ("reliability", "tpr", "fpr"):
        width = {
            row["source"]: row[f"{rate}_high"] - row[f"{rate}_low"]
            for row in model.sources_.to_pylist()
        }
        assert all(row[f"{rate}_low"] <= row[rate] for row in model.sources_.to_pylist())
        assert all(row[rate] <= row[f"{rate}_high"] for row in model.sources_.to_pylist())
        often = max(value for source, value in width.items() if source != "once")
        assert width["once"] > 2 * often
    once = next(row for row in model.sources_.to_pylist() if row["source"] == "once")
    assert once["reliability_high"] - once["reliability_low"] > 0.25


# The rest of what is promised


def test_the_paper_has_its_own_machine() -> None:
    machine = GRBM.paper()
    assert isinstance(machine, BinaryGRBM)
    assert not machine.__sklearn_is_fitted__()
    columns, _ = skilled(n_items=100)
    fitted = machine.fit(claims_of(columns))
    assert set(fitted.truths_["entity"].to_pylist()) == set(columns["entity"])
    assert isinstance(GRBM.paper(), BinaryGRBM)
    assert GRBM.paper() is not machine


@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_nothing(kind: str) -> None:
    n_values = 2 if kind == "boolean" else 3
    drawn = world([0.9, 0.8, 0.7, 0.5, 0.4], 400, n_values=n_values, attribute=KINDS[kind])
    one, four = (GRBM(features="never", threads=n).fit(drawn.claims) for n in (1, 4))
    np.testing.assert_allclose(one.plausibility_, four.plausibility_, atol=1e-5)
    again = GRBM(features="never", threads=1).fit(drawn.claims)
    assert np.array_equal(one.plausibility_, again.plausibility_)


def test_a_fit_that_is_cut_short_keeps_its_result() -> None:
    """Few steps from a cautious start are a part of the model, so nothing is to be warned of."""
    drawn = world([0.8] * 5, 60)
    model = GRBM(max_iter=1, tol=0.0, features="never").fit(drawn.claims)
    assert not model.converged_
    assert model.n_iter_ == 1
    assert not about(model, "convergence")
    assert drawn.accuracy(model) > 0.9


def test_the_likelihood_is_the_one_of_the_history() -> None:
    drawn = world([0.8, 0.7, 0.6, 0.5], 60)
    model = GRBM(features="never").fit(drawn.claims)
    last = model.history_[-1]["log_likelihood"] / drawn.claims.matrix.n_claims
    assert model.score(drawn.claims) == pytest.approx(last)
    assert model.score(drawn.claims) < 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"reliability": "linar"}, "reliability must be one of .*linear"),
        ({"reliability": torch.nn.Linear}, "reliability must be"),
        ({"features": "alway"}, "features must be one of .*always"),
        ({"max_iter": 0}, "max_iter must be 1 or more"),
        ({"tol": -1.0}, "tol must be 0 or more"),
        ({"tol": float("nan")}, "tol must be 0 or more"),
        ({"error_rate": 0.5}, "error_rate must be more than 0 and less than 0.5"),
        ({"speaking": "always"}, "speaking must be True, False or 'auto'"),
        ({"bins": 1}, "bins must be 2 or more"),
        ({"reliability": "mlp", "activation": "cube", "features": "always"}, "activation must be"),
        ({"reliability": "mlp", "hidden_sizes": (0,), "features": "always"}, "hidden_sizes must"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(
    parameters: dict[str, Any], message: str
) -> None:
    columns, _ = skilled(n_items=20)
    with pytest.raises(InvalidParameter, match=message):
        GRBM(**parameters).fit(claims_of(columns))


def test_before_the_fit_it_says_that_it_is_not_fitted() -> None:
    model = GRBM()
    for ask in (model.predict, model.held_out, model.reliability, model.parameters, model.score):
        with pytest.raises(NotFitted):
            ask({})
    with pytest.raises(NotFitted):
        model.explain("x")


def test_a_clone_is_made_alike() -> None:
    model = GRBM("mlp", features=["a"], error_rate=0.1, allow_adversaries=True)
    clone = sklearn.base.clone(model)
    assert clone.get_params() == model.get_params()


def test_known_truth_may_be_a_ground_truth() -> None:
    drawn = world([0.7] * 5, 40)
    given = GroundTruth.from_frame(drawn.known(5))
    model = GRBM().fit(drawn.claims, known_truth=given)
    assert "The truth of 5 items is given." in about(model, "labels")
