"""Planted formats are found with the right transformation, and nothing is found where none is."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from tests.formats import (
    PLANTED,
    day,
    planted_rows,
    rows_without_clash,
    sensor_rows,
)

from veracity import Claims
from veracity.data.clashes.answers import Answers
from veracity.data.clashes.clash import Clash
from veracity.data.clashes.search import clashes_among, find_clashes


def found_in(rows: list[tuple[str, str, str, str]]) -> list[Clash]:
    return find_clashes(Claims.from_triples(rows).matrix)


def answers_of(rows: list[tuple[str, str, str, str]]) -> tuple[list[Answers], pa.StringArray]:
    """Return the answers of a table about one attribute, without the work of reading it."""
    sources, items, _, values = (sorted(set(column)) for column in zip(*rows, strict=True))
    coded = sorted(
        (items.index(row[1]), sources.index(row[0]), values.index(row[3])) for row in rows
    )
    item, source, value = np.array(coded, np.int64).T
    shared = np.bincount(item)[item] > 1
    found = Answers("a", item[shared], source[shared], value[shared], values)
    return [found], pa.array(sources)


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_format_is_found_with_its_transformation(kind: str) -> None:
    (clash,) = found_in(planted_rows(PLANTED[kind]))
    assert clash.source == "odd"
    assert clash.transformation.name == PLANTED[kind].transformation
    assert clash.agreement < 0.2
    assert clash.agreement_after > 0.7


def test_other_units_are_named() -> None:
    (fahrenheit,) = found_in(sensor_rows(lambda celsius: celsius * 9 / 5 + 32))
    assert fahrenheit.transformation.name.endswith("(Fahrenheit -> Celsius)")
    (pounds,) = found_in(sensor_rows(lambda kilos: kilos / 0.45359237, relative=True))
    assert pounds.transformation.name == "x 0.453592 (pounds -> kilograms)"


def test_who_says_the_opposite_is_told_apart_from_another_format() -> None:
    (clash,) = found_in(planted_rows(PLANTED["opposite"]))
    assert not clash.is_format
    assert "says the opposite of the others" in clash.description


def test_of_two_equal_sides_the_plainer_format_is_that_of_the_others() -> None:
    draw, rows = random.Random(1), []
    for item in range(60):
        date = day(draw)
        for source in range(6):
            text = str(date) if source % 2 else f"{date.month}/{date.day}/{date.year}"
            rows.append((f"s{source}", f"e{item}", "founded", text))
    found = found_in(rows)
    assert [clash.source for clash in found] == ["s0", "s2", "s4"]
    assert {clash.transformation.name for clash in found} == {"m/d/Y -> Y-m-d"}
    alone = found_in([row for row in rows if row[0] in ("s0", "s1")])
    assert [clash.source for clash in alone] == ["s0"]


def test_too_few_claims_say_nothing() -> None:
    assert found_in(planted_rows(PLANTED["month first"], n_items=8)) == []


def test_boolean_attributes_are_compared_by_their_words() -> None:
    rows = planted_rows(PLANTED["opposite"])
    assert Claims.from_triples(rows).attributes[0].kind == "boolean"
    (clash,) = found_in(rows)
    assert clash.examples[0] in (("yes", "no"), ("no", "yes"))


def test_200_tables_without_a_clash_give_no_report_beyond_chance() -> None:
    """One report in a hundred tables is allowed for; the chance of 6 or more in 200 is 1.6 %."""
    reports = sum(bool(clashes_among(*answers_of(rows_without_clash(seed)))) for seed in range(200))
    assert reports <= 5


def test_a_source_that_confuses_two_labels_has_no_coding_of_its_own() -> None:
    draw, rows = random.Random(2), []
    for item in range(200):
        truth = draw.choice("aabc")
        for source in range(6):
            says = "b" if source == 0 and truth == "a" else truth
            rows.append((f"s{source}", f"e{item}", "label", says))
    assert found_in(rows) == []


def test_a_sensor_that_is_stuck_is_in_no_other_unit() -> None:
    draw, rows = random.Random(3), []
    for item in range(60):
        for source in range(5):
            number = draw.gauss(22, 0.3) if source else 71.6
            rows.append((f"s{source}", f"e{item}", "temperature", f"{number:.1f}"))
    assert found_in(rows) == []


def test_row_order_makes_no_difference() -> None:
    rows = planted_rows(PLANTED["prefix"])
    turned = list(reversed(rows))
    assert [clash.description for clash in found_in(rows)] == [
        clash.description for clash in found_in(turned)
    ]
