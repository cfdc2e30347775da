"""Compiled functions, and where they are kept."""

from __future__ import annotations

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
