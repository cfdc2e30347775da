"""Compiled functions, and where they are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core import caching

from veracity.data.compiled import compiled


def _double(number: Any) -> Any:
    return 2 * number


def test_a_function_is_kept_on_disk() -> None:
    fast: Any = compiled(_double)
    assert fast(21) == 42
    assert fast.stats.cache_path


def test_a_function_that_can_be_kept_nowhere_runs_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(caching.CodeLibraryCacheImpl, "_locator_classes", [])
    monkeypatch.setattr(caching.CompileResultCacheImpl, "_locator_classes", [])
    assert compiled(_double)(21) == 42


KERNEL = """
import math
import numpy as np
from veracity.data.compiled import compiled

@compiled
def rise(numbers):
    made = np.zeros(len(numbers))
    for place in range(len(numbers)):
        made[place] = math.lgamma(numbers[place]) + np.exp(min(numbers[place], 1.0))
    return made, len(made)
"""
RUN = """
import sys
import numpy as np
from kernel import rise
print(rise(np.array([0.5, 3.0])), rise.stats.cache_hits, "numba.np.linalg" in sys.modules)
"""


def test_what_was_kept_runs_without_the_compiler_being_made_ready(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)

    def said() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout.strip().rsplit(" ", 1)

    first, was_ready = said()
    assert "Counter()" in first
    assert was_ready == "True"
    again, was_ready = said()
    assert again.partition("Counter")[0] == first.partition("Counter")[0]
    assert "Array(float64" in again  # a hit
    assert was_ready == "False"


def test_functions_run_where_nothing_is_to_be_compiled() -> None:
    code = """
import numpy as np
from veracity.models.two_sum import steady_sums
print(steady_sums(np.array([[1e16, 1.0], [1.0, 2.0], [-1e16, 3.0]])).tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
    )
    assert done.stdout == "[1.0, 6.0]\n"
