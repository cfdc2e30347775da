"""The benchmark of ordered values draws the raters it says, and measures in levels."""

from __future__ import annotations

from functools import partial

from ordered import WORLDS, World, draw, measured, median, rows


def test_raters_see_the_levels_they_say() -> None:
    exact = draw(World("exact", bias=0.0, spread=(0.01, 0.01)), seed=0, n_items=50)
    said = zip(exact.table["entity"].to_pylist(), exact.table["value"].to_pylist(), strict=True)
    assert all(exact.truth[entity] == value for entity, value in said)
    assert measured(exact, median(exact)) == (1.0, 0.0)
    missing = next(world for world in WORLDS if world.name == "a level is missing")
    assert "3" not in draw(missing, 0).truth.values()


def test_errors_are_in_levels() -> None:
    rated = draw(WORLDS[0], seed=0, n_items=20)
    off = {entity: str((int(level) + 1) % 5 + 1) for entity, level in rated.truth.items()}
    right, error = measured(rated, off)
    assert right == 0.0
    assert error >= 1.0


def test_rows_have_a_cell_for_each_judge() -> None:
    worlds = {"plain": [partial(draw, WORLDS[0], 0, 60)]}
    *_, row = rows(worlds, ["median", "ordered"])
    assert row.startswith("| plain | 0.")
    assert row.count("/") == 2
