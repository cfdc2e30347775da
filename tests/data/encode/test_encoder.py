"""Sources that speak twice, and booleans as one statement."""

from __future__ import annotations

from typing import Any

import pytest

from veracity import Attribute, Claims
from veracity.errors import InputError

Kept = set[tuple[str, str, str, int]]


def make(rows: list[tuple[Any, ...]], names: str = "source entity value", **options: Any) -> Claims:
    """Make claims of rows with the named columns."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names.split())}
    return Claims.from_frame(columns, **options)


def kept(claims: Claims) -> Kept:
    """Return who claims (1) or denies (0) what, as encoded."""
    matrix = claims.matrix
    items = matrix.item_of_statement
    found = set()
    for source, statement, said in zip(
        matrix.source_index, matrix.statement_index, matrix.claim_value, strict=True
    ):
        found.add(
            (
                matrix.sources[int(source)].as_py(),
                matrix.entities[int(matrix.entity_index[items[statement]])].as_py(),
                matrix.values[int(matrix.value_index[statement])].as_py(),
                int(said),
            )
        )
    return found


def duplicates(claims: Claims) -> list[int | None]:
    """Return the counts of the notes on repeated claims."""
    return [note.count for note in claims.notes if note.subject == "duplicates"]


TIMED = "source entity value time"


def test_the_latest_row_is_kept_without_time() -> None:
    rows = [("a", "x", "2"), ("b", "x", "1"), ("a", "x", "1"), ("a", "y", "3")]
    claims = make(rows, attributes={"*": "single"}, duplicates="latest")
    assert kept(claims) == {("a", "x", "1", 1), ("b", "x", "1", 1), ("a", "y", "3", 1)}
    assert duplicates(claims) == [1]
    assert len(claims) == 4


@pytest.mark.parametrize(
    "times",
    [
        ("2020-01-03", "2020-01-01", "2020-01-02"),
        ("3", "1", "2"),
        (10, 8, 9),
        (0.3, 0.1, 0.2),
        ("2020-01-01T00:00:03", "2020-01-01T00:00:01", "2020-01-01T00:00:02"),
        ("2020-01-01T00:00:00Z", "2020-01-01T00:30:00+02:00", "2019-12-31"),
        ("5", None, "2"),
        ("2020-01-03", "", None),
    ],
)
@pytest.mark.parametrize("how", ["auto", "latest"])
def test_the_latest_time_is_kept(times: tuple[Any, ...], how: Any) -> None:
    rows = [("a", "x", f"v{i}", time) for i, time in enumerate(times)]
    claims = make(rows, TIMED, attributes={"*": "single"}, duplicates=how)
    assert kept(claims) == {("a", "x", "v0", 1)}
    assert duplicates(claims) == [2]


def test_equal_times_are_settled_by_row() -> None:
    rows = [("a", "x", "z", "2020-01-01"), ("a", "x", "m", "2020-01-01")]
    rows += [("a", "x", "o", "2019-01-01")]
    claims = make(rows, TIMED, attributes={"*": "single"}, duplicates="latest")
    assert kept(claims) == {("a", "x", "m", 1)}


def test_time_format() -> None:
    rows = [("a", "x", "new", "01/02/2020"), ("a", "x", "old", "31/01/2020")]
    assert kept(make(rows, TIMED, time_format="%d/%m/%Y")) == {("a", "x", "new", 1)}
    with pytest.raises(InputError, match=r"'01/02/2020' in row 1.*--time-format"):
        make([("a", "x", "1", "01/02/2020")], TIMED)
    with pytest.raises(InputError, match="'2020' in row 1"):
        make([("a", "x", "1", "2020")], TIMED, time_format="%d/%m/%Y")


def test_times_that_cannot_be_put_in_order() -> None:
    with pytest.raises(InputError, match="mixes 1 plain numbers with 1 dates"):
        make([("a", "x", "1", "7"), ("a", "x", "2", "2020-01-01")], TIMED)
    with pytest.raises(InputError, match="'soon' in row 2"):
        make([("a", "x", "1", "2020-01-01"), ("a", "x", "2", "soon")], TIMED)


def test_all_can_be_kept() -> None:
    claims = make(
        [("a", "x", "2"), ("a", "x", "1"), ("a", "x", "1")],
        duplicates="all",
        attributes={"*": "single"},
    )
    assert claims.matrix.n_claims == 3
    assert duplicates(claims) == [2]


def test_repetition_can_be_an_error() -> None:
    rows = [("b", "x", "1"), ("a", "x", "2"), ("a", "x", "1")]
    claims = make(rows, duplicates="error", attributes={"*": "single"})
    with pytest.raises(InputError, match=r"1 claim in all.*row 2 \(source 'a', entity 'x'\)"):
        claims.matrix  # noqa: B018
    assert make(rows[:2], duplicates="error").matrix.n_claims == 2


def test_several_values_of_a_multiple_attribute_stay() -> None:
    rows = [("a", "x", "1"), ("a", "x", "2"), ("a", "x", "2"), ("b", "x", "1"), ("b", "x", "3")]
    claims = make(rows, duplicates="latest", attributes={"*": "multiple"})
    assert kept(claims) == {(*row, 1) for row in rows}
    assert claims.matrix.n_claims == 4
    assert duplicates(claims) == [1]


ASSERTED = "source entity value asserts"


@pytest.mark.parametrize("kind", ["single", "multiple"])
def test_later_denial_replaces_the_claim(kind: str) -> None:
    rows = [("a", "x", "1", 1), ("a", "x", "1", 0), ("b", "x", "2", 1)]
    claims = make(rows, ASSERTED, attributes={"*": kind}, duplicates="latest")
    assert kept(claims) == {("a", "x", "1", 0), ("b", "x", "2", 1)}
    assert duplicates(claims) == [1]


@pytest.mark.parametrize("kind", ["single", "multiple"])
def test_denials_of_other_values_stay_beside_a_claim(kind: str) -> None:
    rows = [("a", "x", "1", 1), ("a", "x", "2", 0), ("a", "x", "3", 0)]
    claims = make(rows, ASSERTED, attributes={"*": kind})
    assert kept(claims) == set(rows)
    assert duplicates(claims) == []


def test_a_claim_does_not_replace_the_denial_of_another_value() -> None:
    rows = [("a", "x", "1", 0), ("a", "x", "2", 1), ("a", "x", "3", 1)]
    claims = make(rows, ASSERTED, attributes={"*": "single"}, duplicates="latest")
    assert kept(claims) == {("a", "x", "1", 0), ("a", "x", "3", 1)}


@pytest.mark.parametrize(
    "cells", [(1, 0), ("1", "0"), (True, False), ("True", "false"), (1.0, 0.0)]
)
def test_asserts_in_all_its_spellings(cells: tuple[Any, Any]) -> None:
    claims = make([("a", "x", "1", cells[0]), ("b", "x", "1", cells[1])], ASSERTED)
    assert kept(claims) == {("a", "x", "1", 1), ("b", "x", "1", 0)}


@pytest.mark.parametrize("cell", [2, -1, "maybe", None, 0.5])
def test_asserts_is_0_or_1(cell: Any) -> None:
    with pytest.raises(InputError, match=r"'asserts' has .* in row 2.*Expected 1"):
        make([("a", "x", "1", 1), ("b", "x", "1", cell)], ASSERTED)


class TestBooleans:
    """One statement, claimed or denied."""

    @pytest.mark.parametrize(
        ("yes", "no"),
        [("true", "false"), ("True", "False"), ("yes", "no"), ("Y", "N"), ("t", "f"), ("1", "0")],
    )
    def test_two_words_make_one_statement(self, yes: str, no: str) -> None:
        claims = make([("a", "x", yes), ("b", "x", no), ("c", "y", no)])
        (profile,) = claims.attributes
        assert (profile.kind, profile.positive, profile.negative) == ("boolean", yes, no)
        assert claims.matrix.n_statements == claims.matrix.n_items == 2
        assert kept(claims) == {("a", "x", yes, 1), ("b", "x", yes, 0), ("c", "y", yes, 0)}

    def test_denying_no_says_yes(self) -> None:
        rows = [("a", "x", "no", 0), ("b", "x", "yes", 0), ("c", "x", "no", 1)]
        assert kept(make(rows, ASSERTED)) == {
            ("a", "x", "yes", 1),
            ("b", "x", "yes", 0),
            ("c", "x", "yes", 0),
        }

    def test_who_changes_their_mind_counts_once(self) -> None:
        rows = [("a", "x", "yes"), ("a", "x", "no"), ("b", "x", "yes")]
        claims = make(rows, duplicates="latest")
        assert kept(claims) == {("a", "x", "yes", 0), ("b", "x", "yes", 1)}
        assert duplicates(claims) == [1]

    def test_one_word_alone(self) -> None:
        claims = make([("a", "x", "false"), ("b", "x", "false")])
        assert kept(claims) == {("a", "x", "true", 0), ("b", "x", "true", 0)}

    def test_one_number_alone_is_no_boolean(self) -> None:
        assert make([("a", "x", "1"), ("b", "x", "1")]).attributes[0].kind == "single"

    @pytest.mark.parametrize("words", [("False", "false"), ("True", "true")])
    def test_spellings_of_one_word_do_not_contradict(self, words: tuple[str, str]) -> None:
        rows = [("a", "x", words[0]), ("b", "x", words[1])]
        assert make(rows).attributes[0].kind == "single"
        (profile,) = make(rows, casefold=True).attributes
        assert profile.kind == "boolean"
        said = {claim[3] for claim in kept(make(rows, casefold=True))}
        assert said == {int(words[1] == "true")}
        with pytest.raises(InputError, match="are one word"):
            make(rows, attributes={"*": "boolean"}).matrix  # noqa: B018

    def test_positive_can_be_chosen(self) -> None:
        rows = [("a", "x", "guilty"), ("b", "x", "free")]
        setting = Attribute(kind="boolean", positive="free")
        assert kept(make(rows, attributes={"value": setting})) == {
            ("a", "x", "free", 0),
            ("b", "x", "free", 1),
        }
        with pytest.raises(ValueError, match="given as 'fre', but its values are free, guilty"):
            make(rows, attributes={"*": Attribute("boolean", positive="fre")}).matrix  # noqa: B018

    def test_more_than_two_values_are_refused(self) -> None:
        rows = [("a", "x", "1"), ("b", "x", "2"), ("c", "x", "3")]
        with pytest.raises(InputError, match="said to be boolean, but has 3 values"):
            make(rows, attributes={"*": "boolean"}).matrix  # noqa: B018

    def test_beside_other_attributes(self) -> None:
        rows = [("a", "x", "alive", "yes"), ("b", "x", "alive", "no"), ("a", "x", "name", "yes")]
        rows += [("b", "x", "name", "ann")]
        claims = make(rows, "source entity attribute value")
        assert [profile.kind for profile in claims.attributes] == ["boolean", "single"]
        assert claims.matrix.n_statements == 3
