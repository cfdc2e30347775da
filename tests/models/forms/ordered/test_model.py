"""Ordered values: beliefs by brute force, invariances, known truth, blocks and saving."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from tests.engines.worlds import in_place
from tests.models.forms.ordered.ratings import ORDERED, WORDS, claims_of, drawn

from veracity import GRBM, Attribute, Claims, MajorityVote, load
from veracity.data.blocks import ClaimBlock
from veracity.engines.local import in_one_block
from veracity.errors import InputError
from veracity.models.base import TruthModel
from veracity.models.forms.ordered.model import OrderedModel, likely_levels, numbers_of_levels


def fitted(claims: Claims) -> OrderedModel:
    model = OrderedModel()
    model.fit(in_one_block(claims))
    return model


def the_block(claims: Claims) -> ClaimBlock:
    block = in_one_block(claims).blocks.only
    assert block is not None
    return block


def plausibilities(model: GRBM) -> dict[tuple[str, str], float]:
    return {
        (row["entity"], row["value"]): row["plausibility"] for row in model.statements_.to_pylist()
    }


def right(model: TruthModel, truth: npt.NDArray[np.int64], items: Iterable[int]) -> float:
    believed = {row["entity"]: row["value"] for row in model.truths_.to_pylist()}
    return float(np.mean([believed[f"case {item:03}"] == WORDS[truth[item]] for item in items]))


def test_beliefs_are_those_of_bayes() -> None:
    table, _ = drawn(n_items=12)
    claims = claims_of(table)
    model = fitted(claims)
    (scale,) = model.scales
    found = model.judge(the_block(claims))
    matrix = claims.matrix
    answers = scale.sources.answers()
    place = {name: at for at, name in enumerate(matrix.sources.to_pylist())}
    for statement in range(matrix.n_statements):
        item = matrix.item_of_statement[statement]
        entity = matrix.entities[int(matrix.entity_index[item])].as_py()
        joint = scale.prior.copy()
        for row in table[table.entity == entity].itertuples():
            joint *= answers[place[row.source], :, WORDS.index(row.value)]
        value = matrix.values[int(matrix.value_index[statement])].as_py()
        expected = joint[WORDS.index(value)] / joint.sum()
        assert found.plausibility[statement] == pytest.approx(expected, rel=1e-9)
        mean = joint @ np.arange(1.0, 5.0) / joint.sum()
        assert found.columns["expected"][int(item)].as_py() == pytest.approx(mean)


def test_the_shifted_rater_is_seen_through() -> None:
    table, truth = drawn(n_raters=3, shift=1.5, n_items=400)
    model, vote = GRBM().fit(claims_of(table)), MajorityVote().fit(table)
    assert right(model, truth, range(400)) > right(vote, truth, range(400)) + 0.02
    by_source = {row["source"]: row for row in model.sources_.to_pylist()}
    assert by_source["r2"]["level_bias"] > 0.7 > 0.4 > abs(by_source["r0"]["level_bias"])
    assert by_source["r2"]["reliability"] < by_source["r0"]["reliability"]


def test_the_order_reversed_mirrors_the_answer() -> None:
    table, _ = drawn()
    turned = table.assign(value=[WORDS[3 - WORDS.index(value)] for value in table.value])
    ours, theirs = GRBM().fit(claims_of(table)), GRBM().fit(claims_of(turned))
    mirrored = {
        (entity, WORDS[3 - WORDS.index(value)]): belief
        for (entity, value), belief in plausibilities(theirs).items()
    }
    assert plausibilities(ours) == pytest.approx(mirrored, abs=1e-7)
    for one, other in zip(ours.truths_.to_pylist(), theirs.truths_.to_pylist(), strict=True):
        assert one["expected"] == pytest.approx(5 - other["expected"], abs=1e-6)
        assert one["lowest"] == WORDS[3 - WORDS.index(other["highest"])]
    bias = [model.sources_["level_bias"].to_numpy() for model in (ours, theirs)]
    assert bias[0] == pytest.approx(-bias[1], abs=1e-6)


def test_other_names_and_another_order_of_rows_change_nothing() -> None:
    table, _ = drawn()
    model = GRBM().fit(claims_of(table))
    shuffled = table.sample(frac=1, random_state=1)
    assert plausibilities(GRBM().fit(claims_of(shuffled))) == pytest.approx(
        plausibilities(model), abs=1e-9
    )
    renamed = table.assign(
        source=["z" + str(9 - int(name[1:])) for name in table.source],
        value=[f"level {value}" for value in table.value],
    )
    order = [f"level {word}" for word in WORDS]
    other = GRBM().fit(Claims.from_frame(renamed, attributes={"severity": Attribute(order=order)}))
    expected = {
        (entity, f"level {value}"): belief
        for (entity, value), belief in plausibilities(model).items()
    }
    assert plausibilities(other) == pytest.approx(expected, abs=1e-9)


def test_two_levels_are_two_classes() -> None:
    table, truth = drawn()
    two = table.assign(value=["yes" if WORDS.index(v) > 1 else "no" for v in table.value])
    order = {"severity": Attribute(order=["no", "yes"])}
    model = GRBM().fit(Claims.from_frame(two, attributes=order))
    believed = {row["entity"]: row["value"] for row in model.truths_.to_pylist()}
    agrees = [
        believed[f"case {item:03}"] == ("yes" if level > 1 else "no")
        for item, level in enumerate(truth)
    ]
    assert np.mean(agrees) > 0.9


def test_a_level_that_nobody_claims_can_be_the_most_plausible() -> None:
    rng = np.random.default_rng(0)
    rows = [(f"r{rater}", "split", "s", "2" if rater < 3 else "4") for rater in range(6)]
    for item in range(100):
        seen = np.clip(np.rint(item % 5 + 1 + rng.normal(0, 0.7, 6)), 1, 5).astype(int)
        rows += [(f"r{rater}", f"e{item}", "s", str(said)) for rater, said in enumerate(seen)]
    table = pd.DataFrame(rows, columns=["source", "entity", "attribute", "value"])
    model = GRBM().fit(Claims.from_frame(table, attributes={"s": Attribute(values="ordered")}))
    (row,) = (row for row in model.truths_.to_pylist() if row["entity"] == "split")
    assert row["value"] in ("2", "4")
    assert row["level"] == "3"
    assert row["lowest"] <= "3" <= row["highest"]
    assert row["expected"] == pytest.approx(3, abs=0.5)


def test_known_truth_is_learned_from() -> None:
    table, truth = drawn(n_raters=3, shift=1.5)
    given = pd.DataFrame(
        [(f"case {item:03}", "severity", WORDS[truth[item]]) for item in range(100)],
        columns=["entity", "attribute", "value"],
    )
    alone, taught = (
        GRBM().fit(claims_of(table), **({"known_truth": known} if known is not None else {}))
        for known in (None, given)
    )
    assert right(taught, truth, range(100)) == 1
    new = range(100, 150)
    assert right(taught, truth, new) >= right(alone, truth, new) - 0.04


def test_blocks_give_what_memory_gives(tmp_path: Path) -> None:
    table, _ = drawn()
    path = tmp_path / "claims.csv"
    table.to_csv(path, index=False)
    ours = GRBM().fit(in_place(path, "blocks on disk", 90, attributes=ORDERED))
    assert plausibilities(ours) == pytest.approx(
        plausibilities(GRBM().fit(claims_of(table))), abs=1e-7
    )


def test_it_can_be_saved(tmp_path: Path) -> None:
    table, _ = drawn()
    model = GRBM().fit(claims_of(table))
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    new = table[table.entity < "case 020"].assign(entity="new " + table.entity)
    assert again.predict(new).to_pylist() == model.predict(new).to_pylist()
    own = fitted(claims_of(table))
    state, arrays = own.state()
    restored = OrderedModel()
    restored.restore(json.loads(json.dumps(state)), arrays)
    block = the_block(claims_of(table))
    assert (restored.judge(block).plausibility == own.judge(block).plausibility).all()


def test_new_sources_are_like_the_others() -> None:
    table, _ = drawn()
    model = GRBM().fit(claims_of(table))
    new = table[table.entity == "case 000"].assign(entity="new", source="stranger", value="mild")
    (row,) = model.predict(new.head(1)).to_pylist()
    assert row["value"] == "mild"
    assert 0.3 < row["plausibility"] < 0.95


def test_values_that_are_no_level_are_refused_later_too() -> None:
    table, _ = drawn()
    model = GRBM().fit(claims_of(table))
    with pytest.raises(InputError, match="lacks deadly"):
        model.predict(table.head(3).assign(value="deadly"))


def test_explanations_add_up() -> None:
    table, _ = drawn()
    model = GRBM().fit(claims_of(table))
    believed = plausibilities(model)
    for entity in ("case 000", "case 001", "case 002"):
        for one in model.explain(entity).statements:
            assert one.plausibility == pytest.approx(believed[entity, one.value])
            odds = one.plausibility / (1 - one.plausibility)
            assert one.log_odds == pytest.approx(np.log(odds), rel=1e-6, abs=1e-5)
            assert len(one.terms) == 6


def test_tables_say_how_sources_use_the_scale() -> None:
    table, _ = drawn()
    found = fitted(claims_of(table)).tables(in_one_block(claims_of(table)))
    levels = found["levels"].to_pylist()
    assert [row["level"] for row in levels] == WORDS
    assert sum(row["probability"] for row in levels) == pytest.approx(1)
    assert {row["source"] for row in found["level_sources"].to_pylist()} == set(table.source)


def test_the_numbers_of_levels() -> None:
    assert numbers_of_levels(["10", "20", "40"]).tolist() == [10, 20, 40]
    assert numbers_of_levels(["low", "2"]).tolist() == [1, 2]


def test_likely_levels_hold_most_of_the_belief() -> None:
    first, last = likely_levels(np.array([[0.02, 0.9, 0.08], [1.0, 0.0, 0.0], [0.3, 0.3, 0.4]]))
    assert first.tolist() == [1, 0, 0]
    assert last.tolist() == [2, 0, 2]
