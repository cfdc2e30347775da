"""Held-out labels: what a model is told, and what its plausibilities cost."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.worlds import world

from veracity import GRBM, LTM, Attribute, Claims, GroundTruth, MajorityVote, OneCoin
from veracity.errors import InvalidParameter
from veracity.evaluation.by_labels import Labels, LabelScores, judge_labels
from veracity.evaluation.by_labels.judge import FLOOR
from veracity.evaluation.metrics import assess
from veracity.models import make_model

MADE = world([0.9, 0.8, 0.7, 0.6], 60)
KNOWN = GroundTruth.from_frame(MADE.known(23))


def judged(model: Any, claims: Any, known: Any, folds: int = 2) -> LabelScores:
    labels = Labels.of(GroundTruth.of(known), claims)
    return judge_labels(model, claims, labels.split(folds))


class Recorder(OneCoin):
    """Remembers what it was given, and what it was then asked to be right about."""

    told: ClassVar[list[set[str]]] = []

    def fit(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Any:
        rows = known_truth.to_arrow()
        self.told.append(set(rows["entity"].to_pylist()))
        assert not hasattr(self, "fitted_before")
        self.fitted_before = True
        return super().fit(claims, known_truth=known_truth, rules=rules)


class Oblivious(MajorityVote):
    """Counts its fits."""

    fits: ClassVar[list[Any]] = []

    def fit(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Any:
        self.fits.append(known_truth)
        return super().fit(claims, known_truth=known_truth, rules=rules)


# What a fit sees


def test_no_fit_sees_the_labels_that_judge_it() -> None:
    Recorder.told.clear()
    labels = Labels.of(KNOWN, MADE.claims)
    folds = labels.split(5)
    judge_labels(Recorder(), MADE.claims, folds)
    assert len(Recorder.told) == 5
    for (held_out, _), told in zip(folds.rounds(), Recorder.told, strict=True):
        names = set(held_out["entity"].to_pylist())
        assert not names & told
        assert len(names) + len(told) == 23


def test_wrong_labels_of_a_fold_do_not_change_what_is_believed_about_it() -> None:
    """Labels of the fold itself only judge: with other values the beliefs are the same."""
    labels = Labels.of(KNOWN, MADE.claims)
    folds = labels.split(4)
    mine = judge_labels(GRBM(), MADE.claims, folds)
    held_out = next(iter(folds.rounds()))[0]["entity"].to_pylist()
    rows = KNOWN.to_arrow()
    spoiled = GroundTruth.from_frame(
        {
            "entity": rows["entity"].to_pylist(),
            "value": [
                "v0" if entity in held_out else value
                for entity, value in zip(
                    rows["entity"].to_pylist(), rows["value"].to_pylist(), strict=True
                )
            ],
        }
    )
    other = judged(GRBM(), MADE.claims, spoiled, 4)
    own = folds.fold == 0
    # The loss if the best value were wrong depends on what is believed alone.
    assert other.if_wrong[own] == pytest.approx(mine.if_wrong[own], abs=1e-12)
    assert other.log_loss[own].sum() > mine.log_loss[own].sum()


def test_a_model_that_uses_no_known_truth_is_fitted_once() -> None:
    Oblivious.fits.clear()
    found = judged(Oblivious(), MADE.claims, KNOWN, 5)
    assert Oblivious.fits == [None]
    right = assess(MajorityVote().fit(MADE.claims).truths_, KNOWN, MADE.claims)[1].right
    assert found.right.tolist() == right.tolist()


def test_the_given_model_stays_as_it_is() -> None:
    model = OneCoin()
    judged(model, MADE.claims, KNOWN)
    assert not model._fitted


@pytest.mark.parametrize("name", ["grbm", "grbm-paper", "ltm"])
def test_the_same_seed_gives_the_same_scores(name: str) -> None:
    one, other = (judged(make_model(name, random_state=3), MADE.claims, KNOWN) for _ in range(2))
    assert one.log_loss.tolist() == other.log_loss.tolist()


# What plausibilities cost


def votes(**items: list[str]) -> dict[str, list[str]]:
    """Return rows: what source after source says about each item."""
    return {
        "source": [f"s{number}" for said in items.values() for number in range(len(said))],
        "entity": [item for item, said in items.items() for _ in said],
        "value": [value for said in items.values() for value in said],
    }


def test_of_one_true_value_its_plausibility_or_what_the_others_leave() -> None:
    rows = votes(a=["x", "x", "y"], b=["x", "y"], c=["x", "x", "x", "x"])
    claims = Claims.from_frame(rows, attributes={"*": Attribute("single", "open")})
    known = {"entity": ["a", "b", "c"], "value": ["x", "z", "y"]}
    found = judged(MajorityVote(smoothing=0.0), claims, known)
    assert found.log_loss == pytest.approx([-math.log(2 / 3), -math.log(FLOOR), -math.log(FLOOR)])
    assert found.if_wrong == pytest.approx([-math.log(1 / 3), -math.log(1 / 2), -math.log(FLOOR)])
    assert found.right.tolist() == [1, 0, 0]
    smooth = judged(MajorityVote(smoothing=1.0), claims, known)
    # Of b, (1 + 1/3) / 3 for each value that is claimed.
    assert smooth.log_loss[1] == pytest.approx(-math.log(1 - 2 * (4 / 9)))


def test_a_statement_that_is_true_or_false_by_its_own_plausibility() -> None:
    rows = votes(a=["yes", "yes", "no"], b=["yes", "no", "no"])
    kind = Attribute("boolean", "closed", positive="yes")
    claims = Claims.from_frame(rows, attributes={"*": kind})
    known = {"entity": ["a", "b"], "value": ["yes", "no"]}
    found = judged(MajorityVote(smoothing=0.0), claims, known)
    assert found.log_loss == pytest.approx([-math.log(2 / 3)] * 2)
    assert found.if_wrong == pytest.approx([-math.log(1 / 3)] * 2)


def test_of_several_true_values_the_mean_over_statements() -> None:
    rows = {
        "source": ["s", "s", "t", "s", "t"],
        "entity": ["a", "a", "a", "b", "b"],
        "value": ["x", "y", "x", "x", "x"],
    }
    claims = Claims.from_frame(rows, attributes={"*": Attribute("multiple", "open")})
    known = {"entity": ["a", "b"], "value": ["x", "y"]}
    found = judged(MajorityVote(smoothing=0.0), claims, known)
    # Of a: x is plausible by 1, y by 1/2 and false. Of b: x by 1 and false.
    assert found.log_loss == pytest.approx([-math.log(0.5) / 2, -math.log(FLOOR)])


def test_statements_judged_by_themselves_gain_nothing_by_being_all_plausible() -> None:
    model = LTM(random_state=0)
    found = judged(model, MADE.claims, KNOWN)
    assert model.judges_statements
    fitted = LTM(random_state=0).fit(MADE.claims)
    total = MADE.claims.matrix.sum_by_item(fitted.plausibility_)
    assert total.max() > 1
    assert (found.log_loss >= 0).all()
    sure = np.exp(-found.log_loss)
    assert (sure <= 1).all()


def test_numbers_within_the_tolerance_are_true() -> None:
    rows = votes(a=["10.0", "10.1", "12"], b=["5", "5", "7"])
    kind = Attribute("single", values="number", tolerance="0.3")
    claims = Claims.from_frame(rows, attributes={"*": kind})
    known = {"entity": ["a", "b"], "value": ["10.2", "7.1"]}
    found = judged(MajorityVote(smoothing=0.0), claims, known)
    assert found.log_loss == pytest.approx([-math.log(2 / 3), -math.log(1 / 3)])
    assert found.right.tolist() == [1, 0]


def test_models_that_work_out_numbers_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="Median works out numbers"):
        judged(make_model("median"), MADE.claims, KNOWN)


def test_scores_of_several_seeds_are_means() -> None:
    one = LabelScores(np.array([1.0, 2.0]), np.ones(2), np.array([1.0, 0.0]))
    other = LabelScores(np.array([3.0, 2.0]), np.ones(2), np.array([0.0, 0.0]))
    found = LabelScores.mean([one, other])
    assert found.log_loss.tolist() == [2, 2]
    assert found.right.tolist() == [0.5, 0]
