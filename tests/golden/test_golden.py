"""Results are what they were: some of those that ``scripts/golden.py check`` checks in full."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from tests.golden import files
from tests.golden.cases import QUICK, Case, all_cases, is_there
from tests.golden.record import (
    constants_of,
    differences,
    notes_record,
    numbers_record,
)

CASES = [case for case in all_cases() if case.data in QUICK and case.place != "spark"]
GROUPS = [
    pytest.param(list(group), id="-".join(key))
    for key, group in groupby(CASES, key=lambda case: (case.data, case.place))
]


@pytest.mark.parametrize("cases", GROUPS)
def test_results_are_what_they_were(cases: list[Case]) -> None:
    if not is_there(cases[0].data):
        pytest.skip("no data folder")
    always = files.constants()
    bad = [
        f"{case.data} {case.key}: {one}"
        for case in cases
        for one in files.check(case, always)
        if one.size > files.tolerance_of(case)
    ]
    assert not bad, "\n".join(bad)


def test_every_case_has_a_result() -> None:
    kept = {data: set(files.read(data)) for data in {case.data for case in all_cases()}}
    wanted = {data: {case.key for case in all_cases() if case.data == data} for data in kept}
    assert kept == wanted


# A check is worth something if it can fail


@dataclass(frozen=True)
class Note:
    """Stands for a note of a fitted model."""

    subject: str
    text: str


@pytest.fixture
def record() -> dict[str, Any]:
    found: dict[str, Any] = files.read("example")["memory/grbm"]
    return found


def test_nothing_differs_from_itself(record: dict[str, Any]) -> None:
    assert differences(record, deepcopy(record), {}) == []


@pytest.mark.parametrize(("size", "place"), [(1e-8, 0), (1e-8, 700), (0.5, 999)])
def test_a_change_of_one_number_is_seen(size: float, place: int) -> None:
    values = np.random.default_rng(0).random(1000)
    changed = values.copy()
    changed[place] += size
    column = {"rows": 1000, "hashes": {}, "numbers": {"x": numbers_record(values)}}
    other = {**column, "numbers": {"x": numbers_record(changed)}}
    empty: dict[str, Any] = {"rows": 0, "hashes": {}, "numbers": {}}
    old = {"truths": column, "statements": empty, "sources": empty, "notes": {}}
    (found,) = differences(old, old | {"truths": other}, {})
    assert size / 3 < found.size < 3 * size
    assert found.size > files.DEFAULT_TOLERANCE


def test_other_values_and_rows_are_seen(record: dict[str, Any]) -> None:
    other = deepcopy(record)
    other["truths"]["hashes"]["value"] = other["truths"]["hashes"]["value"][:-4] + "0000"
    other["sources"]["rows"] += 1
    assert [one.what.partition(":")[0] for one in differences(record, other, {})] == [
        "truths.value",
        "sources",
    ]


def test_numbers_of_notes_may_move_but_not_change() -> None:
    old = [Note("copies", "1,200 claims of 'site 7' count 0.5."), Note("vote", "Of 9, 2.")]
    rewritten = [Note("vote", "2 of 9 say so."), Note("copies", "Less count 1200 claims.")]
    empty: dict[str, Any] = {"rows": 0, "hashes": {}, "numbers": {}}
    tables = {"truths": empty, "statements": empty, "sources": empty}
    was, now = ({**tables, "notes": notes_record(notes)} for notes in (old, rewritten))
    assert was["notes"] == {"copies": [0.5, 1200], "vote": [2, 9]}
    (found,) = differences(was, now, {})
    assert "gone [0.5]" in found.what
    others = [{"notes": {"copies": [0.5, float(number)]}} for number in range(4)]
    assert differences(was, now, constants_of(others)) == []
