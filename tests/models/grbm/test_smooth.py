"""Smooth functions of places and times: their form, what they are worth, and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import BSpline
from tests.models.grbm.term_worlds import by_day, day_and_night, drawn, here_and_there, reception
from tests.worlds import CLOSED, World, world

from veracity import GRBM, Claims
from veracity.data.arrays import Floats
from veracity.engines.local import in_one_block
from veracity.errors import InvalidParameter
from veracity.models.grbm.terms.smooth import Smooth, learn_smooth, smooth_groups, splines


def learned(claims: Claims, *columns: str) -> list[Smooth]:
    found, _ = learn_smooth(in_one_block(claims).blocks, columns, claims.features.column_names)
    return found


def values_of(term: Smooth, claims: Claims) -> Floats:
    """Return the functions at each claim."""
    coded = term.encode(claims, np.arange(claims.matrix.n_sources))
    return np.asarray(coded.values[coded.codes])


@pytest.mark.parametrize(
    ("draw", "smooth", "gain"),
    [
        pytest.param(by_day, "claim_time", 0.05, id="all by day"),
        pytest.param(day_and_night, "claim_time", 0.04, id="larks and owls"),
        pytest.param(reception, ["claim_lat", "claim_lon"], 0.06, id="all here"),
        pytest.param(here_and_there, ["entity_lat", "entity_lon"], 0.08, id="each at home"),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_where_and_when_sources_are_reliable(
    draw: Any, smooth: Any, gain: float, seed: int
) -> None:
    made: World = draw(seed=seed)
    plain = GRBM(features="never").fit(made.claims)
    model = GRBM(features="never", smooth=smooth).fit(made.claims)
    assert made.accuracy(model) > made.accuracy(plain) + gain
    assert any("Reliability by feature: by " in note.text for note in model.notes_)


def test_the_hour_of_the_day_is_named() -> None:
    model = GRBM(features="never", smooth="claim_time").fit(by_day().claims)
    (note,) = [note.text for note in model.notes_ if "Reliability by feature" in note.text]
    hour = int(note.split("by the hour of claim_time, claims are the most reliable at ")[1][:2])
    assert 9 <= hour <= 15


def test_splines_are_those_of_scipy() -> None:
    knots = np.array([0.0] * 4 + [0.2, 0.5, 0.6] + [1.0] * 4)
    x = np.linspace(0.0, 1.0, 101)
    expected = BSpline.design_matrix(x, knots, 3).toarray()
    assert splines(x, knots) == pytest.approx(expected)


def test_functions_are_centred_and_scaled_over_claims() -> None:
    claims = by_day(200).claims
    for term in learned(claims, "claim_time"):
        values = values_of(term, claims)
        assert values.mean(axis=0) == pytest.approx(0.0, abs=1e-9)
        assert (values**2).sum(axis=1).mean() == pytest.approx(1.0)
        assert values.shape[1] <= 8


@pytest.mark.parametrize("n_values", [12, 500], ids=["few numbers", "many numbers"])
def test_a_function_stays_as_it_is_beyond_what_was_seen(n_values: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, n_values, (100, 5)) / n_values
    made = drawn(np.full((100, 5), 0.8), {"claim_x": x, "claim_y": x[::-1]})
    beyond = [
        Claims.from_frame(
            {**made.columns, "claim_x": [far] * 500, "claim_y": [far] * 500},
            attributes={"*": CLOSED},
        )
        for far in (1.0, 9e9, 0.0, -9e9)
    ]
    for columns in (["claim_x"], ["claim_x", "claim_y"]):
        (term,) = learned(made.claims, *columns)
        one, beyond_one, zero, below_zero = (values_of(term, claims)[0] for claims in beyond)
        assert one == pytest.approx(beyond_one)
        assert zero == pytest.approx(below_zero)
        assert np.abs(one - zero).max() > 0.1


def test_an_unknown_place_is_neither_here_nor_there() -> None:
    made = reception(60)
    lat = [None if n % 4 == 0 else cell for n, cell in enumerate(made.columns["claim_lat"])]
    claims = Claims.from_frame({**made.columns, "claim_lat": lat}, attributes={"*": CLOSED})
    (term,) = learned(claims, "claim_lat", "claim_lon")
    values = values_of(term, claims)
    missing = claims.matrix.row % 4 == 0
    assert not values[missing].any()
    assert values[~missing].any(axis=1).all()


def test_times_of_one_hour_have_no_day() -> None:
    days = 1.7e9 // 86_400 * 86_400 + 86_400.0 * np.arange(200).reshape(40, 5)
    made = drawn(np.full((40, 5), 0.8), {"claim_time": days})
    assert [term.form for term in learned(made.claims, "claim_time")] == ["line"]


def test_the_time_of_claims_may_be_named() -> None:
    made = by_day(200)
    columns = {("time" if name == "claim_time" else name): c for name, c in made.columns.items()}
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    same = GRBM(features="never", smooth="claim_time").fit(made.claims)
    model = GRBM(features="never", smooth="time").fit(claims)
    assert model.plausibility_ == pytest.approx(same.plausibility_)


def test_a_constant_column_changes_nothing_to_the_bit_and_says_so() -> None:
    made = drawn(np.full((40, 5), 0.8), {"claim_lat": np.full((40, 5), 48.0)})
    plain = GRBM(features="never").fit(made.claims)
    model = GRBM(features="never", smooth="claim_lat").fit(made.claims)
    assert np.array_equal(model.plausibility_, plain.plausibility_)
    assert any("'claim_lat' has one value only" in note.text for note in model.notes_)


def test_groups_of_columns() -> None:
    assert smooth_groups(None) == []
    assert smooth_groups("a") == [["a"]]
    assert smooth_groups(["a", "b"]) == [["a", "b"]]
    assert smooth_groups([["a", "b"], ["c"]]) == [["a", "b"], ["c"]]
    assert smooth_groups([("a", "b"), "c"]) == [["a", "b"], ["c"]]


@pytest.mark.parametrize("smooth", [["a", "b", "c"], [], [["a", "b", "c"]], [[]], [1]])
def test_wrong_groups_of_columns(smooth: Any) -> None:
    with pytest.raises(InvalidParameter, match="smooth must be a column, a pair of coordinates"):
        GRBM(smooth=smooth).fit(reception(20).claims)


def test_bad_input() -> None:
    claims = reception(20).claims
    with pytest.raises(InvalidParameter, match=r"'claim_lot' to take a place.*Did you mean"):
        GRBM(smooth="claim_lot").fit(claims)
    with pytest.raises(InvalidParameter, match="no feature column 'time'"):
        GRBM(smooth="time").fit(claims)
    plain = world([0.9, 0.8, 0.7], 40)
    columns = {**plain.columns, "claim_town": ["Bern", "Basel"] * 60}
    with pytest.raises(InvalidParameter, match="'claim_town' holds text"):
        GRBM(smooth="claim_town").fit(Claims.from_frame(columns, attributes={"*": CLOSED}))
