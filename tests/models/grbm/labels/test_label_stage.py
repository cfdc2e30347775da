"""Labels: what a few of them add to a fit, and what they leave as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.worlds import BOOLEAN, CLOSED, OPEN, World, world

import veracity
from veracity import GRBM, Attribute
from veracity.data.arrays import Floats
from veracity.data.truth.known import KnownTruth
from veracity.engines.local import in_one_block
from veracity.models.grbm.labels.labelled_items import N_PARTS, LabelledItems, gather, parts_of
from veracity.models.grbm.labels.recentring import HOLD, LEAST_ETA, MOST_ETA, clipped, recentred
from veracity.models.grbm.labels.stage import LabelStage
from veracity.models.grbm.parameters import ParameterVector

KINDS = {"closed": CLOSED, "open": OPEN, "boolean": BOOLEAN}
RATES = [0.9, 0.8, 0.75, 0.7, 0.65, 0.6, 0.6, 0.55]


def drawn_world(attribute: Attribute = CLOSED, n_items: int = 300, **options: Any) -> World:
    n_values = 2 if attribute is BOOLEAN else 4
    return world(RATES, n_items, n_values=n_values, share=0.6, attribute=attribute, **options)


def labelled_items(drawn: World, count: int, seed: int = 0) -> LabelledItems:
    known = KnownTruth.of(veracity.GroundTruth.from_frame(drawn.known(count)), drawn.claims)
    found = gather(in_one_block(drawn.claims, known), seed)
    assert found is not None
    return found


def statements(model: GRBM) -> dict[tuple[str, str], float]:
    rows = model.statements_.to_pylist()
    return {(row["entity"], row["value"]): row["plausibility"] for row in rows}


@pytest.mark.parametrize("kind", KINDS)
def test_the_fit_without_labels_is_the_same_to_the_bit(kind: str) -> None:
    drawn = drawn_world(KINDS[kind])
    alone = GRBM().fit(drawn.claims)
    told = GRBM().fit(drawn.claims, known_truth=drawn.known(30))
    assert alone.fitted_model.x.tolist() == told.fitted_model.x.tolist()
    assert alone.crossfit_ is None
    assert told.crossfit_ is not None


@pytest.mark.parametrize("kind", KINDS)
def test_labels_about_items_that_nobody_speaks_about_change_nothing(kind: str) -> None:
    drawn = drawn_world(KINDS[kind], 60)
    nowhere = {"entity": ["nowhere"], "value": [next(iter(drawn.truth.values()))]}
    alone, told = GRBM().fit(drawn.claims), GRBM().fit(drawn.claims, known_truth=nowhere)
    assert statements(alone) == statements(told)
    assert not told.has_labels


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_all_items_give_the_supervised_estimate(kind: str) -> None:
    drawn = drawn_world(KINDS[kind], 500)
    model = GRBM(features="never").fit(drawn.claims, known_truth=drawn.known(500))
    right = np.zeros((len(RATES), 2))
    for source, entity, value in zip(
        *(drawn.columns[name] for name in ("source", "entity", "value")), strict=True
    ):
        right[int(source[1:])] += value == drawn.truth[entity], 1
    supervised = right[:, 0] / right[:, 1]
    assert model._labels is not None
    estimate = model._labels.model(model.fitted_model)
    block, own = estimate.bind(drawn.claims)
    by_source = drawn.claims.matrix.sum_by_source(block.rates(own).right)
    assert by_source / right[:, 1] == pytest.approx(supervised, abs=0.05)


@given(count=st.integers(1, 25), place=st.integers(0, 59), kind=st.sampled_from(sorted(KINDS)))
def test_a_label_never_lowers_the_plausibility_of_its_value(
    count: int, place: int, kind: str
) -> None:
    drawn = drawn_world(KINDS[kind], 60)
    known = drawn.known(count)
    entity = sorted(drawn.truth)[place]
    if entity in known["entity"]:
        return
    more = {
        "entity": [*known["entity"], entity],
        "value": [*known["value"], drawn.truth[entity]],
    }
    key = (entity, drawn.truth[entity])
    before, after = (
        statements(GRBM(features="never").fit(drawn.claims, known_truth=given_now))
        for given_now in (known, more)
    )
    if kind == "boolean":  # one statement: yes
        yes = (entity, "yes")
        sign = 1.0 if drawn.truth[entity] == "yes" else -1.0
        assert sign * after[yes] >= sign * before[yes]
    elif key in before:
        assert after[key] >= before[key]
        assert after[key] == 1.0


def test_few_labels_change_little_and_many_decide() -> None:
    """Sources copy one that is often wrong: the claims alone say that these are right."""
    rates = [0.45] + [0.5] * 5 + [0.85] * 3
    copies = {place: (0, 0.95) for place in range(1, 6)}
    drawn = world(rates, 600, n_values=3, copies=copies, seed=1)
    alone = GRBM(features="never").fit(drawn.claims)
    told = {
        count: GRBM(features="never").fit(drawn.claims, known_truth=drawn.known(count))
        for count in (3, 60)
    }
    without = drawn.known(60)["entity"]
    accuracy = {count: drawn.accuracy(model, without) for count, model in told.items()}
    assert drawn.accuracy(alone, without) < 0.65
    assert accuracy[60] > drawn.accuracy(alone, without) + 0.15
    before, after = statements(alone), statements(told[3])
    moved = [abs(after[key] - before[key]) for key in before if key[0] not in without[:3]]
    assert float(np.mean(moved)) < 0.1


def test_parameters_are_the_maximum_near_the_unlabelled_ones() -> None:
    drawn = drawn_world(CLOSED, 120)
    fitted = GRBM(features="never").fit(drawn.claims).fitted_model
    labelled = labelled_items(drawn, 40)
    centre = clipped(fitted)
    found = recentred(fitted, centre, labelled.without(None))
    bound = replace(fitted, spec=replace(fitted.spec, only_known=True)).bind_block(
        labelled.without(None)
    )
    begin = centre[bound.places]
    hold = np.concatenate(
        [
            np.full(bound.names.zeros()[name].size, HOLD[name.rpartition(".")[2]])
            for name in bound.names.axes
        ]
    )

    def loss(x: Floats) -> float:
        value = bound.log_likelihood(ParameterVector(bound.names, x))[0]
        return float(0.5 * (hold * (x - begin) ** 2).sum() - value)

    at = found.over(centre)[bound.places]
    best = minimize(loss, at, method="L-BFGS-B", options={"maxiter": 20})
    assert loss(at) <= loss(begin)
    assert loss(at) == pytest.approx(best.fun, abs=1e-3)


def test_sources_that_a_fit_gave_up_on_can_come_back() -> None:
    drawn = drawn_world(CLOSED, 80)
    fitted = GRBM(features="never").fit(drawn.claims).fitted_model
    x = ParameterVector(fitted.spec.names, fitted.x.copy())
    x["source"] = np.linspace(-9.0, 9.0, len(RATES))
    held = ParameterVector(fitted.spec.names, clipped(replace(fitted, x=x.values)))
    z = fitted.spec.log_claim_count if fitted.spec.uses_claim_count else 0.0
    eta = held["m"] + held["gamma"] * z + held["source"]
    assert eta.min() == pytest.approx(LEAST_ETA)
    assert eta.max() == pytest.approx(MOST_ETA)


def test_what_is_learned_for_a_part_does_not_rest_on_its_labels() -> None:
    drawn = drawn_world(CLOSED, 200)
    fitted = GRBM(features="never").fit(drawn.claims).fitted_model
    part = int(parts_of(drawn.claims.matrix, 0)[0])
    liar = World(drawn.claims, drawn.columns, dict(drawn.truth))
    entities = drawn.claims.matrix.entities.to_pylist()
    for item, number in enumerate(parts_of(drawn.claims.matrix, 0).tolist()):
        if number == part:
            entity = entities[int(drawn.claims.matrix.entity_index[item])]
            liar.truth[entity] = "v0" if drawn.truth[entity] != "v0" else "v1"
    stages = [LabelStage.of(labelled_items(told, 200), fitted, seed=0) for told in (drawn, liar)]
    honest, spoiled = (stage.overlays[part + 1].values.tolist() for stage in stages)
    assert honest == spoiled
    place = np.arange(len(RATES))
    votes = [stage.vote.accuracy(place, part).tolist() for stage in stages]
    assert votes[0] == votes[1]
    assert stages[0].overlays[0].values.tolist() != stages[1].overlays[0].values.tolist()


def test_labelled_items_are_judged_as_among_all_claims() -> None:
    drawn = drawn_world(CLOSED, 150)
    fitted = GRBM().fit(drawn.claims).fitted_model
    labelled = labelled_items(drawn, 40)
    small = fitted.bind_block(labelled.unlabelled)
    whole, own = fitted.bind(drawn.claims)
    names = labelled.block.matrix.entities.to_pylist()
    matrix = drawn.claims.matrix
    among = np.isin(np.array(matrix.entities.to_pylist())[matrix.entity_index], names)
    here = among[matrix.item_of_statement]
    assert small.scores(small.own(fitted.x)).statement.tolist() == (
        whole.scores(own).statement[here].tolist()
    )
    assert set(labelled.part.tolist()) <= set(range(N_PARTS))


def test_sources_below_chance_are_found_by_labels_where_that_is_allowed() -> None:
    drawn = world([0.2] * 3 + [0.7] * 5, 300, n_values=2, share=0.7, seed=4)
    model = GRBM(features="never", allow_adversaries=True).fit(
        drawn.claims, known_truth=drawn.known(60)
    )
    reliability = model.sources_["reliability"].to_pylist()
    assert max(reliability[:3]) < 0.5 < min(reliability[3:])


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_with_labels_is_saved_whole(kind: str, tmp_path: Path) -> None:
    drawn = drawn_world(KINDS[kind], 80)
    model = GRBM().fit(drawn.claims, known_truth=drawn.known(25))
    again = veracity.load(model.save(tmp_path / "model"))
    assert isinstance(again, GRBM)
    assert again.has_labels
    for table in ("predict", "predict_plausibility", "reliability"):
        here, there = (getattr(one, table)(drawn.claims).to_pylist() for one in (model, again))
        assert here == there


@pytest.mark.parametrize("kind", KINDS)
def test_explanations_add_up_to_what_labels_make_of_them(kind: str) -> None:
    drawn = drawn_world(KINDS[kind], 80)
    model = GRBM().fit(drawn.claims, known_truth=drawn.known(25))
    shown = model.predict_plausibility(drawn.claims).to_pylist()
    plausibility = {(row["entity"], row["value"]): row["plausibility"] for row in shown}
    for entity in sorted(drawn.truth)[30:60]:
        for statement in model.explain(entity).statements:
            believed = plausibility[entity, statement.value]
            assert statement.plausibility == pytest.approx(believed, abs=1e-9)
            odds = np.log(believed) - np.log1p(-believed)
            assert statement.log_odds == pytest.approx(odds, abs=1e-6)


def test_crossfitted_verdicts_cover_the_same_items() -> None:
    drawn = drawn_world(CLOSED, 100)
    model = GRBM().fit(drawn.claims, known_truth=drawn.known(30))
    assert model.crossfit_ is not None
    rows = model.crossfit_.to_pylist()
    assert sorted(row["entity"] for row in rows) == sorted(model.truths_["entity"].to_pylist())
    plausibility = [row["plausibility"] for row in rows]
    assert 0.0 < min(plausibility) <= max(plausibility) < 1.0


def test_the_note_counts_held_out_labels() -> None:
    drawn = drawn_world(CLOSED, 300)
    model = GRBM().fit(drawn.claims, known_truth=drawn.known(50))
    assert model._labels is not None
    (text,) = [note.text for note in model.notes_ if "judged by the labels of others" in note.text]
    assert f"right on {model._labels.n_right} of 50 labelled items" in text
