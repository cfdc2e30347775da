"""Tables of rules: what is read, and what is refused and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from veracity.data.rules.table import Rules
from veracity.errors import InputError, MissingColumn


def table(**changes: list[Any]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        "if_attribute": ["born_in", "dead"],
        "if_value": ["Paris", "yes"],
        "then_attribute": ["country", "job"],
        "then_value": ["France", "pilot"],
        "kind": ["implies", "excludes"],
        "weight": [None, 1.5],
    }
    return columns | changes


def test_rules_are_read_in_order() -> None:
    first, second = Rules.of(table())
    assert str(first) == "born_in = Paris implies country = France"
    assert first.is_hard
    assert first.number == 1
    assert str(second) == "dead = yes excludes job = pilot"
    assert second.weight == 1.5
    assert not second.is_hard


def test_kind_and_weight_may_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rules.csv"
    path.write_text("if_attribute,if_value,then_attribute,then_value\n\nborn_in,7,country,France\n")
    (rule,) = Rules.of(path)
    assert rule.kind == "implies"
    assert rule.is_hard
    assert rule.if_value == "7"
    assert Rules.of(path).describe_origin()


def test_rules_can_be_written_and_read_again() -> None:
    rules = Rules.of(table())
    assert list(Rules.of(rules.to_arrow())) == list(rules)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": ["implies", "implys"]}, "kind of rule 2 is 'implys'. Did you mean 'implies'?"),
        ({"weight": [None, -1.0]}, "weight of rule 2 is '-1'"),
        ({"weight": ["heavy", None]}, "weight of rule 1 is 'heavy'"),
        ({"weight": ["inf", None]}, "weight of rule 1 is 'inf'"),
        ({"then_value": ["France", None]}, "Rule 2 has no then_value"),
        ({"strength": [1, 2]}, "column 'strength' means nothing"),
        ({name: [None, None] for name in table()}, "There are none"),
    ],
)
def test_bad_cells_are_named(changes: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(InputError, match="In the rules: ") as caught:
        Rules.of(table(**changes))
    assert message in str(caught.value)


def test_a_missing_column_is_named() -> None:
    columns = table()
    columns["if_atribute"] = columns.pop("if_attribute")
    with pytest.raises(MissingColumn, match=r"'if_attribute'. Did you mean 'if_atribute'"):
        Rules.of(columns)
