"""When two values are the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity import Attribute, Claims
from veracity.data.clean.values import ValueForms, canonical_number
from veracity.data.fields.date import canonical_date
from veracity.data.read.settings import Settings
from veracity.errors import InvalidParameter

NUMBER, DATE = Attribute(values="number"), Attribute(values="date")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,000", "1000"),
        ("1000.0", "1000"),
        ("1000", "1000"),
        ("1e3", "1000"),
        ("1 000", "1000"),
        ("1'000'000.50", "1000000.5"),
        ("\u22125", "-5"),
        ("-0", "0"),
        ("0.10", "0.1"),
        (".5", "0.5"),
        ("1,0000", None),
        ("1,000 000", None),
        ("about 7", None),
        ("nan", None),
        ("inf", None),
        ("1e999", None),
        ("", None),
    ],
)
def test_canonical_number(text: str, number: str | None) -> None:
    assert canonical_number(text) == number


@given(st.integers(-(10**15), 10**15))
def test_spellings_of_a_whole_number_agree(number: int) -> None:
    spellings = (f"{number}", f"{number:,}", f"{number}.0", f" {number} ", f"{number}.00")
    assert {canonical_number(text) for text in spellings} == {str(number)}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2006-01-02", "2006-01-02"),
        ("2006-01-02 00:00:00", "2006-01-02"),
        ("2006-01-02T03:04", "2006-01-02T03:04:00"),
        ("20060102", "2006-01-02"),
        ("2006/01/02", "2006-01-02"),
        ("02.01.2006", "2006-01-02"),
        ("2 January  2006", "2006-01-02"),
        ("Jan 2, 2006", "2006-01-02"),
        ("01/02/2006", None),
        ("31.02.2006", None),
        ("yesterday", None),
    ],
)
def test_canonical_date(text: str, day: str | None) -> None:
    assert canonical_date(text) == day


def _merged(values: list[str], **options: Any) -> tuple[list[str], list[int | None]]:
    """Return the values as they stand after merging, and the counts of the notes about values."""
    triples = [(f"s{i}", "x", value) for i, value in enumerate(values)]
    claims = Claims.from_triples(triples, **options)
    counts = [note.count for note in claims.notes if note.subject in ("values", "fields")]
    return claims.to_arrow()["value"].to_pylist(), counts


def test_values_are_compared_as_given_by_default() -> None:
    values = ["a", "A", " a", "é", "e\u0301", "1", "1.0"]
    assert _merged(values) == (values, [])


@pytest.mark.parametrize(
    ("options", "values", "expected"),
    [
        ({"casefold": True}, ["Rome", "ROME", "Rome"], "Rome"),
        ({"casefold": True}, ["STRASSE", "Straße", "Straße"], "Straße"),
        ({"strip": True}, [" a  b ", "a b", "a b"], "a b"),
        ({"unicode": "NFC"}, ["e\u0301", "é", "é"], "é"),
        ({"unicode": "NFKC"}, ["①", "1", "1"], "1"),
        ({"canonical": lambda text: text[:1]}, ["ab", "ac", "ac"], "ac"),
        ({"attributes": {"*": NUMBER}}, ["1,000", "1000.0", "1000.0"], "1000.0"),
    ],
)
def test_commonest_spelling_stands_for_all(
    options: dict[str, Any], values: list[str], expected: str
) -> None:
    assert _merged(values, **options) == ([expected] * 3, [1])


def test_commonest_spelling_of_a_date_stands_for_all() -> None:
    values = ["2 Jan 2006", "2006-01-02", "2006-01-02"]
    assert _merged(values, attributes={"value": DATE}) == (["2006-01-02"] * 3, [2])


def test_equally_common_spellings_are_settled_whatever_the_order() -> None:
    assert _merged(["b ", "b"], strip=True) == _merged(["b", "b "], strip=True)


def test_forms_apply_one_after_another() -> None:
    values = [" Rome", "rome!", "ROME "]
    merged, counts = _merged(
        values, strip=True, casefold=True, canonical=lambda text: text.rstrip("!")
    )
    assert len(set(merged)) == 1
    assert counts == [2]


def test_merging_is_counted_and_exemplified() -> None:
    triples = [("a", "x", "Rome"), ("b", "x", "ROME"), ("c", "x", "Rome"), ("d", "y", "ROME")]
    triples += [("e", "y", "rome"), ("f", "y", "Rome")]
    (note,) = [
        note
        for note in Claims.from_triples(triples, casefold=True).notes
        if note.subject == "values"
    ]
    assert note.count == 2
    assert "'ROME' with 'Rome'" in note.text
    assert "3 claims" in note.text


def test_values_of_different_attributes_are_not_merged() -> None:
    rows = [("a", "x", "size", "1.0"), ("b", "x", "size", "1"), ("a", "x", "code", "1.0")]
    rows += [("c", "x", "size", "1"), ("b", "x", "code", "1")]
    claims = Claims.from_triples(rows, attributes={"size": NUMBER})
    table = claims.to_arrow()
    by_attribute = set(zip(table["attribute"].to_pylist(), table["value"].to_pylist(), strict=True))
    assert by_attribute == {("size", "1"), ("code", "1.0"), ("code", "1")}


def test_what_is_no_number_stays_text_and_is_counted() -> None:
    merged, counts = _merged(["1.0", "1", "1", "About", "about"], attributes={"*": NUMBER})
    assert merged == ["1", "1", "1", "About", "about"]
    assert counts == [1, 2]


def test_key_leaves_text_as_it_is_without_settings() -> None:
    forms = ValueForms(Settings())
    assert not forms.change_anything()
    assert forms.key("a", " X ") == " X "


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unicode": "NFX"}, "unicode must be one of NFC"),
        ({"canonical": "upper"}, "canonical must be a function"),
        ({"nulls": "keep"}, "nulls must be one of drop, error"),
        ({"duplicates": "first"}, "duplicates must be one of"),
        ({"attributes": {"value": "boolen"}}, "Did you mean 'boolean'"),
        ({"stripp": True}, "no argument 'stripp'; did you mean 'strip'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        Claims.from_triples([("a", "x", "1")], **options)
