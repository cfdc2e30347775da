"""What sources answer on a scale, and the step that learns it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from veracity.models.forms.ordered.answers import SLIPS, Sources, placed, slopes
from veracity.models.forms.ordered.scale import Counts, Scale, manner


def test_answers_are_those_of_a_rounded_normal() -> None:
    bias, stretch, spread, n_levels = 0.3, 0.8, 0.6, 4
    answers = placed(np.array([[bias, stretch, np.log(spread)]]), n_levels)[0]
    for truth in range(n_levels):
        seen = norm(1.5 + stretch * (truth - 1.5) + bias, spread)
        bounds = [-np.inf, 0.5, 1.5, 2.5, np.inf]
        expected = np.diff(seen.cdf(bounds))
        assert answers[truth] == pytest.approx((1 - SLIPS) * expected + SLIPS / n_levels)
    assert answers.sum(axis=1) == pytest.approx(1)


def test_random_answers_follow_the_habit() -> None:
    habit = np.array([[0.7, 0.2, 0.1]])
    sources = Sources(np.array([[0.0, 1.0, -1.0]]), np.array([1.0]), habit)
    assert sources.answers()[0] == pytest.approx(np.repeat(habit, 3, axis=0))


def test_slopes_are_those_of_the_logarithm() -> None:
    placing = np.array([[0.2, 0.9, -0.3]])
    slope = slopes(placing, 5)
    step = np.array([1e-3, -2e-3, 1.5e-3])
    change = np.log(placed(placing + step, 5)) - np.log(placed(placing - step, 5))
    assert np.einsum("sjkp,p->sjk", slope, 2 * step) == pytest.approx(change, abs=1e-4)


def test_learning_finds_who_is_biased_and_who_guesses() -> None:
    rng = np.random.default_rng(0)
    true = Sources(
        np.array([[0.0, 1.0, -0.7], [0.9, 1.0, -0.7], [0.0, 1.0, -0.7]]),
        np.array([0.05, 0.05, 0.9]),
        np.full((3, 5), 0.2),
    )
    said = np.stack([rng.multinomial(200, row) for row in true.answers().reshape(-1, 5)])
    counts = Counts(said.reshape(3, 5, 5).astype(float), np.full(5, 200.0), 0.0)
    scale = Scale.start("stars", tuple("12345"), 3)
    for _ in range(60):
        scale = scale.learned(counts)
    found = manner(scale)
    assert found.bias[0] == pytest.approx(0, abs=0.15)
    assert found.bias[1] == pytest.approx(0.7, abs=0.15)  # the highest level cannot be exceeded
    assert found.random[2] > 4 * found.random[:2].max()
    assert found.reliability[0] > found.reliability[1] > found.reliability[2]
    assert scale.prior == pytest.approx(np.full(5, 0.2))


def test_who_says_little_is_like_the_others() -> None:
    said = np.zeros((3, 3, 3))
    said[0] = np.diag([30.0, 30, 30])
    said[1] = np.diag([28.0, 29, 31])
    said[2, 0, 2] = 1.0  # one claim, which is far off
    scale = Scale.start("stars", ("1", "2", "3"), 3)
    for _ in range(40):
        scale = scale.learned(Counts(said, said.sum(axis=(0, 2)), 0.0))
    reliability = manner(scale).reliability
    assert reliability[2] > 0.6
    assert reliability[2] < reliability[:2].min()
