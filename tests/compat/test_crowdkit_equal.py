"""The stand-ins for crowd-kit's methods give its numbers, where it is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.crowd_tables import (
    assert_same,
    assert_same_labels,
    drawn_answers,
    fit_crowdkit,
    read_answers,
)

from veracity.compat import crowdkit

pandas = pytest.importorskip("pandas")
SEEDS = [(0, 2), (1, 3), (2, 4), (3, 5)]


@pytest.mark.parametrize(("seed", "n_classes"), SEEDS)
def test_majority_vote(seed: int, n_classes: int) -> None:
    data = drawn_answers(seed, n_classes, in_order=True)
    ours, theirs = crowdkit.MajorityVote().fit(data), fit_crowdkit("MajorityVote", data)
    assert_same(ours, theirs, ["probas_", "skills_"])
    assert_same_labels(ours, theirs)


@pytest.mark.parametrize(("seed", "n_classes"), SEEDS)
def test_majority_vote_weighted_by_skill(seed: int, n_classes: int) -> None:
    data = drawn_answers(seed, n_classes)
    workers = sorted(data["worker"].unique())
    skills = pandas.Series(np.random.default_rng(seed).random(len(workers)), index=workers)
    ours = crowdkit.MajorityVote().fit(data, skills)
    theirs = fit_crowdkit("MajorityVote", data, skills)
    assert_same(ours, theirs, ["probas_", "skills_"])
    some: dict[str, Any] = {"default_skill": 0.4, "on_missing_skill": "value"}
    ours = crowdkit.MajorityVote(**some).fit(data, skills[2:])
    assert_same(ours, fit_crowdkit("MajorityVote", data, skills[2:], **some), ["probas_"])
    ignored: dict[str, Any] = {"on_missing_skill": "ignore"}
    ours = crowdkit.MajorityVote(**ignored).fit(data, skills[2:])
    assert_same(ours, fit_crowdkit("MajorityVote", data, skills[2:], **ignored), ["probas_"])


@pytest.mark.parametrize(("seed", "n_classes"), SEEDS)
@pytest.mark.parametrize("n_iter", [0, 3, 100])
def test_dawid_skene(seed: int, n_classes: int, n_iter: int) -> None:
    data = drawn_answers(seed, n_classes)
    ours = crowdkit.DawidSkene(n_iter).fit(data)
    theirs = fit_crowdkit("DawidSkene", data, n_iter=n_iter)
    assert_same(ours, theirs, ["probas_", "errors_", "priors_", "loss_history_"])
    assert len(ours.loss_history_) <= n_iter
    if n_iter:
        assert_same_labels(ours, theirs)
        assert ours.probas_.index.equals(theirs.probas_.index)
        assert ours.errors_.index.equals(theirs.errors_.index)


@pytest.mark.parametrize(("seed", "n_classes"), SEEDS)
def test_dawid_skene_with_known_labels(seed: int, n_classes: int) -> None:
    data = drawn_answers(seed, n_classes)
    known = pandas.Series({f"e{i}": f"v{i % n_classes}" for i in range(0, 40, 2)})
    ours = crowdkit.DawidSkene().fit(data, known)
    theirs = fit_crowdkit("DawidSkene", data, known)
    assert_same(ours, theirs, ["probas_", "errors_", "priors_", "loss_history_"])
    assert (ours.labels_[known.index] == known).all()


def test_dawid_skene_starts_from_given_errors() -> None:
    data = drawn_answers(1)
    labels = sorted(data["label"].unique())
    start = crowdkit.DawidSkene(n_iter=0).fit(data.iloc[::-1]).errors_
    index = pandas.MultiIndex.from_product(
        [sorted(data["worker"].unique()), labels], names=["worker", "label"]
    )
    start = pandas.DataFrame(start, index=index, columns=labels).fillna(0.0)
    start = start / start.groupby("worker").sum()
    way: dict[str, Any] = {"n_iter": 2, "initial_error_strategy": "assign"}
    ours = crowdkit.DawidSkene(**way).fit(data, None, start)
    assert_same(ours, fit_crowdkit("DawidSkene", data, None, start, **way), ["probas_"])


def test_counts_of_history_act_as_in_the_first_step_of_crowdkit() -> None:
    data = drawn_answers(2, 2)
    index = pandas.MultiIndex.from_product([["s0", "s1"], ["v0", "v1"]], names=["worker", "label"])
    history = pandas.DataFrame([[9, 1], [1, 9], [5, 5], [5, 5]], index, ["v0", "v1"])
    way: dict[str, Any] = {"n_iter": 1, "initial_error_strategy": "addition"}
    ours = crowdkit.DawidSkene(**way).fit(data, initial_error=history)
    assert_same(ours, fit_crowdkit("DawidSkene", data, None, history, **way), ["probas_"])


@pytest.mark.parametrize(("seed", "n_classes"), SEEDS)
def test_one_coin(seed: int, n_classes: int) -> None:
    data = drawn_answers(seed, n_classes)
    ours, theirs = crowdkit.OneCoinDawidSkene().fit(data), fit_crowdkit("OneCoinDawidSkene", data)
    assert_same(ours, theirs, ["probas_", "errors_", "priors_", "skills_", "loss_history_"])
    assert_same_labels(ours, theirs)


@pytest.mark.parametrize(("seed", "n_classes"), SEEDS)
def test_glad_takes_the_same_first_steps(seed: int, n_classes: int) -> None:
    data = drawn_answers(seed, n_classes, n_items=40)
    ours, theirs = crowdkit.GLAD(n_iter=2).fit(data), fit_crowdkit("GLAD", data, n_iter=2)
    assert_same(ours, theirs, ["probas_", "alphas_", "betas_", "loss_history_"])


def test_glad_ends_as_near_as_rounding_allows() -> None:
    # Its optimiser magnifies rounding: crowd-kit itself moves as far when rows change places.
    data = drawn_answers(5, 3, n_items=40)
    ours, theirs = crowdkit.GLAD().fit(data), fit_crowdkit("GLAD", data)
    assert_same(ours, theirs, ["probas_", "alphas_"], tolerance=0.01)
    assert_same_labels(ours, theirs)


def test_glad_with_priors() -> None:
    data = drawn_answers(1, 2, n_items=30)
    priors = {
        "labels_priors": pandas.Series({"v0": 0.7, "v1": 0.3}),
        "alphas_priors_mean": pandas.Series({name: 0.5 for name in data["worker"].unique()}),
        "betas_priors_mean": pandas.Series({name: 1.5 for name in data["task"].unique()}),
    }
    ours = crowdkit.GLAD(n_iter=1, **priors).fit(data)
    theirs = fit_crowdkit("GLAD", data, n_iter=1, **priors)
    assert_same(ours, theirs, ["probas_", "alphas_", "betas_"])


@pytest.mark.parametrize(("seed", "n_classes"), SEEDS[1:3])
@pytest.mark.parametrize("method", ["vb", "em"])
def test_mace_where_workers_and_labels_come_in_order(
    seed: int, n_classes: int, method: str
) -> None:
    data = drawn_answers(seed, n_classes, in_order=True)
    parameters: dict[str, Any] = {"n_restarts": 1, "method": method, "random_state": seed}
    ours, theirs = crowdkit.MACE(**parameters).fit(data), fit_crowdkit("MACE", data, **parameters)
    assert_same(ours, theirs, ["spamming_", "thetas_"])
    assert np.allclose(ours.probas_.to_numpy(), theirs.probas_.to_numpy(), atol=1e-6)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_kos(seed: int) -> None:
    data = drawn_answers(seed, 2)
    ours = crowdkit.KOS(random_state=seed).fit_predict(data)
    assert ours.equals(fit_crowdkit("KOS", data, random_state=seed).labels_)


@pytest.mark.parametrize(("seed", "n_classes"), SEEDS[:2])
@pytest.mark.parametrize("name", ["Wawa", "ZeroBasedSkill"])
def test_votes_weighted_by_learned_skills(seed: int, n_classes: int, name: str) -> None:
    data = drawn_answers(seed, n_classes, in_order=True)
    ours, theirs = getattr(crowdkit, name)().fit(data), fit_crowdkit(name, data)
    assert_same(ours, theirs, ["skills_"])
    # Their predict fails with new versions of scikit-learn, but is this vote:
    vote = fit_crowdkit("MajorityVote", data, theirs.skills_)
    ours.predict(data)
    assert_same(ours, vote, ["probas_"])


def test_votes_weighted_by_accuracy_on_gold() -> None:
    data = drawn_answers(4)
    gold = pandas.Series({f"e{i}": f"v{i % 3}" for i in range(60)})
    ours = crowdkit.GoldMajorityVote().fit(data, gold)
    theirs = fit_crowdkit("GoldMajorityVote", data, gold)
    assert_same(ours, theirs, ["skills_"])
    ours.predict_proba(data)
    assert_same(ours, fit_crowdkit("MajorityVote", data, theirs.skills_), ["probas_"])


@pytest.mark.parametrize("name", ["rte", "dog"])
def test_dawid_skene_on_real_crowds(data_folder: Path, name: str) -> None:
    data = read_answers(data_folder, name)
    ours, theirs = crowdkit.DawidSkene().fit(data), fit_crowdkit("DawidSkene", data)
    assert_same(ours, theirs, ["probas_", "errors_", "priors_", "loss_history_"])
    assert_same_labels(ours, theirs)
