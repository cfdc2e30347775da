"""The small data sets and the models that misbehave, as those who measure models meet them."""

from __future__ import annotations

from tests.evaluation.conftest import data, odd_models

__all__ = ["data", "odd_models"]
