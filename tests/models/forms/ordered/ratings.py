"""Drawn ratings, with the levels that are true."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from veracity import Attribute, Claims

WORDS = ["none", "mild", "moderate", "severe"]
ORDERED = {"severity": Attribute(values="ordered", order=WORDS)}


def drawn(
    seed: int = 0, n_items: int = 150, shift: float = 1.2, n_raters: int = 6
) -> tuple[pd.DataFrame, npt.NDArray[np.int64]]:
    """Return ratings by raters, the last of whom rates too high, and the true levels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(len(WORDS), size=n_items)
    rows = []
    for item, level in enumerate(truth):
        for rater in range(n_raters):
            seen = level + rng.normal(0, 0.5) + (shift if rater == n_raters - 1 else 0)
            said = int(np.clip(np.rint(seen), 0, len(WORDS) - 1))
            rows.append((f"r{rater}", f"case {item:03}", "severity", WORDS[said]))
    return pd.DataFrame(rows, columns=["source", "entity", "attribute", "value"]), truth


def claims_of(table: pd.DataFrame) -> Claims:
    """Read ratings as ordered values."""
    return Claims.from_frame(table, attributes=ORDERED)
