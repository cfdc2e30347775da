"""Plain numbers that are equal are one value, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity import Attribute, Claims
from veracity.data.clean.values import canonical_decimal

#: Enough numbers for an attribute of quantities.
QUANTITIES = [f"{number}.5" for number in range(40)]


def table(values: list[str], name: str = "height") -> dict[str, list[str]]:
    """Return claims of three sources, each about an entity of its own for every value."""
    rows = [("a", f"e{i}", name, value) for i, value in enumerate(values)]
    columns = zip(*rows, strict=True)
    return dict(zip(("source", "entity", "attribute", "value"), map(list, columns), strict=True))


def values_of(claims: Claims) -> set[str]:
    """Return the distinct values as encoded."""
    return set(claims.matrix.values.to_pylist())


def test_spellings_of_a_number_are_one_value() -> None:
    claims = Claims.from_frame(table([*QUANTITIES, "10", "10", "10.0", "10.00"]))
    assert values_of(claims) == {*QUANTITIES, "10"}
    (note,) = [note for note in claims.notes if note.subject == "values"]
    assert "'10.0' and '10' are one value: merged 2 spellings (2 claims)" in note.text
    assert "--compare height=text" in note.text
    (profile,) = claims.attributes
    assert not profile.numeric  # judged like any other value
    assert claims.forms.key("height", "7.50") == claims.forms.key("height", "7.5")


@pytest.mark.parametrize(
    "others",
    [
        ["007", "07.0", "7.0", "7"],  # codes with leading zeros stay, numbers merge
        ["+7", "7.0", "7"],
        ["7e0", "7.0", "7"],
    ],
)
def test_codes_are_no_numbers(others: list[str]) -> None:
    claims = Claims.from_frame(table([*QUANTITIES, *others]))
    assert values_of(claims) == {*QUANTITIES, *others} - {"7.0"}


@pytest.mark.parametrize(
    "values",
    [
        ["0", "1", "0.0", "1.0"],  # few values: labels
        [f"3.{minor}" for minor in range(30)],  # 3.1 and 3.10 are versions
        [*QUANTITIES, "1.0.2", "1.0", "1"],
        [*(f"B{gate}" for gate in range(60)), *QUANTITIES[:30], "10", "10.0"],
        [*(str(number) for number in range(30)), "1.00", "x1", "2.10"][:24],
    ],
)
def test_labels_and_versions_stay_apart(values: list[str]) -> None:
    claims = Claims.from_frame(table(values))
    assert values_of(claims) == set(values)
    assert not claims.forms.change_anything()


@pytest.mark.parametrize(
    "told", [{"height": Attribute(values="text")}, {"*": Attribute(values="text")}]
)
def test_text_stays_text_if_the_user_says_so(told: dict[str, Attribute]) -> None:
    values = [*QUANTITIES, "10", "10.0"]
    assert values_of(Claims.from_frame(table(values), attributes=told)) == set(values)


def test_few_values_are_numbers_if_the_user_says_so() -> None:
    told = {"height": Attribute(values="decimal")}
    assert values_of(Claims.from_frame(table(["1", "1", "1.0", "01"]), attributes=told)) == {
        "1",
        "01",
    }


def test_in_blocks_as_in_memory(tmp_path: Path) -> None:
    columns: dict[str, Any] = table([*QUANTITIES, "10", "10", "10.0", "10.00"])
    pa.csv.write_csv(pa.table(columns), tmp_path / "claims.csv")
    whole = Claims.read(tmp_path / "claims.csv")
    parts = Claims.read(tmp_path / "claims.csv", memory="256MB")
    assert parts.attributes == whole.attributes
    assert parts.settings == whole.settings
    assert [note.text for note in parts.notes] == [note.text for note in whole.notes]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4), st.integers(0, 3))
def test_needless_zeros_make_no_difference(number: Any, n_zeros: int) -> None:
    text = f"{number:f}"
    assert canonical_decimal(text) == canonical_decimal(text + "0" * n_zeros)
    assert canonical_decimal("0" + text.lstrip("-")) is None
    found = canonical_decimal(text)
    assert found is not None
    assert canonical_decimal(found) == found
    assert float(found) == float(text)
