"""Known truth, matched to what is claimed, and the truths that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from veracity import Attribute, Claims, GroundTruth
from veracity.data.notes import Note
from veracity.data.output.results import Estimates, decide, truths_table
from veracity.data.truth.known import FALSE, TRUE, UNKNOWN, KnownTruth, notes_on_match
from veracity.errors import InputError

CLAIMED = [
    ("ann", "sky", "colour", "blue"),
    ("bob", "sky", "colour", "grey"),
    ("ann", "sea", "colour", "green"),
    ("ann", "sky", "open", "yes"),
    ("bob", "sea", "open", "no"),
    ("ann", "sky", "tags", "wide"),
    ("ann", "sky", "tags", "high"),
    ("bob", "sky", "tags", "old"),
]
ATTRIBUTES = {
    "colour": Attribute("single"),
    "open": Attribute("boolean", positive="yes"),
    "tags": Attribute("multiple"),
}


def read(rows: Sequence[Sequence[str]] = CLAIMED, **options: Any) -> Claims:
    present = {row[2] for row in rows}
    told = {name: setting for name, setting in ATTRIBUTES.items() if name in present}
    return Claims.from_triples(rows, **{"attributes": told, **options})


def truth(*rows: tuple[str, str, str]) -> dict[str, list[str]]:
    names = ("entity", "attribute", "value")
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def notes_on(known: KnownTruth) -> list[Note]:
    return notes_on_match(int(known.settled.sum()), known.unclaimed)


def verdicts(claims: Claims, known: KnownTruth) -> dict[tuple[str, str, str], int]:
    """Return what is known about each statement."""
    matrix = claims.matrix
    item = matrix.item_of_statement
    names = zip(
        matrix.entities.take(matrix.entity_index[item]).to_pylist(),
        matrix.attributes.take(matrix.attribute_index[item]).to_pylist(),
        matrix.values.take(matrix.value_index).to_pylist(),
        strict=True,
    )
    return dict(zip(names, known.statement.tolist(), strict=True))


def test_all_values_of_an_item_are_false_but_those_given() -> None:
    claims = read()
    known = KnownTruth.of(truth(("sky", "colour", "grey")), claims)
    found = verdicts(claims, known)
    assert found["sky", "colour", "grey"] == TRUE
    assert found["sky", "colour", "blue"] == FALSE
    others = {key: value for key, value in found.items() if key[:2] != ("sky", "colour")}
    assert set(others.values()) == {UNKNOWN}
    assert known.settled.sum() == 1
    assert known.unclaimed.num_rows == 0
    assert [note.text for note in notes_on(known)] == ["The truth of 1 item is given."]


def test_several_values_may_be_true() -> None:
    claims = read()
    known = KnownTruth.of(truth(("sky", "tags", "wide"), ("sky", "tags", "old")), claims)
    found = verdicts(claims, known)
    assert [found["sky", "tags", tag] for tag in ("wide", "old", "high")] == [TRUE, TRUE, FALSE]


@pytest.mark.parametrize(("word", "expected"), [("yes", TRUE), ("no", FALSE)])
@pytest.mark.parametrize("entity", ["sky", "sea"])
def test_a_boolean_statement_is_true_or_false(entity: str, word: str, expected: int) -> None:
    claims = read()
    known = KnownTruth.of(truth((entity, "open", word)), claims)
    assert verdicts(claims, known)[entity, "open", "yes"] == expected
    assert known.unclaimed.num_rows == 0  # nobody says no about the sky, and nobody need


ALL_OPEN = [("ann", "sky", "open", "yes"), ("bob", "sea", "open", "yes")]


def test_the_word_for_no_may_be_one_that_nobody_uses() -> None:
    claims = read(ALL_OPEN, attributes={"open": Attribute("boolean")})
    known = KnownTruth.of(truth(("sky", "open", "no")), claims)
    assert verdicts(claims, known) == {
        ("sky", "open", "yes"): FALSE,
        ("sea", "open", "yes"): UNKNOWN,
    }
    assert known.unclaimed.num_rows == 0


def test_what_is_false_in_another_word_is_shown_once() -> None:
    claims = read(ALL_OPEN)  # told that "yes" is positive, the opposite is called "not yes"
    known = KnownTruth.of(truth(("sky", "open", "shut")), claims)
    assert verdicts(claims, known)["sky", "open", "yes"] == FALSE
    rows = [row for row in rows_of(claims, known) if row["entity"] == "sky"]
    assert [(row["value"], row["plausibility"]) for row in rows] == [("shut", 1.0)]


def test_values_are_compared_as_the_claims_are() -> None:
    rows = [("ann", "Sky", "colour", "Blue"), ("bob", "Sky", "colour", "GREY")]
    rows += [("ann", "Sky", "open", "Yes"), ("bob", "Sea", "open", "No")]
    attributes = {"open": Attribute("boolean")}
    claims = read(rows, casefold=True, strip=True, attributes=attributes)
    given = truth(("Sky", "colour", " grey "), ("Sky", "open", "NO"), ("Sea", "open", "YES"))
    known = KnownTruth.of(given, claims)
    found = {key: value for key, value in verdicts(claims, known).items() if value != FALSE}
    assert sorted(found) == [("Sea", "open", "Yes"), ("Sky", "colour", "GREY")]
    assert set(found.values()) == {TRUE}
    assert known.unclaimed.num_rows == 0


def test_numbers_are_compared_as_numbers() -> None:
    rows = [("ann", "sky", "height", "1,000"), ("bob", "sky", "height", "999")]
    claims = read(rows, attributes={"height": Attribute(values="number")})
    known = KnownTruth.of(truth(("sky", "height", "1000.0")), claims)
    assert verdicts(claims, known) == {
        ("sky", "height", "1,000"): TRUE,
        ("sky", "height", "999"): FALSE,
    }


@pytest.mark.parametrize(
    ("setting", "second", "agree"),
    [
        (Attribute(values="number"), "1e3", True),
        (Attribute(values="number"), "1001", False),
        (Attribute(tolerance="1%"), "1001", True),
        (Attribute(tolerance="1%"), "1100", False),
        (Attribute(values="decimal"), "1000.0", True),
        (Attribute(), "1000.0", False),
    ],
)
def test_two_labels_of_an_item_have_to_agree(setting: Attribute, second: str, agree: bool) -> None:
    rows = [("ann", "sky", "height", "1000"), ("bob", "sky", "height", "500")]
    claims = read(rows, attributes={"height": setting})
    given = truth(("sky", "height", "1000"), ("sky", "height", second))
    if agree:
        known = KnownTruth.of(given, claims, agrees=True)
        assert verdicts(claims, known)["sky", "height", "1000"] == TRUE
        return
    with pytest.raises(InputError, match="contradicts itself: 'height' of 'sky' is given as '1000"):
        KnownTruth.of(given, claims, agrees=True)


def test_the_same_word_belongs_to_its_own_attribute() -> None:
    # "blue" is claimed of the sea's mood, but not of its colour.
    rows = [("ann", "sea", "colour", "green"), ("ann", "sea", "mood", "blue")]
    known = KnownTruth.of(truth(("sea", "colour", "blue")), read(rows))
    assert known.unclaimed.to_pylist() == [
        {"entity": "sea", "attribute": "colour", "value": "blue", "item": 0}
    ]


def test_what_nobody_claims_is_kept_and_noted() -> None:
    claims = read()
    given = truth(("moon", "colour", "white"), ("sky", "colour", "pink"), ("sea", "tags", "wet"))
    known = KnownTruth.of(given, claims)
    left = {row["entity"]: row["item"] for row in known.unclaimed.to_pylist()}
    assert left["moon"] == left["sea"] == -1
    assert claims.matrix.entities[int(claims.matrix.entity_index[left["sky"]])].as_py() == "sky"
    found = verdicts(claims, known)
    assert [found["sky", "colour", value] for value in ("blue", "grey")] == [FALSE, FALSE]
    first, silent, other = (note.text for note in notes_on(known))
    assert first == "The truth of 1 item is given."
    assert silent.startswith("2 known truths are about items without claims, such as 'moon'")
    assert other.startswith("Nobody claims the value of 1 known truth, such as 'sky' ('colour'")


def test_truth_without_attributes_is_about_the_only_one() -> None:
    claims = Claims.from_triples([("ann", "sky", "blue"), ("bob", "sky", "grey")])
    known = KnownTruth.of({"entity": ["sky"], "value": ["grey"]}, claims)
    assert verdicts(claims, known)["sky", "value", "grey"] == TRUE
    one = read(CLAIMED[:3])
    known = KnownTruth.of(GroundTruth.from_frame({"entity": ["sky"], "value": ["grey"]}), one)
    assert verdicts(one, known)["sky", "colour", "grey"] == TRUE
    with pytest.raises(InputError, match="Expected attributes that both tables share"):
        KnownTruth.of({"entity": ["sky"], "value": ["grey"]}, read())


def test_items_are_told_apart_by_entity_and_attribute() -> None:
    rows = [(source, f"e{i}", f"a{i % 3}", f"v{i % 4}") for i in range(12) for source in ("s", "t")]
    claims = read(rows)
    given = truth(("e7", "a1", "v3"), ("e7", "a2", "v3"), ("e2", "a2", "v2"))
    known = KnownTruth.of(given, claims)
    found = {key for key, value in verdicts(claims, known).items() if value == TRUE}
    assert found == {("e7", "a1", "v3"), ("e2", "a2", "v2")}
    assert known.unclaimed.to_pylist() == [
        {"entity": "e7", "attribute": "a2", "value": "v3", "item": -1}
    ]


def rows_of(claims: Claims, known: KnownTruth, estimates: Estimates | None = None) -> Any:
    """Return the truths where plausibilities are as known, and one half otherwise."""
    plausibility = np.where(known.statement == UNKNOWN, 0.5, known.statement.astype(np.float64))
    verdict = decide(claims.matrix, plausibility, 0)
    return truths_table(claims.matrix, plausibility, verdict, estimates, known).to_pylist()


def test_given_truth_takes_the_place_of_what_is_claimed() -> None:
    claims = read()
    given = truth(("moon", "colour", "white"), ("sky", "colour", "pink"), ("sky", "open", "no"))
    rows = rows_of(claims, KnownTruth.of(given, claims))
    by_item = {(row["entity"], row["attribute"]): row for row in rows if row["attribute"] != "tags"}
    assert len([row for row in rows if row["attribute"] != "tags"]) == len(by_item)
    assert by_item["sky", "colour"] == {
        "entity": "sky",
        "attribute": "colour",
        "value": "pink",
        "plausibility": 1.0,
        "margin": 1.0,
        "n_sources": 2,
        "n_values": 2,
        "tie": False,
        "decision": "accept",
    }
    moon = by_item["moon", "colour"]
    assert (moon["value"], moon["n_sources"], moon["n_values"]) == ("white", 0, 0)
    assert by_item["sky", "open"]["value"] == "no"
    assert by_item["sky", "open"]["plausibility"] == 1.0


def test_claimed_and_unclaimed_values_of_one_item_are_all_true() -> None:
    claims = read()
    known = KnownTruth.of(truth(("sky", "tags", "old"), ("sky", "tags", "blue")), claims)
    rows = [row for row in rows_of(claims, known) if row["attribute"] == "tags"]
    assert sorted((row["value"], row["plausibility"]) for row in rows) == [("blue", 1), ("old", 1)]


def test_rows_of_given_truth_have_the_columns_of_estimates() -> None:
    rows = [("ann", "sky", "height", "10"), ("bob", "sky", "height", "12")]
    claims = read(rows, attributes={"height": Attribute(values="number")})
    known = KnownTruth.of(truth(("sky", "height", "11"), ("sea", "height", "0")), claims)
    one = np.array([11.5])
    found = rows_of(claims, known, Estimates(one, one, one, one))
    assert [(row["entity"], row["value"]) for row in found] == [("sea", "0"), ("sky", "11")]
    assert [row["standard_error"] for row in found] == [None, None]
