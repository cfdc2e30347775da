"""Values that name one another are noticed, and others are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.engines.worlds import in_place

from veracity import Attribute, Claims, discover
from veracity.workflow.nesting import nesting_notes

COUNTRIES = ("Switzerland", "France", "Japan", "Peru", "Kenya", "Norway", "India", "Chile")


def drawn(wide: str, fine: str, n_items: int = 60) -> dict[str, list[str]]:
    """Claims by three sources, of which one names the country."""
    random = np.random.default_rng(1)
    table: dict[str, list[str]] = {"source": [], "entity": [], "value": []}
    for item in range(n_items):
        country = str(random.choice(COUNTRIES))
        for source in "abc":
            shape = wide if source == "c" else fine
            city = "abcde"[random.integers(5)]
            cell = shape.format(city=f"{city} town", country=country)
            for column, text in zip(table, (source, f"e{item}", cell), strict=True):
                table[column].append(text)
    return table


@pytest.mark.parametrize(
    ("wide", "fine", "way"),
    [
        ("{country}", "{city}, {country}", ", "),
        ("{country}", "{country}/{city}", "/"),
        ("in {country}", "{city} in {country}", "tokens"),
    ],
)
def test_values_that_name_one_another_are_noticed(wide: str, fine: str, way: str) -> None:
    table = drawn(wide, fine)
    (note,) = nesting_notes(Claims.from_frame(table))
    assert note.subject == "hierarchy"
    assert (note.count or 0) > 50
    assert f"--hierarchy 'value={way}'" in note.text
    said = Claims.from_frame(table, attributes={"value": Attribute(hierarchy=way)})
    assert not nesting_notes(said)


@pytest.mark.parametrize(
    ("wide", "fine"),
    [
        ("{country}", "{city}"),
        ("{country}; Smith", "{country}; {city}; Smith"),
        ("1.5", "1.5 2"),
    ],
)
def test_other_values_are_passed_over_in_silence(wide: str, fine: str) -> None:
    assert not nesting_notes(Claims.from_frame(drawn(wide, fine)))


def test_blocks_notice_the_same_and_a_run_says_it(tmp_path: Path) -> None:
    claims = Claims.from_frame(drawn("{country}", "{city}, {country}"))
    path = tmp_path / "claims.csv"
    claims.to_pandas().to_csv(path, index=False)
    (note,) = nesting_notes(claims)
    (in_blocks,) = nesting_notes(in_place(path, "blocks on disk", 40))
    assert in_blocks.count == note.count
    run = discover(path)
    assert [one.text for one in run.notes if one.subject == "hierarchy"] == [note.text]
