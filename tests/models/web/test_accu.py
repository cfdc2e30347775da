"""Accu, against rounds done by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from veracity import Accu, Attribute, Claims, MajorityVote
from veracity.data.output.tables import Table
from veracity.datasets import synthetic
from veracity.errors import InvalidParameter
from veracity.evaluation.metrics import evaluate

SKY = [("a", "sky", "blue"), ("b", "sky", "blue"), ("c", "sky", "red")]
ASSERTED = "source entity value asserts"


def claims_of(rows: list[tuple[Any, ...]], names: str = "source entity value", **o: Any) -> Claims:
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names.split())}
    return Claims.from_frame(columns, **o)


def plausibilities(statements: Table) -> dict[tuple[str, str], float]:
    """Return the plausibility of each (entity, value)."""
    keys = zip(statements["entity"].to_pylist(), statements["value"].to_pylist(), strict=True)
    return dict(zip(keys, statements["plausibility"].to_pylist(), strict=True))


def accuracy_of(model: Accu) -> dict[str, float]:
    table = model.source_parameters_
    return dict(zip(table["source"].to_pylist(), table["accuracy"].to_pylist(), strict=True))


def test_one_round_by_hand() -> None:
    # N = 10, so of the 11 values nobody gives 9. At A = 0.8, a vote is worth 10 * 0.8 / 0.2 = 40
    # to 1: blue has 40 * 40, red 40, and the 9 others 1 each, 1649 in all.
    model = Accu(n_false=10, max_iter=1, tol=None).fit(claims_of(SKY))
    assert accuracy_of(model) == pytest.approx({"a": 1600 / 1649, "b": 1600 / 1649, "c": 40 / 1649})
    # Then a vote of a or b is worth 10 * 1600 / 49, and one of c 10 * 40 / 1609.
    blue, red = (10 * 1600 / 49) ** 2, 10 * 40 / 1609
    assert plausibilities(model.statements_) == pytest.approx(
        {("sky", "blue"): blue / (blue + red + 9), ("sky", "red"): red / (blue + red + 9)}
    )


def test_accuracy_is_the_mean_plausibility_of_what_a_source_says() -> None:
    # N = 2 of a closed domain of three. At A = 0.8 a vote is worth 2 * 0.8 / 0.2 = 8 to 1.
    # x: 64, 8 and 1, so 64/73 and 8/73; y: 8, 8 and 1, so 8/17 each.
    rows = [
        ("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"), ("a", "y", "3"), ("c", "y", "1")
    ]  # fmt: skip
    closed = {"*": Attribute("single", "closed")}
    model = Accu(max_iter=1, tol=None).fit(claims_of(rows, attributes=closed))
    assert accuracy_of(model) == pytest.approx(
        {"a": (64 / 73 + 8 / 17) / 2, "b": 64 / 73, "c": (8 / 73 + 8 / 17) / 2}
    )


def test_open_domain_has_as_many_wrong_values_as_are_claimed() -> None:
    # Two values are claimed, so N = 2, and one value that nobody claims: 64, 8 and 1.
    model = Accu(max_iter=1, tol=None).fit(claims_of(SKY))
    assert accuracy_of(model) == pytest.approx({"a": 64 / 73, "b": 64 / 73, "c": 8 / 73})


def test_yes_and_no_have_one_wrong_answer_whatever_is_given() -> None:
    # A vote is worth 0.8 / 0.2 = 4 to 1: yes 16, no 4.
    boolean = {"*": Attribute("boolean")}
    rows = [("a", "x", "yes"), ("b", "x", "yes"), ("c", "x", "no")]
    model = Accu(n_false=50, max_iter=1, tol=None).fit(claims_of(rows, attributes=boolean))
    assert accuracy_of(model) == pytest.approx({"a": 0.8, "b": 0.8, "c": 0.2})


def test_a_value_that_a_list_leaves_out_is_denied() -> None:
    # Kay: a says yes, b no by naming Lee: 4 to 4. Lee: both say yes, 16 to 1. So a is right
    # with 1/2 and 16/17; b as well, since no is as plausible as yes.
    multiple = {"*": Attribute("multiple")}
    rows = [("a", "book", "Kay"), ("a", "book", "Lee"), ("b", "book", "Lee")]
    model = Accu(max_iter=1, tol=None).fit(claims_of(rows, attributes=multiple))
    mean = (1 / 2 + 16 / 17) / 2
    assert accuracy_of(model) == pytest.approx({"a": mean, "b": mean})


def test_who_denies_the_only_value_votes_for_what_nobody_claims() -> None:
    # One wrong value, 0.8 to 0.2 against red; what a says of others cannot be judged.
    rows = [("a", "sky", "red", 0)]
    open_domain = {"*": Attribute("single", "open")}
    model = Accu().fit(claims_of(rows, ASSERTED, attributes=open_domain))
    assert plausibilities(model.statements_) == pytest.approx({("sky", "red"): 0.2})
    assert accuracy_of(model) == pytest.approx({"a": 0.8})


def test_a_vote_counts_by_its_weight() -> None:
    # N = 2, so 8 to 1. The vote of c counts twice: 64 for either value, and 1 for the unseen one.
    rows = [("a", "sky", "blue", 1.0), ("b", "sky", "blue", 1.0), ("c", "sky", "red", 2.0)]
    model = Accu(max_iter=1, tol=None).fit(claims_of(rows, "source entity value weight"))
    assert accuracy_of(model) == pytest.approx(dict.fromkeys("abc", 64 / 129))


def test_rounds_go_on_until_accuracies_stay() -> None:
    drawn = synthetic.draw(20, 100, random_state=1)
    model = Accu(tol=1e-6).fit(drawn.claims)
    assert model.converged_
    assert [record["change"] <= 1e-6 for record in model.history_] == [False] * (
        model.n_iter_ - 1
    ) + [True]
    accuracy = model.learned_.of_source["accuracy"]
    again = model.fit(drawn.claims).learned_.of_source["accuracy"]
    assert np.array_equal(accuracy, again)


def test_sources_of_different_accuracy_are_told_apart_and_beat_the_vote() -> None:
    right, voted, apart = [], [], []
    for seed in range(5):
        spec = synthetic.SourceSpec(reliability=[0.9] * 6 + [0.3] * 14, items_per_source=60)
        drawn = synthetic.draw(20, 150, sources=spec, random_state=seed)
        model, vote = Accu().fit(drawn.claims), MajorityVote().fit(drawn.claims)
        right.append(evaluate(model.truths_, drawn.truth, drawn.claims).accuracy)
        voted.append(evaluate(vote.truths_, drawn.truth, drawn.claims).accuracy)
        given = dict(
            zip(
                drawn.oracle.sources["source"].to_pylist(),
                drawn.oracle.sources["reliability"].to_pylist(),
                strict=True,
            )
        )
        learned = accuracy_of(model)
        apart.append(
            min(learned[name] for name, rate in given.items() if rate > 0.5)
            > max(learned[name] for name, rate in given.items() if rate < 0.5)
        )
    assert np.mean(right) > np.mean(voted) + 0.02
    assert all(apart)


def test_known_truth_holds_and_tells_who_is_accurate() -> None:
    # On ten items a stands alone against b and c, and is known to be right; so it is believed
    # about the eleventh, where nothing is known.
    rows = [(source, f"x{i}", "1" if source == "a" else "2") for i in range(11) for source in "abc"]
    known = {"entity": [f"x{i}" for i in range(10)], "value": ["1"] * 10}
    alone = Accu().fit(claims_of(rows))
    told = Accu().fit(claims_of(rows), known_truth=known)
    assert set(alone.truths_["value"].to_pylist()) == {"2"}
    assert told.truths_["value"].to_pylist() == ["1"] * 11
    assert plausibilities(told.statements_)["x0", "1"] == 1.0
    assert plausibilities(told.statements_)["x0", "2"] == 0.0
    assert accuracy_of(told)["a"] == pytest.approx(0.99)
    assert accuracy_of(told)["b"] < 0.2


def test_a_source_that_was_not_seen_is_as_accurate_as_the_others_on_average() -> None:
    model = Accu(n_false=10, max_iter=1, tol=None).fit(claims_of(SKY))
    mean = (1600 + 1600 + 40) / 1649 / 3
    worth = 10 * mean / (1 - mean)
    found = model.predict_plausibility(claims_of([("new", "sea", "green")]))
    assert plausibilities(found) == pytest.approx({("sea", "green"): worth / (worth + 10)})


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"n_false": 0.5}, "n_false must be None, or a number, 1 or more. Got 0.5 instead."),
        ({"n_false": float("inf")}, "n_false must be"),
        ({"initial_accuracy": 1.0}, "initial_accuracy must be between 0 and 1. Got 1.0 instead."),
        ({"max_iter": 0}, "max_iter must be"),
        ({"tol": -1.0}, "tol must be"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        Accu(**params).fit(claims_of(SKY))
