"""The benchmark of guarantees counts right, and its page says what was counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from guarantee import just_above, outcomes, repeat, unlabelled
from guarantee_figures import Figures
from guarantee_page import is_beyond_chance, page

from veracity.data.arrays import Floats, Indices, Mask
from veracity.datasets import synthetic
from veracity.evaluation.guarantee import MODEST, Limit


def test_all_that_is_stated_about_the_hardest_case_is_wrong() -> None:
    def judge(audited: Indices) -> tuple[Mask, Floats]:
        return just_above(audited, error_rate=0.1, n_items=300)

    right, plausibility = judge(np.empty(0, np.int64))
    length = np.arange(1, 301)
    assert (np.cumsum(~right) == MODEST.most_wrong(length) + 1).all()
    assert (np.diff(plausibility) < 0).all()
    found = repeat(judge, 60, MODEST, 100, "hardest")
    assert (found.hindsight, found.n_items, found.n_draws) == (0.0, 300, 100)
    assert found.exceeded < 0.25
    assert not is_beyond_chance(found)


def test_verdicts_that_are_all_right_are_all_listed() -> None:
    judged = np.ones(200, np.bool_), np.linspace(0.5, 1.0, 200)
    found = repeat(unlabelled(judged), 100, Limit(), 20, "right")
    assert (found.exceeded, found.accepted, found.hindsight, found.accuracy) == (0.0, 1.0, 1.0, 1.0)


def test_verdicts_are_held_against_the_truth() -> None:
    drawn = synthetic.draw(n_sources=10, n_entities=60, random_state=0)
    right, plausibility = outcomes(drawn.claims, drawn.truth, "drawn")
    assert len(right) == len(plausibility) == 60
    assert right.mean() > 0.8


def test_the_page_shows_every_case() -> None:
    one = Figures("set", "dog", 800, 0.8, 100, 0.05, 0.95, 1000, 0.01, 0.2, 0.3)
    worse = replace(one, case="cat", exceeded=0.09)
    shown = page([one, worse])
    row = "| public sets | 100 | 5 % and 95 % | 2 | 20.0 % | 30.0 % | 5.0 % | 9.0 % (cat) | 1 |"
    assert row in shown
    assert "| dog | 800 | 0.800 | 30.0 % | 20.0 % | 1.0 % |" in shown
