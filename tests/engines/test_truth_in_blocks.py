"""Truth to hold to and truth to measure by, wherever claims are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.engines.test_same_everywhere import MODELS, ORDER, check_same
from tests.engines.worlds import HERE, in_memory, in_place, write_world

from veracity import Attribute, GroundTruth, discover
from veracity.errors import ConvergenceWarning, InputError, InvalidParameter
from veracity.evaluation.by_labels import Labels, judge_labels
from veracity.evaluation.metrics import evaluate
from veracity.models import make_model
from veracity.models.base import TruthModel

TOLD = [name for name in MODELS if name != "vote"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("world") / "claims.parquet")


@pytest.fixture(scope="module")
def truth(world: Path) -> GroundTruth:
    """Return the vote on every fourth item, what nobody claims, and what nobody speaks about."""
    voted = make_model("vote").fit(in_memory(world)).truths_.to_pylist()
    rows = [(row["entity"], row["attribute"], row["value"]) for row in voted[::4]]
    rows += [("5", "town", "nowhere"), ("6", "open", "perhaps"), ("7", "colour", "blue")]
    rows += [("atlantis", "town", "Poseidonis"), ("atlantis", "colour", "blue")]
    # One truth for each item that has one.
    kept = {row if row[1] == "author" else row[:2]: row for row in rows}
    columns = zip(*kept.values(), strict=True)
    names = ("entity", "attribute", "value")
    return GroundTruth.from_frame(pa.table(dict(zip(names, map(list, columns), strict=True))))


def fitted(name: str, claims: Any, known: Any) -> TruthModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_model(name, **MODELS[name]).fit(claims, known_truth=known)


@pytest.fixture(scope="module")
def told_in_memory(world: Path, truth: GroundTruth) -> Callable[[str], TruthModel]:
    """Return the model of a name, told the truth about claims in memory; fitted once."""
    return cache(lambda name: fitted(name, in_memory(world), truth))


@pytest.fixture(scope="module")
def alone_in_memory(world: Path) -> Callable[[str], TruthModel]:
    """Return the model of a name, told nothing; fitted once."""
    return cache(lambda name: make_model(name).fit(in_memory(world)))


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("place", ["blocks in memory", "two threads"])
def test_known_truth_says_the_same(
    world: Path,
    truth: GroundTruth,
    told_in_memory: Callable[[str], TruthModel],
    alone_in_memory: Callable[[str], TruthModel],
    name: str,
    place: str,
) -> None:
    whole = told_in_memory(name)
    parts = fitted(name, in_place(world, place), truth)
    check_same(whole.statements_, parts.statements_, ORDER)
    check_same(whole.truths_, parts.truths_, ORDER)
    check_same(whole.sources_, parts.sources_, "source")
    assert whole.sources_by_attribute_ is not None
    assert parts.sources_by_attribute_ is not None
    by_attribute = [("source", "ascending"), ("attribute", "ascending")]
    check_same(whole.sources_by_attribute_, parts.sources_by_attribute_, by_attribute)
    about = [[str(note) for note in model.notes_ if note.subject in ("known truth", "labels")]
             for model in (whole, parts)]  # fmt: skip
    assert about[0] == about[1]
    assert about[0][0].startswith("Check the known truth: 1 of the 29 known values of 'open' does")
    assert len(about[0]) == 4 + (name == "grbm")  # which says what the labels are worth
    if name == "grbm":
        assert whole.crossfit_ is not None
        assert parts.crossfit_ is not None
        check_same(whole.crossfit_, parts.crossfit_, ORDER)
    told = whole.statements_.to_arrow().sort_by(ORDER)["plausibility"].to_pylist()
    alone = alone_in_memory(name).statements_.to_arrow().sort_by(ORDER)
    assert told != pytest.approx(alone["plausibility"].to_pylist(), abs=1e-3)


@pytest.mark.parametrize("name", ["vote", "grbm"])
def test_verdicts_are_measured_alike(world: Path, truth: GroundTruth, name: str) -> None:
    several = {"author": Attribute("multiple")}
    claims = in_memory(world, attributes=several)
    blocks = in_place(world, "two threads", attributes=several)
    whole, parts = (fitted(name, held, None) for held in (claims, blocks))
    measured = evaluate(whole.truths_, truth, claims)
    assert evaluate(parts.truths_, truth, blocks) == measured
    assert measured.n_truth_items == measured.n_items + 2
    assert measured.f1 is not None


def test_a_run_in_limited_memory_takes_both(world: Path, truth: GroundTruth) -> None:
    rows = truth.to_arrow()
    known = GroundTruth.from_frame(rows.slice(0, rows.num_rows // 2))
    runs = [
        discover(world, model="one-coin", truth=truth, known_truth=known, memory=memory)
        for memory in (None, "600MB")
    ]
    assert runs[1].in_blocks
    assert runs[0].evaluation == runs[1].evaluation
    assert [str(note) for note in runs[0].notes] == [str(note) for note in runs[1].notes]


def test_truth_about_something_else_is_refused_alike(world: Path) -> None:
    other = GroundTruth.from_frame({"entity": ["x"], "attribute": ["town"], "value": ["y"]})
    claims, blocks = in_memory(world), in_place(world, "blocks on disk")
    messages = []
    for held in (claims, blocks):
        with pytest.raises(InputError, match="shares no item") as caught:
            evaluate(fitted("vote", held, None).truths_, other, held)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_known_truth_that_contradicts_itself_is_refused_alike(world: Path) -> None:
    entities = [entity for number in range(40) for entity in (str(number), str(number))]
    values = ["blue", "red"] * 40
    frame = {"entity": entities, "attribute": ["colour"] * 80, "value": values}
    messages = []
    for held in (in_memory(world), in_place(world, "two threads")):
        with pytest.raises(InputError, match="contradicts itself") as caught:
            fitted("one-coin", held, GroundTruth.from_frame(frame))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_a_model_that_has_no_use_for_known_truth_says_so(world: Path, truth: GroundTruth) -> None:
    with pytest.raises(InvalidParameter, match="does not use known truth"):
        fitted("vote", in_place(world, "blocks in memory"), truth)


@pytest.mark.parametrize("name", ["vote", "dawid-skene"])
@pytest.mark.parametrize("place", ["blocks in memory", "blocks on disk"])
def test_held_out_labels_judge_alike(
    world: Path, truth: GroundTruth, name: str, place: str
) -> None:
    found = []
    for claims in (in_memory(world), in_place(world, place)):
        folds = Labels.of(truth, claims).split(3)
        found.append(judge_labels(make_model(name, **MODELS[name]), claims, folds))
    assert found[1].log_loss == pytest.approx(found[0].log_loss, abs=1e-6)
    assert found[1].right.tolist() == found[0].right.tolist()


def said_of(world: Path, attribute: str, spell: Callable[[str], str], every: int) -> GroundTruth:
    """Return the vote on an attribute, every so many values of it in another spelling."""
    voted = make_model("vote").fit(in_memory(world)).truths_.to_pylist()
    rows = [row for row in voted if row["attribute"] == attribute]
    values = [
        row["value"] if place % every else spell(row["value"]) for place, row in enumerate(rows)
    ]
    entities = [row["entity"] for row in rows]
    return GroundTruth.from_frame(
        {"entity": entities, "attribute": [attribute] * len(rows), "value": values}
    )


@pytest.mark.parametrize("attribute", ["colour", "open", "town", "author"])
@pytest.mark.parametrize("spell", [str.upper, lambda value: f" {value}"])
def test_other_spellings_are_refused_alike(
    world: Path, attribute: str, spell: Callable[[str], str]
) -> None:
    known = said_of(world, attribute, spell, 1)
    messages = set()
    for held in (in_memory(world), *(in_place(world, place) for place in HERE)):
        with pytest.raises(InputError, match=f"No known value of '{attribute}'") as caught:
            fitted("one-coin", held, known)
        messages.add(str(caught.value))
        with pytest.raises(InputError, match=f"No true value of '{attribute}'"):
            discover(held, model="vote", truth=known)
    (message,) = messages
    option = "--casefold" if spell is str.upper else "--strip"
    assert f"? {option} ignores" in message


@pytest.mark.parametrize("attribute", ["colour", "open", "town", "author"])
def test_some_other_spellings_are_noted_alike(world: Path, attribute: str) -> None:
    known = said_of(world, attribute, str.upper, 3)
    for subject in ("known truth", "truth"):
        given: dict[str, Any] = {subject.replace(" ", "_"): known}
        found = [
            discover(held, model="one-coin", **given).notes[:2]
            for held in (in_memory(world), in_place(world, "two threads"))
        ]
        assert found[0] == found[1]
        first = found[0][0]
        assert first.subject == subject
        assert first.text.startswith(f"Check the {subject}: ")
        assert first.text.count("--casefold ignores case.") == 1


def test_entities_in_another_spelling_are_refused_alike(world: Path) -> None:
    rows = said_of(world, "colour", str, 1).to_arrow().to_pylist()
    for row in rows:
        row["entity"] += ".0"
    messages = set()
    for held in (in_memory(world), *(in_place(world, place) for place in HERE)):
        with pytest.raises(InputError, match="shares no item with the claims") as caught:
            fitted("one-coin", held, GroundTruth.from_frame(pa.Table.from_pylist(rows)))
        messages.add(str(caught.value))
    (message,) = messages
    assert "Does '0.0' mean '0'?" in message


def test_known_truth_about_nothing_claimed_is_kept_alike(world: Path) -> None:
    other = GroundTruth.from_frame({"entity": ["x"], "attribute": ["town"], "value": ["y"]})
    for held in (in_memory(world), in_place(world, "blocks on disk")):
        model = fitted("one-coin", held, other)
        assert str(model.notes_[0]).startswith("The known truth shares no item with the claims")
        (row,) = [row for row in model.truths_.to_pylist() if row["entity"] == "x"]
        assert (row["value"], row["plausibility"], row["n_sources"]) == ("y", 1.0, 0)
