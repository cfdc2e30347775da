"""Made worlds in which what came before matters: the recurrent function finds it."""

from __future__ import annotations

import numpy as np
import pytest
from recurrent_worlds import Made, all_kinds, careers, repeats_first, repetition

from veracity import BinaryGRBM
from veracity.evaluation.metrics import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
PLACE = ["order in item", "age in item", "claims before in item", "claims after in item"]


def accuracy(model: BinaryGRBM, made: Made) -> float:
    return evaluate(model.fit(made.claims).truths_, made.truth, made.claims).accuracy


def test_worlds_are_drawn_by_their_seed() -> None:
    one, again, other = (repetition(repeats_first, seed, 20) for seed in (0, 0, 1))
    assert again.claims.to_arrow().equals(one.claims.to_arrow())
    assert not other.claims.to_arrow().equals(one.claims.to_arrow())
    rates = all_kinds(np.random.default_rng(0), np.array([0.1, 0.9]))
    assert rates.shape == (20, 2)
    assert (rates[1::4, 0] < rates[1::4, 1]).all()  # these learn
    assert (rates[2::4, 0] > rates[2::4, 1]).all()  # these decay


def test_the_recurrent_function_sees_through_repetition() -> None:
    made = repetition(repeats_first, 0, 300)
    recurrent = accuracy(BinaryGRBM("gru", sequence="item", hidden_sizes=(8,)), made)
    assert recurrent > accuracy(BinaryGRBM("mlp", features=PLACE), made) + 0.06
    assert recurrent < made.oracle + 0.02


def test_the_recurrent_function_follows_careers() -> None:
    made = careers(all_kinds, 0, 250)
    recurrent = BinaryGRBM("gru", sequence="source", features=PLACE, hidden_sizes=(8,))
    assert accuracy(recurrent, made) > accuracy(BinaryGRBM("mlp", features=PLACE), made) + 0.03
