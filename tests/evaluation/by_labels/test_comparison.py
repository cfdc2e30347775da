"""Which model labels choose, and how it is said."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from veracity.data.arrays import Floats
from veracity.evaluation.by_labels import LabelComparison, LabelScores
from veracity.evaluation.by_labels.comparison import Mean

RNG = np.random.default_rng(0)


def scores(log_loss: Floats, if_wrong: float = 2.0) -> LabelScores:
    n = len(log_loss)
    return LabelScores(log_loss, np.full(n, if_wrong), (log_loss < 0.7).astype(np.float64))


def comparison(**losses: LabelScores) -> LabelComparison:
    n = len(next(iter(losses.values())).log_loss)
    return LabelComparison(losses, np.arange(n), "default", 5)


def noisy(mean: float, n: int = 60, spread: float = 0.3) -> Floats:
    drawn = RNG.normal(0.0, spread, n)
    return np.asarray(mean + drawn - drawn.mean())


# Means


def test_a_standard_error_by_hand() -> None:
    found = Mean.of(np.array([1.0, 2.0, 3.0, 6.0]), np.arange(4))
    assert found.value == 3
    assert found.standard_error == pytest.approx(math.sqrt(14 / 3 / 4))
    # Two clusters with the sums of deviations -3 and +3.
    found = Mean.of(np.array([1.0, 2.0, 3.0, 6.0]), np.array([0, 0, 1, 1]))
    assert found.standard_error == pytest.approx(math.sqrt(2 * 18) / 4)


# The choice


def test_a_rival_that_is_clearly_better_is_chosen() -> None:
    found = comparison(default=scores(noisy(0.8)), vote=scores(noisy(0.9)), ds=scores(noisy(0.4)))
    assert (found.best, found.chosen, found.rivals) == ("ds", "ds", ["ds", "vote"])
    assert found.reason().startswith("Chose ds: its log loss is lower than that of default by 0.4")
    assert "on 60 labels" in found.reason()
    chosen = [row["model"] for row in found.rows if row["chosen"]]
    assert chosen == ["ds"]


def test_the_default_is_kept_where_labels_cannot_tell() -> None:
    found = comparison(default=scores(noisy(0.62)), ds=scores(noisy(0.60)))
    assert (found.best, found.chosen) == ("ds", "default")
    assert found.reason().startswith("Kept default: the best rival, ds, is better by 0.020 ±0.0")
    assert found.reason().endswith("on 60 labels, which does not tell.")


def test_the_default_is_kept_where_it_is_best() -> None:
    found = comparison(default=scores(noisy(0.5)), ds=scores(noisy(0.6)), vote=scores(noisy(0.7)))
    assert found.chosen == found.best == "default"
    assert "no other model has a lower log loss" in found.reason()
    assert "the nearest, ds, is worse by 0.100" in found.reason()


def test_of_equals_the_default_is_best() -> None:
    same = noisy(0.5)
    found = comparison(vote=scores(same), default=scores(same))
    assert found.best == found.chosen == "default"
    assert [row["model"] for row in found.rows] == ["default", "vote"]


def test_few_labels_choose_nothing() -> None:
    found = comparison(default=scores(noisy(2.0, 19)), ds=scores(noisy(0.1, 19)))
    assert found.chosen == "default"
    assert "fewer than 20 labels are too few to choose by" in found.reason()


def test_more_rivals_need_more() -> None:
    two = comparison(default=scores(noisy(0.8)), ds=scores(noisy(0.6)))
    others = {f"m{number}": scores(noisy(1.0)) for number in range(9)}
    ten = comparison(default=scores(noisy(0.8)), ds=scores(noisy(0.6)), **others)
    assert two.needed < ten.needed
    assert two.needed == pytest.approx(1.67, abs=0.01)


def test_labels_of_few_entities_count_for_little() -> None:
    """Sixty labels of three entities, which each err as one."""
    losses, gains = np.repeat([[0.9, 0.5, 1.0], [0.5, 0.1, 0.7]], 20, axis=1)
    apart = comparison(default=scores(losses), ds=scores(losses - gains))
    together = replace(apart, cluster=np.repeat(np.arange(3), 20))
    assert apart.chosen == "ds"
    assert together.chosen == "default"


def test_one_label_that_goes_against_a_sure_model_is_reckoned_with() -> None:
    """A model that is always sure looks better until its first mistake."""
    cautious = scores(np.full(50, -math.log(0.86)), if_wrong=-math.log(0.14))
    sure = scores(np.full(50, -math.log(0.99)), if_wrong=-math.log(0.01))
    found = comparison(default=cautious, ds=sure)
    assert found.gain("ds").standard_error == pytest.approx(0)
    assert found.chosen == "default"
    assert "but a single label on which it is surely wrong could undo that" in found.reason()


@pytest.mark.parametrize("n", [20, 50, 200])
@pytest.mark.parametrize(("sure", "right"), [(0.99, 0.97), (0.99, 0.9), (0.9, 0.85)])
def test_a_rival_that_is_no_better_is_hardly_ever_chosen(n: int, sure: float, right: float) -> None:
    """The default is less sure, so that both have the same expected log loss."""
    share = np.linspace(0.01, right, 10_000)
    gain = right * np.log(sure / share) + (1 - right) * np.log((1 - sure) / (1 - share))
    cautious = share[np.abs(gain).argmin()]
    rng = np.random.default_rng(n)
    chosen = 0
    for _ in range(300):
        is_right = rng.random(n) < right
        losses = [-np.log(np.where(is_right, p, 1 - p)) for p in (cautious, sure)]
        rival = scores(losses[1], -math.log(1 - sure))
        chosen += comparison(default=scores(losses[0]), ds=rival).chosen == "ds"
    assert chosen <= 0.05 * 300


# Tables


def test_rows_and_json_say_the_same() -> None:
    found = comparison(default=scores(noisy(0.8)), ds=scores(noisy(0.4)))
    found.left_out["gtm"] = "it works out numbers"
    record = json.loads(found.to_json())
    assert record["chosen"] == "ds"
    assert record["n_labels"] == 60
    first, second = record["models"]
    assert (first["difference"], first["difference_se"]) == (0, 0)
    assert second["difference"] == pytest.approx(0.4)
    assert first["gain"] == pytest.approx(0.4)
    assert record["left_out"] == [{"model": "gtm", "reason": "it works out numbers"}]
    lines = found.grid().lines()
    assert lines[0].split() == [
        "model",
        "log",
        "loss",
        "accuracy",
        "behind",
        "the",
        "best",
        "chosen",
    ]
    assert lines[1].startswith("ds")
    assert lines[1].endswith("yes")
    assert "gtm is left out: it works out numbers." in found.to_markdown()


def test_alone_there_is_nothing_to_choose() -> None:
    found = comparison(default=scores(noisy(0.8)))
    assert found.reason() == "Kept default: there is no other model to choose from."
