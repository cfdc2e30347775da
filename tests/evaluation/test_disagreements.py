"""The items on which a model and the vote disagree: found, put in order, and filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from veracity.data.claims import Claims
from veracity.data.read.settings import Attribute
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.known import KnownTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InputError, InvalidParameter, NotFitted, OutputError
from veracity.evaluation.disagreements import disagreements, write_list
from veracity.models.base import Judgement, TruthModel
from veracity.models.baselines.majority_vote import MajorityVote


class Told(TruthModel):
    """Believes what it is told: plausibilities by entity and value; 0 where it is told nothing."""

    def __init__(self, told: dict[tuple[str, str], float], random_state: int = 0) -> None:
        self.told = told
        self.random_state = random_state

    def _fit(self, claims: ClaimsInBlocks) -> None:
        return None

    def _judge(self, claims: Claims) -> Judgement:
        matrix = claims.matrix
        entity = matrix.entities.to_pylist()
        value = matrix.values.to_pylist()
        of = matrix.entity_index[matrix.item_of_statement]
        names = zip(of.tolist(), matrix.value_index.tolist(), strict=True)
        return Judgement(np.array([self.told.get((entity[e], value[v]), 0.0) for e, v in names]))


def said(votes: dict[str, list[str]], **attribute: Any) -> Claims:
    """Return claims: for each entity, what the first source says, the second, and so on."""
    rows = [
        (f"s{number}", entity, value)
        for entity, values in votes.items()
        for number, listed in enumerate(values)
        for value in listed.split("+")
    ]
    frame = dict(
        zip(("source", "entity", "value"), map(list, zip(*rows, strict=True)), strict=True)
    )
    return Claims.from_frame(frame, attributes={"*": Attribute(**attribute)} if attribute else {})


VOTES = {
    "near": ["a", "a", "b"],
    "far": ["c", "c", "c", "c", "d"],
    "same": ["e", "e", "f"],
}
#: The vote is ahead by 1/3 near and 3/5 far, the model by 8/10 and 5/10: .27 is less than .30.
TOLD = {
    **{("near", "a"): 0.1, ("near", "b"): 0.9},
    **{("far", "c"): 0.2, ("far", "d"): 0.7},
    **{("same", "e"): 0.6, ("same", "f"): 0.4},
}


def test_the_clearest_come_first_and_agreement_is_not_listed() -> None:
    claims = said(VOTES)
    far, near = disagreements(Told(TOLD).fit(claims), claims).to_pylist()
    assert far == {
        **{"entity": "far", "attribute": "value", "value": None},
        **{"believed": "d", "plausibility": 0.7, "voted": "c", "share": 0.8, "n_sources": 5},
    }
    assert (near["entity"], near["believed"], near["voted"]) == ("near", "b", "a")
    assert near["share"] == pytest.approx(2 / 3)


def test_the_order_is_not_that_of_rows_or_names() -> None:
    turned = {name: values[::-1] for name, values in reversed(VOTES.items())}
    one, other = (
        disagreements(Told(TOLD).fit(claims), claims).to_pylist()
        for claims in (said(VOTES), said(turned))
    )
    assert one == other


def test_where_the_vote_is_tied_it_is_not_ahead() -> None:
    votes = VOTES | {"tied": ["g", "h"]}
    claims = said(votes)
    chosen = {row["entity"]: row["value"] for row in MajorityVote().fit_predict(claims).to_pylist()}
    other = "g" if chosen["tied"] == "h" else "h"
    model = Told(TOLD | {("tied", other): 1.0}).fit(claims)
    listed = disagreements(model, claims).to_pylist()
    assert [row["entity"] for row in listed] == ["far", "near", "tied"]
    assert listed[-1]["share"] == 0.5


def test_of_several_true_values_all_are_named_and_the_disputed_one_is_judged() -> None:
    claims = said({"shop": ["card+cash", "card", "card"]}, kind="multiple")
    model = Told({("shop", "card"): 0.9, ("shop", "cash"): 0.8}).fit(claims)
    (row,) = disagreements(model, claims).to_pylist()
    assert (row["believed"], row["voted"]) == ("card; cash", "card")
    # About cash: the model has 0.8 for it, of the three sources two are against it.
    assert (row["plausibility"], row["share"]) == (0.8, pytest.approx(2 / 3))


def test_boolean_items_have_two_sides() -> None:
    claims = said({"shop": ["no", "no", "no", "yes"]}, kind="boolean", positive="yes")
    (row,) = disagreements(Told({("shop", "yes"): 0.7}).fit(claims), claims).to_pylist()
    assert (row["believed"], row["plausibility"]) == ("yes", 0.7)
    assert (row["voted"], row["share"]) == ("no", 0.75)


def test_items_with_known_truth_need_no_label() -> None:
    claims = said(VOTES)
    model = Told(TOLD).fit(claims)
    known = {"entity": ["far", "nowhere"], "value": ["something else", "x"]}
    listed = disagreements(model, claims, known_truth=known)
    assert listed["entity"].to_pylist() == ["near"]


def test_the_limit_cuts_and_must_be_positive() -> None:
    claims = said(VOTES)
    model = Told(TOLD).fit(claims)
    assert disagreements(model, claims, 1)["entity"].to_pylist() == ["far"]
    assert len(disagreements(model, claims, None)) == 2
    with pytest.raises(InvalidParameter, match="limit must be 1 or more"):
        disagreements(model, claims, 0)


def test_a_vote_agrees_with_itself() -> None:
    claims = said(VOTES)
    assert len(disagreements(MajorityVote().fit(claims), claims)) == 0


def test_a_model_that_is_not_fitted_is_refused() -> None:
    with pytest.raises(NotFitted):
        disagreements(Told(TOLD), said(VOTES))


# As a file


def test_the_list_filled_in_is_a_truth_table_and_rows_left_empty_do_not_count(
    tmp_path: Path,
) -> None:
    votes = {'a, "b"\nc': ["007", "007", "1.50"], "=x": ["1", "1", "2"], "é": ["1", "1", "2"]}
    claims = said(votes)
    model = Told({(entity, values[-1]): 0.9 for entity, values in votes.items()}).fit(claims)
    file = write_list(disagreements(model, claims), tmp_path / "list.csv")
    with pytest.raises(InputError, match="no rows that are filled in"):
        GroundTruth.read(file)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(",value,,1.50", ",value,007,1.50"), encoding="utf-8")
    truth = GroundTruth.read(file)
    given = {"entity": 'a, "b"\nc', "attribute": "value", "value": "007"}
    assert truth.to_arrow().to_pylist() == [given]
    assert KnownTruth.of(truth, claims).settled.sum() == 1


def test_a_list_is_not_written_over(tmp_path: Path) -> None:
    claims = said(VOTES)
    listed = disagreements(Told(TOLD).fit(claims), claims)
    file = tmp_path / "list.csv"
    file.write_text("my labels")
    with pytest.raises(OutputError, match="exists already"):
        write_list(listed, file)
    assert file.read_text() == "my labels"
    write_list(listed, file, overwrite=True)
    assert file.read_text().startswith("entity,attribute,value,believed,")


def test_a_list_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", refuse)
    claims = said(VOTES)
    with pytest.raises(OutputError, match="No space left"):
        write_list(disagreements(Told(TOLD).fit(claims), claims), tmp_path / "list.csv")
    assert not list(tmp_path.iterdir())


def test_a_list_is_csv(tmp_path: Path) -> None:
    claims = said(VOTES)
    with pytest.raises(InvalidParameter, match=r"file\.csv"):
        write_list(disagreements(Told(TOLD).fit(claims), claims), tmp_path / "list.xlsx")
