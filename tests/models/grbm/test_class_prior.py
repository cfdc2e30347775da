"""Class priors: what a user knows of how often each class is true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.worlds import BOOLEAN, CLOSED, OPEN, world

import veracity
from veracity import GRBM, Claims
from veracity.errors import InvalidParameter
from veracity.models.grbm.observation.class_tables import log_prior


def learned_shares(model: GRBM) -> list[float]:
    """Return the probability of each class of the only attribute."""
    shares: list[float] = np.exp(log_prior(model.fitted_model.parameters.group("0"))).tolist()
    return shares


def claims_of(n_values: int = 3, **options: Any) -> Claims:
    return world([0.8] * 5, 60, n_values=n_values, **options).claims


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("uniform", [1 / 3] * 3),
        ({"v0": 0.2, "v2": 0.5, "v1": 0.3}, [0.2, 0.3, 0.5]),
    ],
)
def test_the_shares_of_classes_are_those_given(given: Any, expected: list[float]) -> None:
    model = GRBM(features="never", class_prior=given).fit(claims_of())
    assert learned_shares(model) == pytest.approx(expected, abs=1e-3)


def test_claims_say_how_often_each_class_is_true() -> None:
    claims = claims_of()
    said = np.bincount(claims.matrix.value_index[claims.matrix.statement_index]) + 1.0
    model = GRBM(features="never", class_prior="claims").fit(claims)
    assert learned_shares(model) == pytest.approx((said / said.sum()).tolist(), abs=1e-3)


def test_a_boolean_attribute_has_the_classes_no_and_yes() -> None:
    claims = claims_of(2, attribute=BOOLEAN)
    model = GRBM(features="never", class_prior={"yes": 0.9, "no": 0.1}).fit(claims)
    assert learned_shares(model) == pytest.approx([0.1, 0.9], abs=1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("unifrom", "Did you mean 'uniform'"),
        (0.5, "class_prior must be one of claims, uniform"),
        ({}, "class_prior must be one of claims, uniform"),
        ({"v0": 0.5, "v1": 0.5, "v2": 0.5}, "must sum to 1"),
        ({"v0": 1.5, "v1": -0.5, "v2": 0.0}, "a positive probability"),
        ({"v0": "many", "v1": 0.5, "v2": 0.5}, "a positive probability"),
        ({"v0": 0.5, "v1": 0.5}, "must name the classes of 'value', which are v0, v1, v2"),
        ({"x": 0.5, "y": 0.5}, "names x, y, which no attribute has as classes"),
    ],
)
def test_what_makes_no_sense_is_refused(given: Any, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        GRBM(features="never", class_prior=given).fit(claims_of())


def test_probabilities_hold_for_the_attribute_that_has_the_classes() -> None:
    one, other = world([0.8] * 5, 60, n_values=3), world([0.8] * 5, 60, n_values=2, seed=1)
    names = {"v0": "red", "v1": "blue"}
    columns = {
        "source": one.columns["source"] + other.columns["source"],
        "entity": one.columns["entity"] + other.columns["entity"],
        "attribute": ["a"] * len(one.columns["value"]) + ["b"] * len(other.columns["value"]),
        "value": one.columns["value"] + [names[value] for value in other.columns["value"]],
    }
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    model = GRBM(features="never", class_prior={"red": 0.9, "blue": 0.1}).fit(claims)
    parameters = model.fitted_model.parameters
    assert np.exp(log_prior(parameters.group("1"))) == pytest.approx([0.1, 0.9], abs=1e-3)
    plain = GRBM(features="never").fit(claims).fitted_model.parameters
    expected = np.exp(log_prior(plain.group("0")))
    assert np.exp(log_prior(parameters.group("0"))) == pytest.approx(expected, abs=0.05)


def test_where_nothing_is_judged_by_classes_a_note_says_so() -> None:
    model = GRBM(features="never", class_prior="uniform").fit(claims_of(attribute=OPEN))
    (note,) = [note for note in model.notes_ if note.subject == "class prior"]
    assert "has no effect" in note.text


def test_updates_hold_to_it_also_after_the_model_was_saved(tmp_path: Path) -> None:
    given = {"v0": 0.2, "v1": 0.3, "v2": 0.5}
    model = GRBM(features="never", class_prior=given).fit(claims_of())
    assert veracity.load(model.save(tmp_path / "model")).fitted_model.spec.class_prior == given
    model.partial_fit(
        {"source": ["s00", "new"], "entity": ["n"] * 2, "value": ["v0", "v1"]}, refit=False
    )
    assert learned_shares(model) == pytest.approx([0.2, 0.3, 0.5], abs=1e-2)
