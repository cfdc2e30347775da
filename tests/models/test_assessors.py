"""Assessors who can err: evidence by Bayes' rule, up to what is certain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.models.rules.told import Told, ToldOneByOne, beliefs_after, claims_of

from veracity import GRBM, GTM, Attribute, GroundTruth, MajorityVote
from veracity.errors import InputError, InvalidParameter
from veracity.models.base import TruthModel

SKY = {("sky", "colour", "blue"): 0.5, ("sky", "colour", "red"): 0.3}
ITEMS = {("sky", "colour"): ["blue", "red"]}


def known(**columns: Any) -> dict[str, list[Any]]:
    """Return known truth about the colour of the sky."""
    count = max(len(column) for column in columns.values())
    return {"entity": ["sky"] * count, "attribute": ["colour"] * count, **columns}


def fitted(truth: Any, kind: type[Told] = Told, **attributes: Attribute) -> TruthModel:
    return kind(SKY).fit(claims_of(ITEMS, **attributes), known_truth=truth)


def colours(truth: Any, kind: type[Told] = Told, **attributes: Attribute) -> tuple[float, float]:
    found = beliefs_after(fitted(truth, kind, **attributes))
    return found["sky", "colour", "blue"], found["sky", "colour", "red"]


def test_an_answer_is_evidence_by_its_trust() -> None:
    # Three values are possible: two that are claimed, and one that is not.
    blue, red = colours(known(value=["red"], trust=[0.9]))
    weight = [0.5 * 0.05, 0.3 * 0.9, 0.2 * 0.05]
    assert blue == pytest.approx(weight[0] / sum(weight))
    assert red == pytest.approx(weight[1] / sum(weight))


def test_an_answer_that_nobody_claims_speaks_against_what_is_claimed() -> None:
    blue, red = colours(known(value=["green"], trust=[0.8]))
    weight = [0.5 * 0.1, 0.3 * 0.1, 0.2 * 0.8]
    assert (blue, red) == pytest.approx((weight[0] / sum(weight), weight[1] / sum(weight)))


def test_unclaimed_values_of_a_closed_domain_share_what_is_left() -> None:
    items = ITEMS | {("sea", "colour"): ["grey", "green"]}
    beliefs = SKY | {("sea", "colour", "grey"): 0.5, ("sea", "colour", "green"): 0.5}
    claims = claims_of(items, colour=Attribute("single", "closed"))
    model = Told(beliefs).fit(claims, known_truth=known(value=["grey"], trust=[0.7]))
    wrong = 0.3 / 3
    weight = [0.5 * wrong, 0.3 * wrong, 0.2 * (0.7 + wrong) / 2]
    assert beliefs_after(model)["sky", "colour", "red"] == pytest.approx(weight[1] / sum(weight))


def test_statements_that_are_judged_by_themselves_get_log_odds() -> None:
    for found in (
        colours(known(value=["red"], trust=[0.8]), ToldOneByOne),
        colours(known(value=["red"], trust=[0.8]), Told, colour=Attribute("multiple")),
    ):
        assert found == pytest.approx((0.2, 0.3 * 4 / (0.3 * 4 + 0.7)))


def test_more_trust_moves_more_and_tends_to_what_is_certain() -> None:
    certain = colours(known(value=["red"]))
    found = [colours(known(value=["red"], trust=[t]))[1] for t in (0.51, 0.6, 0.8, 0.95, 1 - 1e-9)]
    assert found == sorted(found)
    assert found[0] > 0.3
    assert found[-1] == pytest.approx(certain[1], abs=1e-6)
    sure = known(value=["red"], trust=[1.0])
    assert colours(sure) == certain == (0.0, 1.0)
    assert colours(known(value=["red"], trust=[""])) == certain


def test_several_assessors_add_up() -> None:
    both = known(value=["red", "red"], assessor=["ann", "bob"], trust=[0.8, 0.8])
    one = known(value=["red"], assessor=["ann"], trust=[0.8])
    against = known(value=["red", "blue"], assessor=["ann", "bob"], trust=[0.8, 0.8])
    assert colours(both)[1] > colours(one)[1] > colours(against)[1]
    assert colours(against) == pytest.approx((0.5 * 0.8 / 0.66, 0.3 * 0.8 / 0.66), abs=1e-9)


def test_what_is_certain_outweighs_an_assessor() -> None:
    truth = known(value=["blue", "red"], assessor=["ann", "bob"], trust=[None, 0.9])
    assert colours(truth) == (1.0, 0.0)


def test_verdicts_and_notes_follow() -> None:
    rows = known(value=["red"], trust=[0.9])
    rows = {name: [*column, *column] for name, column in rows.items()}
    rows["entity"] = ["sky", "moon"]
    model = fitted(rows)
    assert model.truths_["value"].to_pylist() == ["red"]
    notes = [str(note) for note in model.notes_ if note.subject == "known truth"]
    told = [str(note) for note in model.notes_ if note.subject == "labels"]
    assert told[0] == "Assessors who can err speak about 1 item."
    assert "1 answer is about an item without claims; left out." in notes
    text = [str(note) for note in fitted(known(value=["green"], trust=[0.9])).notes_]
    assert any("has a value that nobody claims" in note for note in text)


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        (known(value=["red"], trust=[0.5]), "is '0.5'. Expected the chance"),
        (known(value=["red"], trust=[90]), "is '90'"),
        (known(value=["red"], trust=["high"]), "is 'high'"),
        (known(value=["red"], assessor=["ann"]), "assessors, but none for their trust"),
        (
            known(value=["red", "blue"], assessor=["ann"] * 2, trust=[0.8] * 2),
            "Assessor 'ann' speaks twice about 'colour' of 'sky': blue and red",
        ),
    ],
)
def test_bad_answers_are_refused(truth: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        fitted(truth)
    assert message in str(caught.value)


def test_a_list_has_one_trust() -> None:
    truth = known(value=["red", "blue"], trust=[0.8, 0.9])
    with pytest.raises(InputError, match=r"trusts 0.8 and 0.9. Expected one trust for the list"):
        fitted(truth, colour=Attribute("multiple"))


def test_models_that_cannot_use_answers_say_so() -> None:
    truth = known(value=["red"], trust=[0.9])
    with pytest.raises(InvalidParameter, match="does not use known truth"):
        MajorityVote().fit(claims_of(ITEMS), known_truth=truth)
    numbers = claims_of({("sky", "colour"): ["1", "2"]}, colour=Attribute(values="number"))
    answer = known(value=["2"], trust=[0.9])
    with pytest.raises(InvalidParameter, match="works out numbers"):
        GTM().fit(numbers, known_truth=answer)


def test_trust_plays_no_part_when_results_are_measured(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("entity,value,trust\nsky,blue,90\nsea,grey,\n")
    assert len(GroundTruth.read(path)) == 2
    assert GroundTruth.read(path).to_arrow().column_names == ["entity", "attribute", "value"]


def test_a_stream_refuses_them() -> None:
    model = GRBM().fit(claims_of(ITEMS), known_truth=known(value=["red"], trust=[0.9]))
    with pytest.raises(InvalidParameter, match="trust below 1 does not work in a stream"):
        model.partial_fit(claims_of(ITEMS))
