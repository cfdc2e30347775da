"""The gate on growth: it lets linear costs pass and stops quadratic ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from growth import SIZES, Measure, grown

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "growth.py"


def made_up(power: float, of_memory: float = 1.0) -> Measure:
    """Return costs with a constant part that grow by a power of the size."""
    return lambda size: (1.5 + (size / 1000) ** power, 80.0 + (size / 20) ** of_memory)


def test_a_linear_cost_passes() -> None:
    found = grown("claims, vote", (1, 1_000, 2_000, 4_000), made_up(1.0))
    assert found.in_time == pytest.approx(1.0, abs=0.01)
    assert found.in_memory == pytest.approx(1.0, abs=0.01)
    assert found.faults(1.1) == []


def test_a_quadratic_cost_fails_by_name() -> None:
    found = grown("classes, default", (1, 1_000, 2_000, 4_000), made_up(2.0))
    assert found.faults(1.1) == ["classes, default: CPU time grows like size^2.00, above 1.1"]
    in_memory = grown("classes, vote", (1, 1_000, 2_000, 4_000), made_up(1.0, 2.0))
    assert in_memory.faults(1.1) == ["classes, vote: memory grows like size^2.00, above 1.1"]


def test_a_cost_too_short_to_tell_fails() -> None:
    found = grown("classes, vote", (1, 10, 20, 40), made_up(2.0))
    assert found.in_time == 0.0
    (fault,) = found.faults(1.1)
    assert "classes, vote: 0.00 s at the largest size are too short" in fault


def test_the_median_counts() -> None:
    measured = iter([(0.0, 0.0)] * 3 + [(1.0, 50.0)] * 3 + [(2.0, 100.0), (9.0, 900.0)] * 2)
    found = grown("items, vote", (1, 10, 20), lambda size: next(measured))
    assert found.seconds == (1.0, 2.0)
    assert found.faults(1.1) == []


def test_every_axis_has_sizes_for_both_models() -> None:
    assert list(SIZES["vote"]) == list(SIZES["default"])
    assert len(SIZES["vote"]) == 7


def test_a_tiny_run_works() -> None:
    command = [sys.executable, str(SCRIPT), "--models", "vote", "--axes", "columns", "--repeats"]
    done = subprocess.run(
        [*command, "1", "--divide", "1000"], check=True, capture_output=True, text=True
    )
    assert "| columns, vote | 25 / 50 / 100 |" in done.stdout
