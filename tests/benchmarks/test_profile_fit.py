"""The picture of where the time of a fit goes."""

from __future__ import annotations

import cProfile
import pstats

from profile_fit import PARTS, merged, part_of, seconds_by_part, specification

from veracity import MajorityVote
from veracity.datasets import example


def test_code_belongs_to_the_first_part_that_fits() -> None:
    place = "src/veracity/models/grbm"
    assert part_of(f"{place}/observation/batch_kernels.py") == "passes over claims"
    assert part_of(f"{place}/observation/confusion.py") == "tables and gradients"
    assert part_of(f"{place}/lbfgs.py") == "search"
    assert part_of("src/veracity/data/claims.py") == "reading and encoding"
    assert part_of("somewhere/else.py") == "the rest"


def test_all_time_is_shared_out() -> None:
    profiler = cProfile.Profile()
    profiler.enable()
    MajorityVote().fit(example.path())
    profiler.disable()
    stats = pstats.Stats(profiler)
    found = seconds_by_part(stats)
    assert list(found) == list(PARTS)
    assert found["reading and encoding"] > 0.0
    total = stats.total_tt  # type: ignore[attr-defined]
    assert abs(sum(found.values()) - total) < 0.05 * total


def test_a_run_replaces_the_figures_of_its_name() -> None:
    old = [
        {"name": "before", "classes": "2", "part": "search", "seconds": 3.0},
        {"name": "now", "classes": "2", "part": "search", "seconds": 2.0},
    ]
    new = [{"name": "now", "classes": 2, "part": "search", "seconds": 1.0}]
    rows = merged(old, new)
    assert rows == [old[0], new[0]]
    drawn = specification(rows)
    assert drawn["encoding"]["y"]["sort"] == ["before", "now"]
    assert [row["place"] for row in drawn["data"]["values"]] == [2, 2]
