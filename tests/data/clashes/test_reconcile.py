"""Reconciled claims say what they would have said in the format of the others."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.formats import PLANTED, planted_rows

from veracity import Attribute, Claims

#: Formats from which the others' spelling can be made of a value alone.
EXACT = (
    "magnitude",
    "thousands",
    "month first",
    "Excel",
    "last name first",
    "no zeros",
    "yes as 1",
)


@pytest.mark.parametrize("kind", EXACT)
def test_values_become_what_the_others_would_have_written(kind: str) -> None:
    planted = PLANTED[kind]
    rows = planted_rows(planted)
    claims = Claims.from_triples(rows).reconciled()
    draw_again = planted_rows(type(planted)(planted.truth, planted.usual, "", planted.usual))
    assert claims.to_arrow()["value"].to_pylist() == [row[3] for row in draw_again]
    assert len(claims.clashes()) == 0


def test_notes_say_what_was_rewritten() -> None:
    claims = Claims.from_triples(planted_rows(PLANTED["prefix"])).reconciled()
    (note,) = [note for note in claims.notes if note.subject == "reconciled"]
    assert note.text.startswith("Rewrote 60 values of 'odd' in 'a' (take off 'SKU-'), for example")
    assert note.count == 60


def test_who_says_the_opposite_is_left_alone() -> None:
    claims = Claims.from_triples(planted_rows(PLANTED["opposite"]))
    assert len(claims.clashes()) == 1
    assert claims.reconciled() is claims


def test_everything_else_about_claims_stays() -> None:
    rows = planted_rows(PLANTED["prefix"])
    names = ("who", "what", "about", "code")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    times = [float(place) for place in range(len(rows))]
    more = {"when": times, "claim_kind": ["7"] * len(rows)}
    claims = Claims.from_frame(
        pa.table(columns | more),
        source="who",
        entity="what",
        attribute="about",
        value="code",
        time="when",
        categories=["claim_kind"],
        attributes={"a": Attribute("single")},
    )
    again = claims.reconciled()
    assert again.columns == claims.columns
    assert again.feature_types == claims.feature_types == {"claim_kind": "category"}
    assert again.describe_settings() == claims.describe_settings()
    assert len(again) == len(claims)
    assert again.time is not None
    assert sorted(again.time) == times
