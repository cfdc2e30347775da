"""Perturbed copies: the same every time, made of claims alone, and what they say they are."""

from __future__ import annotations

import inspect
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from public_sets import CROWDS, Tables, capped, categorical_sets, family_of
from unseen_copies import CLONES, JUDGED, KINDS, MAX_SIDES, TAIL_ITEMS, copy_of

VISIT = ("source", "entity", "attribute")


def drawn(n_sources: int = 12, n_items: int = 60, n_values: int = 3, seed: int = 0) -> pa.Table:
    """Draw claims of two attributes; some sources speak twice about an item."""
    rng = np.random.default_rng(seed)
    source, item = np.nonzero(rng.random((n_sources, n_items)) < 0.7)
    twice = rng.random(len(source)) < 0.1
    source, item = np.append(source, source[twice]), np.append(item, item[twice])
    value = rng.integers(0, n_values, len(source))
    return pa.table(
        {
            "source": [f"s{number}" for number in source],
            "entity": [f"e{number // 2}" for number in item],
            "attribute": [f"a{number % 2}" for number in item],
            "value": [f"v{number}" for number in value],
            "claim_order": [str(number) for number in range(len(source))],
        }
    )


def rows(claims: pa.Table, *columns: str) -> list[tuple[str, ...]]:
    return list(zip(*(claims[name].to_pylist() for name in columns), strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_depends_on_set_kind_and_number_alone(kind: str) -> None:
    claims = drawn()
    again = copy_of(drawn(), "some set", kind, 1)
    assert copy_of(claims, "some set", kind, 1).equals(again)
    others = (copy_of(claims, "some set", kind, number) for number in (0, 2, 3, 4))
    assert not all(other.equals(again) for other in others)
    assert claims.equals(drawn())


@pytest.mark.parametrize("kind", KINDS)
def test_copies_see_no_truth(kind: str) -> None:
    assert list(inspect.signature(KINDS[kind]).parameters) == ["claims", "seed"]


@pytest.mark.parametrize("kind", [kind for kind in JUDGED if kind != "one-sided sources"])
def test_what_a_source_says_about_an_item_stays_together(kind: str) -> None:
    before = Counter(rows(drawn(), *VISIT))
    after = Counter(rows(copy_of(drawn(), "some set", kind, 0), *VISIT))
    assert all(after[visit] == before[visit] for visit in after if visit in before)


def test_half_of_the_sources_remain_with_all_they_say() -> None:
    before, after = drawn(), copy_of(drawn(), "some set", "half the sources", 0)
    kept = set(after["source"].to_pylist())
    assert len(kept) == 6
    assert [row for row in rows(before, *VISIT) if row[0] in kept] == rows(after, *VISIT)


def test_a_fifth_of_the_items_remains_with_all_that_is_said() -> None:
    before, after = drawn(), copy_of(drawn(), "some set", "a fifth of the items", 0)
    kept = set(rows(after, "entity", "attribute"))
    assert len(kept) == 12
    assert [row for row in rows(before, *VISIT) if row[1:] in kept] == rows(after, *VISIT)


def test_two_fifths_of_the_visits_remain() -> None:
    visits = len(set(rows(drawn(), *VISIT)))
    after = copy_of(drawn(), "some set", "40 % of the claims", 0)
    assert len(set(rows(after, *VISIT))) == round(0.4 * visits)


def test_one_sided_sources_say_one_value_of_an_attribute() -> None:
    before, after = drawn(), copy_of(drawn(), "some set", "one-sided sources", 0)
    sides = set(rows(after, "source", "attribute", "value"))
    assert Counter(side[:2] for side in sides) == dict.fromkeys(
        rows(before, "source", "attribute"), 1
    )
    assert len({side[2] for side in sides}) == 3  # not all on the same side
    said = [row for row in rows(before, "source", "attribute", "value") if row in sides]
    assert len(said) == len(after)


def test_attributes_without_sides_are_dropped() -> None:
    claims = drawn(n_values=MAX_SIDES + 20)
    assert len(copy_of(claims, "some set", "one-sided sources", 0)) == 0


def test_ten_clones_repeat_a_weak_source() -> None:
    before, after = drawn(), copy_of(drawn(), "some set", "a source cloned ten times", 0)
    new = set(after["source"].to_pylist()) - set(before["source"].to_pylist())
    assert len(new) == CLONES == 10
    (original,) = {name.partition(" clone ")[0] for name in new}
    others = [name for name in before.column_names if name != "source"]
    said = [row[1:] for row in rows(after, "source", *others) if row[0] == original]
    for clone in new:
        assert [row[1:] for row in rows(after, "source", *others) if row[0] == clone] == said
    assert len(after) == len(before) + CLONES * len(said)


def test_a_long_tail_leaves_few_items_of_a_source() -> None:
    after = copy_of(drawn(), "some set", "five items a source", 0)
    assert set(Counter(row[0] for row in set(rows(after, *VISIT))).values()) == {TAIL_ITEMS}


def test_big_sets_are_cut_by_whole_items() -> None:
    claims = drawn(n_items=400)
    cut = capped(Tables(claims, claims), "some set", 1_000, 50).claims
    kept = set(rows(cut, "entity", "attribute"))
    assert 800 < len(cut) < 1_200
    assert [row for row in rows(claims, *VISIT) if row[1:] in kept] == rows(cut, *VISIT)


def test_sets_of_few_items_are_cut_by_whole_sources() -> None:
    claims = drawn(n_sources=200, n_items=40)
    cut = capped(Tables(claims, claims), "some set", 1_000, 40).claims
    assert len(set(rows(cut, "entity", "attribute"))) == 40
    assert 800 < len(cut) < 1_200


def test_sets_of_numbers_are_left_out(tmp_path: Path) -> None:
    for name in ("words", "numbers"):
        (tmp_path / name).mkdir()
        for table in ("claims", "truth"):
            (tmp_path / name / f"{table}.csv.gz").touch()
    table = "| words | 5,000 | 8 | 1 | 9 | 2 | 3 | 4 | 0.890 | 0.69 |\n"
    table += "| numbers | 5,000 | 8 | 1 | 9 | 2 | 3 | 4 | numeric | numeric |\n"
    (tmp_path / "README.md").write_text(table)
    assert categorical_sets(tmp_path) == ["words"]


def test_sets_belong_to_families() -> None:
    assert family_of("css_stance") == family_of("css_emotion") != CROWDS
    assert family_of("dog") == CROWDS
