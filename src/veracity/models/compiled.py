"""Compiled functions, as `veracity.data.compiled` makes them."""

from __future__ import annotations

from veracity.data.compiled import compiled as compiled
