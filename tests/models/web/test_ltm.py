"""LTM, against its posterior worked out over all labellings, and by hand."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln
from tests.sayings import mixed_claims, written_out
from tests.strategies import Row, as_columns, contested, shuffled

import veracity
from veracity import LTM, Attribute, Claims
from veracity.data.arrays import Floats
from veracity.data.truth.known import UNKNOWN, KnownTruth
from veracity.errors import InvalidParameter
from veracity.models.grbm.theta import sigmoid
from veracity.models.views.yes_no import Sayings
from veracity.models.web.ltm import draws, label_counts, statement_keys, sweeps

#: Weak priors, under which labels of the small tables below are uncertain and depend on each other.
WEAK: dict[str, Any] = {"alpha0": (1.0, 2.5), "alpha1": (2.0, 1.5), "beta": (2.0, 3.0)}
#: Over 30 seeds, plausibilities of `mixed_claims` scatter about the exact ones with a standard
#: deviation of 0.002 after so many sweeps: the tolerance is seven times that.
LONG: dict[str, Any] = {"n_iter": 6000, "burn_in": 200, "gap": 0}
TOLERANCE = 0.015
BOOLEAN = {"*": Attribute("boolean")}


def table(rows: list[tuple[Any, ...]], names: str = "source entity value") -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names.split())}


def exact_posterior(
    claims: Claims, truth: npt.NDArray[np.int8] | None = None, **priors: Any
) -> Floats:
    """Return P(true | claims) of each statement by adding up all labellings; (n_statements,).

    With the rates integrated out, a labelling has the probability, up to a constant,

        prod_f beta_t_f  prod_s B(alpha1 + counts on true ones) B(alpha0 + counts on false ones)

    Labellings that contradict what is known are left out.
    """
    yes, no = written_out(claims.matrix, everyone=False)
    total, true = 0.0, np.zeros(claims.matrix.n_statements)
    for labels in product([0, 1], repeat=claims.matrix.n_statements):
        t = np.array(labels, np.float64)
        if truth is not None and np.any((truth != UNKNOWN) & (truth != t)):
            continue
        (a0, b0), (a1, b1) = priors["alpha0"], priors["alpha1"]
        log_p = np.log(priors["beta"])[1 - t.astype(int)].sum()
        log_p += betaln(yes @ t + a1, no @ t + b1).sum()
        log_p += betaln(yes @ (1 - t) + a0, no @ (1 - t) + b0).sum()
        total += np.exp(log_p)
        true += np.exp(log_p) * t
    return true / total


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("weights", [False, True])
def test_samples_follow_the_exact_posterior(seed: int, weights: bool) -> None:
    claims = mixed_claims(weights)  # every kind of attribute, implied and explicit denials
    exact = exact_posterior(claims, **WEAK)
    assert exact.min() < 0.35
    assert exact.max() > 0.55
    model = LTM(**WEAK, **LONG, random_state=seed).fit(claims)
    np.testing.assert_allclose(model.plausibility_, exact, atol=TOLERANCE)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_labels_depend_on_each_other_as_they_should(seed: int) -> None:
    # Two camps that contradict each other everywhere: labels of different items go together, and
    # the sampler has to find its way between the two. A run scatters by 0.005: four times that.
    rows = [(s, f"x{i}", "1" if s in "ab" else "2") for i in range(3) for s in "abc"]
    claims = Claims.from_frame(table(rows))
    exact = exact_posterior(claims, **WEAK)
    model = LTM(**WEAK, n_iter=20_000, burn_in=200, gap=0, random_state=seed).fit(claims)
    np.testing.assert_allclose(model.plausibility_, exact, atol=0.02)


def test_a_claim_by_hand() -> None:
    # One statement: the first claim of a source has odds (50 / 100) / (10 / 1010) = 50.5, whatever
    # is sampled, and sources are independent: 50.5 squared for two.
    rows = [("a", "x", "1"), ("b", "y", "1"), ("c", "y", "1")]
    found = LTM().fit(table(rows)).plausibility_
    np.testing.assert_allclose(found, [50.5 / 51.5, 50.5**2 / (1 + 50.5**2)], rtol=1e-12)
    # A denial has odds (50 / 100) / (1000 / 1010) = 0.505.
    denied = Claims.from_frame(table([("a", "x", "no")]), attributes=BOOLEAN)
    np.testing.assert_allclose(LTM().fit(denied).plausibility_, [0.505 / 1.505], rtol=1e-12)
    # The prior of a statement is beta: odds of 3 to 1 here.
    model = LTM(beta=(3.0, 1.0)).fit(denied)
    np.testing.assert_allclose(model.plausibility_, [1.515 / 2.515], rtol=1e-12)


def test_a_weight_counts_a_claim_as_that_many() -> None:
    # Twice in a row: (50 51) / (100 101) over (10 11) / (1010 1011).
    rows = [("a", "x", "1", 2.0)]
    found = LTM().fit(table(rows, "source entity value weight")).plausibility_
    odds = (50 * 51) / (100 * 101) / (10 * 11) * (1010 * 1011)
    np.testing.assert_allclose(found, [odds / (1 + odds)], rtol=1e-12)


def test_what_is_kept_of_the_sweeps() -> None:
    claims = mixed_claims()
    matrix = claims.matrix
    parameters: dict[str, Any] = {**WEAK, "n_iter": 8, "burn_in": 1, "gap": 2}
    model = LTM(**parameters, random_state=4).fit(claims)
    seed = int(np.random.default_rng(4).integers(2**63))
    prior_counts = np.array([WEAK["alpha0"][::-1], WEAK["alpha1"][::-1]])
    chain = sweeps(
        Sayings.of_speakers(matrix),
        statement_keys(matrix, seed),
        None,
        prior_counts,
        float(np.log(2 / 3)),
    )
    every = [sigmoid(next(chain)[0]) for _ in range(8)]
    # After the first, two are skipped and one is kept, twice: the fourth and the seventh.
    np.testing.assert_allclose(model.plausibility_, (every[3] + every[6]) / 2, rtol=1e-9)
    assert [record["iteration"] for record in model.history_] == list(range(1, 9))
    assert model.n_iter_ == 8


def known_to(claims: Claims) -> KnownTruth:
    truth = table([("sky", "colour", "grey"), ("sea", "is salty", "no")], "entity attribute value")
    return KnownTruth.of(truth, claims)


@pytest.mark.parametrize("seed", [0, 1])
def test_known_labels_stay_and_count(seed: int) -> None:
    claims = mixed_claims()
    known = known_to(claims)
    settled = known.statement != UNKNOWN
    assert settled.sum() == 3
    truth = table([("sky", "colour", "grey"), ("sea", "is salty", "no")], "entity attribute value")
    model = LTM(**WEAK, **LONG, random_state=seed).fit(claims, known_truth=truth)
    # The posterior given the known labels, which tell about the sources: so the others move too.
    exact = exact_posterior(claims, known.statement, **WEAK)
    np.testing.assert_allclose(model.plausibility_, exact, atol=TOLERANCE)
    assert model.plausibility_[settled].tolist() == known.statement[settled].tolist()
    without = exact_posterior(claims, **WEAK)
    assert np.max(np.abs(exact - without)[~settled]) > 3 * TOLERANCE


def test_known_labels_are_never_drawn() -> None:
    claims = mixed_claims()
    known = known_to(claims)
    chain = sweeps(
        Sayings.of_speakers(claims.matrix),
        statement_keys(claims.matrix, 3),
        known,
        np.ones((2, 2)),
        0.0,
    )
    for _ in range(20):
        log_odds, _, _ = next(chain)
        assert np.all(log_odds[known.statement == 1] == np.inf)
        assert np.all(log_odds[known.statement == 0] == -np.inf)
        assert np.all(np.isfinite(log_odds[known.statement == UNKNOWN]))


def test_counts_of_labels() -> None:
    rows = [("a", "x", "1"), ("b", "x", "2"), ("a", "y", "1")]
    claims = Claims.from_frame(table(rows), attributes={"*": Attribute("single")})
    label = np.array([True, False, False])  # x = 1 is true; x = 2 and y = 1 are not
    counts = label_counts(Sayings.of_speakers(claims.matrix), label)
    assert counts[0].tolist() == [[1, 1], [0, 1]]  # a denies x = 2, claims y = 1 and x = 1
    assert counts[1].tolist() == [[0, 1], [1, 0]]  # b claims x = 2 and denies x = 1


def test_expected_rates_and_prediction_by_hand() -> None:
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]
    model = LTM().fit(table(rows))
    first, second = model.plausibility_
    found = model.source_parameters_
    tpr, fpr = np.array(found["tpr"].to_pylist()), np.array(found["fpr"].to_pylist())
    true, false = first + second, 2 - first - second
    expected = (np.array([first, first, second]) + 50) / (true + 100)
    np.testing.assert_allclose(tpr, expected)
    np.testing.assert_allclose(fpr, (1 - np.array([first, first, second]) + 10) / (false + 1010))
    # New items: a claims 1 and a source that was not seen 2; it has the means of the priors.
    new = model.predict_plausibility(table([("a", "y", "1"), ("new", "y", "2")]))
    for_1 = tpr[0] / fpr[0] * (1 - 0.5) / (1 - 10 / 1010)
    for_2 = (1 - tpr[0]) / (1 - fpr[0]) * 0.5 / (10 / 1010)
    assert new["value"].to_pylist() == ["1", "2"]
    assert new["plausibility"].to_pylist() == pytest.approx(
        [for_1 / (1 + for_1), for_2 / (1 + for_2)]
    )


def test_a_careless_source_is_found_out() -> None:
    # Nine sources agree on twenty items; the tenth says something else each time.
    rows = [(f"s{s}", f"x{i}", "1") for s in range(9) for i in range(20)]
    rows += [("odd", f"x{i}", "2") for i in range(20)]
    model = LTM().fit(table(rows))
    assert set(model.truths_["value"].to_pylist()) == {"1"}
    found = model.source_parameters_
    fpr = dict(zip(found["source"].to_pylist(), found["fpr"].to_pylist(), strict=True))
    assert fpr["odd"] > fpr["s0"]


@settings(max_examples=6)
@given(rows=contested, seed=st.integers(0, 9))
def test_rows_and_names_of_sources_do_not_matter(rows: list[Row], seed: int) -> None:
    # The same numbers are drawn for the same statements, so only rounding is left.
    renamed = [(f"the {row[0][::-1]}", *row[1:]) for row in shuffled(rows, seed)]
    keys = ["entity", "attribute", "value"]
    mine, theirs = (
        LTM(**WEAK, n_iter=30, burn_in=5, gap=0, random_state=seed)
        .fit(as_columns(table_rows))
        .statements_.to_arrow()
        .sort_by([(key, "ascending") for key in keys])
        for table_rows in (rows, renamed)
    )
    assert mine.select(keys).equals(theirs.select(keys))
    assert mine["plausibility"].to_pylist() == pytest.approx(
        theirs["plausibility"].to_pylist(), abs=1e-9
    )


def test_a_seed_gives_its_own_answer() -> None:
    claims = mixed_claims()
    first, again, other = (
        LTM(**WEAK, random_state=seed).fit(claims).plausibility_ for seed in (1, 1, 2)
    )
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_draws_are_uniform_and_differ_between_sweeps() -> None:
    keys = np.arange(20_000, dtype=np.uint64)
    one, two = draws(keys, 1), draws(keys, 2)
    assert one.min() >= 0
    assert one.max() < 1
    # Tenths hold 2,000 each; the standard deviation of a count is 42.
    assert np.abs(np.histogram(one, 10, (0, 1))[0] - 2000).max() < 5 * 42
    assert abs(np.corrcoef(one, two)[0, 1]) < 5 / np.sqrt(20_000)


def test_values_next_to_certain_are_still_told_apart() -> None:
    # 60 claims for one value and 40 for the other: both all but certain, judged by themselves.
    rows = [(f"s{s}", "x", "1" if s < 60 else "2") for s in range(100)]
    model = LTM().fit(table(rows))
    assert model.plausibility_.min() > 1 - 1e-9
    assert model.truths_["value"].to_pylist() == ["1"]
    assert model.truths_["tie"].to_pylist() == [False]


def test_a_saved_model_predicts_the_same(tmp_path: Path) -> None:
    claims = mixed_claims()
    model = LTM(**WEAK).fit(claims)
    loaded = veracity.load(model.save(tmp_path / "model"))
    new = table([("ann", "rain", "wet"), ("zoe", "rain", "dry")])
    for table_or_claims in (claims, new):
        mine, theirs = (m.predict_plausibility(table_or_claims) for m in (model, loaded))
        assert theirs.to_arrow().equals(mine.to_arrow())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha0": (1.0, 0.0)}, "alpha0 must be two numbers above 0"),
        ({"alpha1": (1.0, 2.0, 3.0)}, "alpha1 must be two numbers above 0"),
        ({"beta": "many"}, "beta must be two numbers above 0. Got 'many'"),
        ({"beta": (1.0, float("nan"))}, "beta must be two numbers"),
        ({"burn_in": -1}, "burn_in and gap must be 0 or more"),
        ({"gap": -1}, "burn_in and gap must be 0 or more"),
        ({"n_iter": 24}, r"n_iter must be at least burn_in \+ gap \+ 1"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        LTM(**parameters).fit(mixed_claims())
