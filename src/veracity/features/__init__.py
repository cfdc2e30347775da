"""Features of claims, sources, entities and statements."""

from __future__ import annotations

from veracity.features.builder import FeatureBuilder, FeatureChoice
from veracity.features.rows import FeatureRows

__all__ = ["FeatureBuilder", "FeatureChoice", "FeatureRows"]
