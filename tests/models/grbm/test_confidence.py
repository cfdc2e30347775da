"""Stated confidence: the scale of each source, the trial, and what it is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.grbm.term_worlds import drawn, sigmoid, sure_sources
from tests.worlds import BOOLEAN, CLOSED, World, world

from veracity import GRBM, Claims
from veracity.engines.local import in_one_block
from veracity.errors import InvalidParameter
from veracity.models.grbm.terms.confidence import Confidence, learn_confidence


def learned(claims: Claims, column: str) -> Confidence | str:
    blocks = in_one_block(claims)
    return learn_confidence(blocks.blocks, column, blocks.n_sources)


def encoded(claims: Claims, column: str) -> Any:
    """Return how sure each claim is for its source, in the order of the matrix."""
    term = learned(claims, column)
    assert isinstance(term, Confidence)
    coded = term.encode(claims, np.arange(claims.matrix.n_sources))
    return coded.values[coded.codes, 0]


@pytest.mark.parametrize("seed", [0, 1])
def test_stated_confidence_helps_and_each_source_has_its_own_slope(seed: int) -> None:
    drawn_world = sure_sources(800, seed)
    without = GRBM(confidence="never", features="never").fit(drawn_world.claims)
    model = GRBM().fit(drawn_world.claims)
    assert drawn_world.accuracy(model) > drawn_world.accuracy(without) + 0.08
    own = model.fitted_model.parameters["own_slope"][:, 0]
    assert own[1::2].min() > own[::2].max() + 0.5  # drawn: 3 and 0
    (trial,) = model.feature_trials_
    assert trial.is_used
    assert (trial.group, trial.names) == ("stated confidence", ("claim_confidence",))
    notes = " ".join(note.text for note in model.notes_ if note.subject == "features")
    assert "Stated confidence used (claim_confidence): it improves" in notes
    assert "claims with a high claim_confidence for their source are more reliable" in notes


def test_confidence_that_says_nothing_changes_nothing() -> None:
    plain = world([0.9, 0.8, 0.7, 0.6, 0.55], 150)
    stated = np.random.default_rng(0).random(len(plain.columns["source"])).tolist()
    columns = {**plain.columns, "claim_confidence": stated}
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    model = GRBM().fit(claims)
    (trial,) = model.feature_trials_
    assert not trial.is_used
    assert model.fitted_model.terms == ()
    without = GRBM(features="never").fit(claims)
    assert np.array_equal(model.plausibility_, without.plausibility_)
    assert "slope" not in model.fitted_model.parameters


@pytest.mark.parametrize("factor", [1.0, 100.0], ids=["probability", "percent"])
def test_probabilities_become_log_odds_about_the_mean_of_the_source(factor: float) -> None:
    p = np.tile([0.2, 0.5, 0.8], 40)
    rows: dict[str, Any] = {
        "source": ["a"] * 60 + ["b"] * 60,
        "entity": [f"e{n % 60}" for n in range(120)],
        "value": [["x", "y", "z"][n // 3 % 3] for n in range(120)],
        "claim_probability": (
            factor * np.where(np.arange(120) < 60, p, sigmoid(2.0 + np.log(p / (1 - p))))
        ).tolist(),
    }
    claims = Claims.from_frame(rows, attributes={"*": CLOSED})
    sure = encoded(claims, "claim_probability")
    source = claims.matrix.source_index
    middle = sure[(claims.matrix.source_index == 0)]
    assert sorted(set(np.round(middle, 1))) == pytest.approx([-1.2, 0.0, 1.2], abs=0.15)
    assert sure[source == 1].mean() == pytest.approx(sure[source == 0].mean(), abs=0.15)


def test_a_rating_from_which_the_value_was_made_counts_by_its_distance_from_the_cut() -> None:
    rng = np.random.default_rng(0)
    rating = rng.integers(1, 7, (80, 5))
    rows = {
        "source": [f"s{n % 5}" for n in range(400)],
        "entity": [f"e{n // 5}" for n in range(400)],
        "value": np.where(rating.ravel() > 3, "yes", "no").tolist(),
        "claim_rating": rating.ravel().tolist(),
    }
    claims = Claims.from_frame(rows, attributes={"*": BOOLEAN})
    term = learned(claims, "claim_rating")
    assert isinstance(term, Confidence)
    assert term.sides == {"value": ("no", "yes")}
    sure = encoded(claims, "claim_rating")
    given = rating.ravel()[claims.matrix.row]
    mean = {n: sure[given == n].mean() for n in range(1, 7)}
    assert mean[6] > mean[5] > mean[4]
    assert mean[1] > mean[2] > mean[3]
    yes = claims.matrix.claim_value == 1
    assert abs(sure[yes].mean() - sure[~yes].mean()) < 0.1  # it does not tell the values apart


def test_a_column_made_of_more_than_two_values_is_left_alone() -> None:
    plain = world([0.9, 0.8, 0.7], 60, n_values=3)
    columns = {
        **plain.columns,
        "claim_number": [int(value[1:]) for value in plain.columns["value"]],
    }
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    model = GRBM(features="never", confidence="claim_number").fit(claims)
    assert any("more than two values" in note.text for note in model.notes_)
    assert model.fitted_model.terms == ()


def test_missing_confidence_is_neither_high_nor_low() -> None:
    made = sure_sources(40)
    stated = [
        None if n % 3 == 0 else cell for n, cell in enumerate(made.columns["claim_confidence"])
    ]
    claims = Claims.from_frame(
        {**made.columns, "claim_confidence": stated}, attributes={"*": CLOSED}
    )
    sure = encoded(claims, "claim_confidence")
    assert not sure[claims.matrix.row % 3 == 0].any()
    assert np.isfinite(sure).all()


def constant() -> World:
    right = np.full((40, 5), 0.8)
    return drawn(right, {"claim_confidence": np.full((40, 5), 0.5)})


def test_a_constant_column_is_no_confidence() -> None:
    assert learned(constant().claims, "claim_confidence") == "constant"


def test_text_is_no_confidence() -> None:
    made = constant()
    columns = {**made.columns, "claim_confidence": ["high", "low"] * 100}
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    assert learned(claims, "claim_confidence") == "its cells are no numbers"


def test_bad_input() -> None:
    claims = sure_sources(30).claims
    with pytest.raises(
        InvalidParameter, match=r"no feature column 'claim_confidense'.*Did you mean"
    ):
        GRBM(confidence="claim_confidense").fit(claims)
    with pytest.raises(InvalidParameter, match="confidence must be 'auto', 'never' or the name"):
        GRBM(confidence=None).fit(claims)  # type: ignore[arg-type]
    model = GRBM(features="always").fit(claims)
    bare = {"source": ["s00", "s01"], "entity": ["e", "e"], "value": ["v0", "v1"]}
    with pytest.raises(InvalidParameter, match="no feature column 'claim_confidence'"):
        model.predict(bare)
