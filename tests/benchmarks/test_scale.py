"""The benchmark of scale watches processes, and tells how their costs grow."""

from __future__ import annotations

import sys

import pytest
from scale import Cost, exponents, row_of, watch


def test_a_run_is_watched_with_its_children() -> None:
    child = "import time; held = b'x' * 60_000_000; time.sleep(1)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    cost = watch("children", 10, [sys.executable, "-c", parent], limit=60.0)
    assert not cost.failed
    assert cost.peak_mb > 55


def test_a_run_that_fails_says_why() -> None:
    cost = watch("failure", 10, [sys.executable, "-c", "raise SystemExit('no claims')"], 60.0)
    assert cost.failed == "no claims"
    assert "no claims" in row_of(cost)


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [((10**6, 10**7), ["1,000,000 to 10,000,000"]), ((10**4, 10**6), ["10,000 to 1,000,000"])],
)
def test_growth_is_told_from_a_million_on(sizes: tuple[int, int], shown: list[str]) -> None:
    costs = [Cost("grbm", size, 1.0, size / 10**5, 1.0, 0.0) for size in sizes]
    told = list(exponents(costs))
    assert len(told) == len(shown)
    assert all(text in sentence for text, sentence in zip(shown, told, strict=True))
    assert told[0].endswith("1.00")
