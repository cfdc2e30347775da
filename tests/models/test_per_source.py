"""What models share that learn numbers for each source, shown by one whose numbers are counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from veracity.data.truth.known import KnownTruth
from veracity.errors import ConvergenceWarning, InputError, InvalidParameter, NotFitted
from veracity.models.per_source import Learned, SourceModel, check_iterations, largest_change
from veracity.models.persistence import load
from veracity.models.views.one_true_value import Clamp, Questions
from veracity.models.web.sums import Sums


class Halving(SourceModel):
    """Trust each source by half of what it was trusted before, plus half."""

    uses_known_truth = True

    def __init__(self, max_iter: int = 50, tol: float | None = 1e-6, random_state: int = 0) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        trust = np.zeros(questions.n_sources)
        belief = clamp(questions.shares(questions.n_votes))
        self.clamped_ = belief

        def step() -> dict[str, float]:
            nonlocal trust
            new = (trust + questions.n_given / questions.n_given.max()) / 2
            change, trust = largest_change(new, trust), new
            return {"change": change}

        self._iterate(step)
        return Learned.with_average({"total": np.array([trust.sum()])}, trust=trust)

    def _believe(self, questions: Questions, learned: Learned) -> Any:
        return questions.shares(questions.to_answers(learned.of_source["trust"]))


#: ann makes four claims, bob two and cat one.
CLAIMS = {
    "source": ["ann"] * 4 + ["bob"] * 2 + ["cat"],
    "entity": ["e1", "e2", "e3", "e4", "e1", "e2", "e1"],
    "value": ["u", "u", "u", "u", "v", "v", "v"],
}


def test_numbers_of_sources() -> None:
    model = Halving().fit(CLAIMS)
    assert model.source_parameters_.column_names == ["source", "trust"]
    rows = model.source_parameters_.to_pylist()
    trust = {row["source"]: row["trust"] for row in rows}
    assert trust == pytest.approx({"ann": 1.0, "bob": 0.5, "cat": 0.25}, abs=1e-5)
    found = {
        (row["entity"], row["value"]): row["plausibility"] for row in model.statements_.to_pylist()
    }
    assert found["e1", "u"] == pytest.approx(1 / 1.75, abs=1e-5)
    assert found["e2", "v"] == pytest.approx(0.5 / 1.5, abs=1e-5)


def test_a_source_that_was_not_seen_gets_the_average() -> None:
    model = Halving().fit(CLAIMS)
    new = {"source": ["ann", "zoe"], "entity": ["e9", "e9"], "value": ["u", "v"]}
    average = (1 + 0.5 + 0.25) / 3
    found = model.predict_plausibility(new)["plausibility"].to_pylist()
    assert found == pytest.approx([1 / (1 + average), average / (1 + average)], abs=1e-5)


def test_learned_numbers_find_their_sources() -> None:
    learned = Learned.with_average(trust=np.array([1.0, 2.0, 6.0]))
    assert learned.unseen == {"trust": 3.0}
    assert learned.at(np.array([2, -1, 0])).of_source["trust"].tolist() == [6.0, 3.0, 1.0]


def test_iterations_end_where_nothing_changes() -> None:
    model = Halving(tol=0.05).fit(CLAIMS)
    # The trust in ann is 1/2, 3/4, 7/8, ...: the change halves, and is 1/32 in the fifth round.
    assert model.n_iter_ == 5
    assert model.converged_
    changes = [(record["iteration"], record["change"]) for record in model.history_]
    assert changes == [(1, 1 / 2), (2, 1 / 4), (3, 1 / 8), (4, 1 / 16), (5, 1 / 32)]


def test_without_a_tolerance_all_rounds_are_done() -> None:
    model = Halving(max_iter=7, tol=None).fit(CLAIMS)
    assert (model.n_iter_, len(model.history_)) == (7, 7)
    assert model.converged_
    assert "convergence" not in [note.subject for note in model.notes_]


def test_a_fit_that_is_cut_short_says_so_and_is_kept() -> None:
    model = Halving(max_iter=2)
    with pytest.warns(ConvergenceWarning, match=r"after 2 iterations .* last change was 0\.25"):
        model.fit(CLAIMS)
    assert not model.converged_
    assert len(model.truths_) == 4
    assert [note.subject for note in model.notes_].count("convergence") == 1


def test_known_truth_reaches_the_beliefs() -> None:
    given = {"entity": ["e1"], "value": ["u"]}
    model = Halving().fit(CLAIMS, known_truth=given)
    known = KnownTruth.of(given, model.claims_)
    assert model.clamped_[known.statement == 1].tolist() == [1.0]
    assert model.clamped_[known.statement == 0].tolist() == [0.0]
    assert model.clamped_[known.statement == -1].tolist() == [0.5, 0.5, 1.0, 1.0]


def test_all_that_was_learned_is_saved(tmp_path: Path) -> None:
    model = Halving().fit(CLAIMS)
    loaded = load(model.save(tmp_path / "model"), model_class=Halving)
    assert isinstance(loaded, Halving)
    assert loaded.source_parameters_.to_arrow().equals(model.source_parameters_.to_arrow())
    assert loaded.learned_.unseen == model.learned_.unseen
    assert loaded.learned_.shared["total"].tolist() == model.learned_.shared["total"].tolist()
    assert (loaded.n_iter_, loaded.converged_) == (model.n_iter_, True)
    assert loaded.history_ == model.history_


def test_numbers_exist_after_fit_only() -> None:
    for name in ("source_parameters_", "learned_", "n_iter_", "converged_"):
        with pytest.raises(NotFitted, match=f"{name} exists only after fit"):
            getattr(Halving(), name)


@pytest.mark.parametrize(
    ("max_iter", "tol", "message"),
    [
        (0, None, "max_iter must be 1 or more. Got 0 instead"),
        (5, -1.0, "tol must be None, or 0 or more. Got -1.0 instead"),
        (5, float("nan"), "tol must be None, or 0 or more. Got nan instead"),
    ],
)
def test_iterations_that_make_no_sense(max_iter: int, tol: float | None, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        check_iterations(max_iter, tol)
    with pytest.raises(InvalidParameter, match=message):
        Halving(max_iter, tol).fit(CLAIMS)


def test_the_largest_change_of_nothing_is_none() -> None:
    assert largest_change(np.array([1.0, -3.0]), np.array([0.5, 1.0])) == 4.0
    assert largest_change(np.empty(0), np.empty(0)) == 0.0


def test_a_saved_model_of_ones_own_is_loaded_by_its_class(tmp_path: Path) -> None:
    folder = Halving().fit(CLAIMS).save(tmp_path / "model")
    with pytest.raises(InputError, match=r"no model 'Halving'.*load\(folder, model_class="):
        load(folder)
    with pytest.raises(InputError, match="is 'Halving', but the class given is Sums"):
        load(folder, model_class=Sums)
