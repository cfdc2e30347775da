"""What the models of numbers share: verdicts, other attributes, errors, invariance."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.numeric import Rows, column, drawn, number, numeric, plausibility
from tests.strategies import shuffled

import veracity
from veracity import CATD, CRH, GTM, Attribute, Claims, MajorityVote, Mean, Median
from veracity.errors import InputError
from veracity.models.base import TruthModel

NUMERIC = [Mean, Median, GTM]
MODELS = [*NUMERIC, CRH, CATD]
models = pytest.mark.parametrize("model", MODELS)

MIXED = {"size": Attribute("single", values="number"), "colour": Attribute("single")}
MIXED_ROWS: Rows = [
    *(("a", "x", "size", "1"), ("b", "x", "size", "2"), ("c", "x", "size", "9")),
    *(("a", "x", "colour", "red"), ("b", "x", "colour", "red"), ("c", "x", "colour", "blue")),
]


@models
def test_the_nearest_claim_is_believed(model: type[TruthModel]) -> None:
    fitted = model().fit(drawn(0, n_items=20)[0])
    statements = plausibility(fitted)
    for entity in column(fitted, "value"):
        claimed = [float(value) for name, value in statements if name == entity]
        believed = number(fitted, entity)
        least = min(abs(value - believed) for value in claimed)
        chosen = column(fitted, "plausibility")[entity]
        assert chosen == max(
            p
            for (name, value), p in statements.items()
            if name == entity and abs(float(value) - believed) <= least + 1e-9
        )
        assert sum(p for (name, _), p in statements.items() if name == entity) == pytest.approx(1)
        assert min(claimed) <= believed <= max(claimed)


@models
def test_unanimous_sources_are_believed(model: type[TruthModel]) -> None:
    rows: Rows = [(source, "x", "7.50") for source in "abc"]
    rows += [("a", "y", "1"), ("b", "y", "2")]
    fitted = model().fit(numeric(rows))
    assert column(fitted, "value")["x"] == "7.5"
    assert plausibility(fitted)["x", "7.50"] == 1


@models
def test_values_that_are_no_numbers(model: type[TruthModel]) -> None:
    rows: Rows = [("a", "x", "about 7"), ("b", "x", "7"), ("c", "x", "9")]
    rows += [("a", "y", "many"), ("b", "y", "many"), ("c", "y", "few")]
    fitted = model().fit(numeric(rows))
    found = plausibility(fitted)
    assert found["x", "about 7"] == 0
    assert found["x", "7"] + found["x", "9"] == pytest.approx(1)
    assert column(fitted, "value")["y"] == "many"
    assert column(fitted, "standard_error")["y"] is None
    (note,) = [note for note in fitted.notes_ if note.subject == "numbers"]
    assert note.count == 3


@models
def test_denials_name_no_number(model: type[TruthModel]) -> None:
    columns = {
        "source": ["a", "b", "c"],
        "entity": ["x"] * 3,
        "value": ["1", "3", "99"],
        "asserts": [1, 1, 0],
    }
    attributes = {"*": Attribute("single", values="number")}
    fitted = model().fit(Claims.from_frame(columns, attributes=attributes))
    assert number(fitted, "x") == pytest.approx(2)
    assert plausibility(fitted)["x", "99"] == 0


@pytest.mark.parametrize("model", NUMERIC)
def test_other_attributes_are_decided_by_vote(model: type[TruthModel]) -> None:
    claims = Claims.from_triples(MIXED_ROWS, attributes=MIXED)
    fitted = model().fit(claims)
    by_vote = plausibility(MajorityVote().fit(claims))
    assert plausibility(fitted)["x", "red"] == by_vote["x", "red"]
    decided = "majority vote, since they are not numbers: 'colour'"
    assert any(decided in note.text for note in fitted.notes_)
    rows = fitted.truths_.to_pylist()
    assert [row["value"] for row in rows if row["attribute"] == "colour"] == ["red"]
    assert all(row["low"] is None for row in rows if row["attribute"] == "colour")


@pytest.mark.parametrize("model", NUMERIC)
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["blue", "red"], r"'value' do not look like numbers, for example 'blue'. Choose another"),
        (["10", "11.5"], r"'value' look like numbers, for example '10'. Declare them with --comp"),
        (["10", "11", "x"], "look like numbers only in 67% of cases, for example 'x'"),
    ],
)
def test_text_is_refused(model: type[TruthModel], values: list[str], message: str) -> None:
    rows = [(f"s{place}", "e", value) for place, value in enumerate(values)]
    with pytest.raises(InputError, match=message) as caught:
        model().fit(Claims.from_triples(rows))
    assert "--compare value=number" in str(caught.value)
    assert model.__name__ in str(caught.value)


def test_lists_of_numbers_are_refused() -> None:
    rows = [("a", "x", "1"), ("a", "x", "2"), ("b", "x", "1"), ("b", "x", "3")]
    claims = Claims.from_triples(rows, attributes={"*": Attribute(values="number")})
    with pytest.raises(InputError, match=r"taken to be multiple .* --kind value=single"):
        Mean().fit(claims)


numbers = st.lists(
    st.tuples(
        st.sampled_from("abcde"),
        st.sampled_from(["x", "y", "z"]),
        st.sampled_from(["v"]),
        st.sampled_from(["1", "2", "2.5", "-3", "1e12", "nothing", "1e-9", "1e200"]),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda row: row[:2],
)


@models
@given(rows=numbers, seed=st.integers(0, 3))
def test_neither_rows_nor_names_of_sources_play_a_part(
    model: type[TruthModel], rows: list[tuple[str, str, str, str]], seed: int
) -> None:
    attributes = {"v": Attribute("single", values="number")}
    one = model().fit(Claims.from_triples(rows, attributes=attributes))
    renamed = [("zyxwv"["abcde".index(row[0])], *row[1:]) for row in shuffled(rows, seed)]
    other = model().fit(Claims.from_triples(renamed, attributes=attributes))
    assert plausibility(other) == pytest.approx(plausibility(one), abs=1e-6)
    assert all(0 <= p <= 1 for p in plausibility(one).values())


@models
def test_saved_models_predict_the_same(model: type[TruthModel], tmp_path: Path) -> None:
    claims, _ = drawn(5, n_items=30)
    fitted = model().fit(claims)
    again = veracity.load(fitted.save(tmp_path / "model"))
    new = numeric([("s0", "new", "1"), ("s11", "new", "5"), ("stranger", "new", "2")])
    assert again.predict(new).to_pylist() == fitted.predict(new).to_pylist()
    assert fitted.predict(claims).to_pylist() == fitted.truths_.to_pylist()


@models
def test_a_tolerance_leaves_the_numbers_as_they_are(model: type[TruthModel]) -> None:
    rows: Rows = [("a", "x", "10"), ("b", "x", "10.4"), ("c", "x", "12"), ("d", "x", "17")]
    merged = numeric(rows, attributes={"*": Attribute("single", tolerance=0.5)})
    fitted = model().fit(merged)
    assert number(fitted, "x") == pytest.approx(number(model().fit(numeric(rows)), "x"))
    assert set(plausibility(fitted)) == {("x", "10"), ("x", "12"), ("x", "17")}
    assert sum(plausibility(fitted).values()) == pytest.approx(1)
