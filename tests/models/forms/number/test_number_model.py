"""The model of numbers: what it finds, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest

from veracity import Attribute, Claims
from veracity.data.arrays import Floats
from veracity.data.truth.known import KnownTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.local import in_one_block
from veracity.models.base import Judgement
from veracity.models.forms.number.explanation import NumberExplanation
from veracity.models.forms.number.model import NumberModel

Row = tuple[str, str, str]
N_ITEMS, N_SOURCES = 60, 8


def drawn(wild: float = 0.0) -> tuple[list[tuple[str, str, float]], Floats]:
    """Draw sensors: s0 has a bias, s1 is precise, a share of s2 is wild."""
    rng = np.random.default_rng(0)
    truth = rng.normal(0.0, 20.0, N_ITEMS)
    rows = []
    for source in range(N_SOURCES):
        for item in range(N_ITEMS):
            error = rng.normal(0.0, 0.4 if source == 1 else 2.0) + 5.0 * (source == 0)
            off = 500.0 * (source == 2 and rng.random() < wild)
            rows.append((f"s{source}", f"e{item:02}", float(truth[item] + error + off)))
    return rows, truth


def claims_of(rows: list[tuple[str, str, float]]) -> Claims:
    triples = [(source, entity, repr(float(value))) for source, entity, value in rows]
    return Claims.from_triples(triples, attributes={"*": Attribute("single", values="number")})


def fitted(claims: Claims, known: KnownTruth | None = None) -> tuple[NumberModel, ClaimsInBlocks]:
    model, blocks = NumberModel(), in_one_block(claims, known)
    model.fit(blocks)
    return model, blocks


def judged(model: NumberModel, blocks: ClaimsInBlocks) -> Judgement:
    assert blocks.blocks.only is not None
    return model.judge(blocks.blocks.only)


def estimates(rows: list[tuple[str, str, float]]) -> dict[str, float]:
    """Return the estimate of each entity."""
    claims = claims_of(rows)
    found = judged(*fitted(claims)).estimates
    assert found is not None
    names = claims.matrix.entities.to_pylist()
    entity = claims.matrix.entity_index.tolist()
    return {names[one]: value for one, value in zip(entity, found.value.tolist(), strict=True)}


def as_array(found: dict[str, float]) -> Floats:
    return np.array([found[f"e{item:02}"] for item in range(N_ITEMS)])


def test_it_is_nearer_to_the_truth_than_the_median() -> None:
    rows, truth = drawn()
    by_item = np.array([[v for _, e, v in rows if e == f"e{i:02}"] for i in range(N_ITEMS)])
    median = np.abs(np.median(by_item, axis=1) - truth).mean()
    assert np.abs(as_array(estimates(rows)) - truth).mean() < 0.8 * median


def test_sources_have_bias_deviation_and_gross_errors() -> None:
    model, blocks = fitted(claims_of(drawn()[0]))
    found = {row["source"]: row for row in model.reliability(blocks).to_pylist()}
    assert found["s0"]["bias"] == pytest.approx(5.0, abs=0.7)
    assert all(abs(found[f"s{place}"]["bias"]) < 0.7 for place in range(1, N_SOURCES))
    assert min(found, key=lambda name: found[name]["sd"]) == "s1"
    assert max(found, key=lambda name: found[name]["reliability"]) == "s1"


def test_gross_errors_are_counted_by_source() -> None:
    model, blocks = fitted(claims_of(drawn(wild=0.15)[0]))
    found = {row["source"]: row["gross_errors"] for row in model.reliability(blocks).to_pylist()}
    assert found.pop("s2") > 0.08
    assert max(found.values()) < 0.02


@pytest.mark.parametrize(("factor", "shift"), [(8.0, 0.0), (1.0, 10.0), (0.3, -5.5)])
def test_shift_and_scale(factor: float, shift: float) -> None:
    # Some numbers are negative, so that all is on the natural scale.
    rows = drawn()[0]
    moved = [(source, entity, factor * value + shift) for source, entity, value in rows]
    expected = factor * as_array(estimates(rows)) + shift
    np.testing.assert_allclose(as_array(estimates(moved)), expected, rtol=0, atol=1e-6)


def test_the_order_of_rows_and_the_names_of_sources_do_not_matter() -> None:
    rows, _ = drawn()
    mixed = [rows[place] for place in np.random.default_rng(1).permutation(len(rows))]
    renamed = [(f"x{9 - int(source[1:])}", entity, value) for source, entity, value in mixed]
    expected = as_array(estimates(rows))
    np.testing.assert_allclose(as_array(estimates(mixed)), expected, rtol=1e-12)
    np.testing.assert_allclose(as_array(estimates(renamed)), expected, rtol=1e-9)


def test_the_scale_is_that_of_logarithms_where_errors_grow_with_the_truth() -> None:
    rng = np.random.default_rng(3)
    truth = rng.lognormal(5.0, 2.0, 50)
    rows = [
        (f"s{source}", f"e{item:02}", value * np.exp(0.1 * rng.standard_normal()))
        for source in range(6)
        for item, value in enumerate(truth.tolist())
    ]
    model, blocks = fitted(claims_of(rows))
    scales = set(next(model.tables(blocks)["number_sources"].parts())["scale"].to_pylist())
    assert scales == {"log"}
    assert any("share of the truth" in note.text for note in model.notes)


def test_what_was_learned_can_be_kept() -> None:
    claims = claims_of(drawn()[0])
    model, blocks = fitted(claims)
    again = NumberModel()
    again.restore(*model.state())
    one, other = judged(model, blocks), judged(again, blocks)
    assert np.array_equal(one.plausibility, other.plausibility)
    assert again.reliability(blocks).equals(model.reliability(blocks))


def test_a_source_that_was_not_heard_before_has_the_prior() -> None:
    model, _ = fitted(claims_of(drawn()[0]))
    new = claims_of([("s1", "new", 50.0), ("nobody", "new", 60.0)])
    found = judged(model, in_one_block(new)).estimates
    assert found is not None
    assert 50.0 < found.value[0] < 55.0


def test_exact_reports_are_believed_to_the_digit() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 1440, 80)
    rows = [
        (f"s{source}", f"e{item:02}", float(value + (rng.random() < 0.4) * rng.integers(-90, 90)))
        for source in range(10)
        for item, value in enumerate(truth.tolist())
    ]
    found = estimates(rows)
    right = [found[f"e{item:02}"] == value for item, value in enumerate(truth.tolist())]
    assert np.mean(right) > 0.9


def test_camps_of_sources_are_told_and_the_median_is_believed() -> None:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 1440, 60)
    rows = [
        (f"s{source}", f"e{item:02}", float(value + 15 * (source < 4) + rng.integers(0, 2)))
        for source in range(10)
        for item, value in enumerate(truth.tolist())
    ]
    model, _ = fitted(claims_of(rows))
    assert any("camps" in note.text for note in model.notes)
    by_item = np.array([[v for _, e, v in rows if e == f"e{i:02}"] for i in range(60)])
    np.testing.assert_allclose(as_array(estimates(rows)), np.median(by_item, axis=1))


def test_labels_calibrate_the_intervals_and_shift_what_all_have_wrong() -> None:
    rows, truth = drawn()
    moved = [(source, entity, value + 3.0) for source, entity, value in rows]
    claims = claims_of(moved)
    labelled = {
        "entity": [f"e{item:02}" for item in range(20)],
        "attribute": ["value"] * 20,
        "value": [repr(float(value)) for value in truth[:20]],
    }
    known = KnownTruth.of(labelled, claims)
    model, blocks = fitted(claims, known)
    found = judged(model, blocks).estimates
    assert found is not None
    assert any("calibrated by 20 labels" in note.text for note in model.notes)
    away = np.abs(found.value - truth)
    assert away[:20].max() < 1e-9
    assert away[20:].mean() < 1.0
    inside = (found.low[20:] <= truth[20:]) & (truth[20:] <= found.high[20:])
    assert inside.mean() > 0.75


def test_without_labels_the_interval_is_called_the_spread_of_the_sources() -> None:
    model, blocks = fitted(claims_of(drawn()[0]))
    assert set(judged(model, blocks).columns["interval"].to_pylist()) == {"spread of the sources"}
    assert any("spread of the sources" in note.text for note in model.notes)


def test_an_estimate_is_explained_by_weights() -> None:
    claims = claims_of(drawn()[0])
    model, _ = fitted(claims)
    found = model.explainer(claims).item(4)
    assert isinstance(found, NumberExplanation)
    assert sum(weight.share for weight in found.weights) == pytest.approx(1.0)
    assert found.weights[0].source == "s1"
    mean = sum(weight.share * weight.expected for weight in found.weights)
    assert found.estimate == pytest.approx(mean, abs=1e-4)
    assert "s1 says" in str(found)
    for statement in found.statements:
        assert 0.0 <= statement.plausibility <= 1.0


SILLY: dict[str, list[tuple[str, str, float]]] = {
    "one claim": [("a", "x", 5.0)],
    "all equal": [(source, entity, 7.0) for source in "abc" for entity in "xyz"],
    "zeros": [(source, entity, 0.0) for source in "abc" for entity in "xyz"],
    "huge": [("a", "x", 1e140), ("b", "x", 1e-140), ("c", "x", -1e140), ("a", "y", 1.0)],
    "negative": [(source, "x", -float(place)) for place, source in enumerate("abcde")],
    "a constant source": [("a", entity, 3.0) for entity in "uvwxyz"]
    + [(source, entity, 10.0 * ord(entity)) for source in "bcd" for entity in "uvwxyz"],
    "a source twice": [("a", "x", 1.0), ("b", "x", 2.0), ("b", "y", 2.0)],
}


@pytest.mark.parametrize("rows", SILLY.values(), ids=SILLY.keys())
def test_silly_input(rows: list[tuple[str, str, float]]) -> None:
    model, blocks = fitted(claims_of(rows))
    found = judged(model, blocks)
    assert found.estimates is not None
    values = [value for _, _, value in rows]
    slack = 1e-6 * (max(map(abs, values)) + 1.0)
    assert np.all(np.isfinite(found.estimates.value))
    assert found.estimates.value.min() >= min(values) - slack
    assert found.estimates.value.max() <= max(values) + slack
    assert np.all((found.plausibility >= 0) & (found.plausibility <= 1))
    model.explainer(blocks.blocks.only.claims).item(0)
