"""A panel of judges for tests: families that err together, and one who is asked twice."""

from __future__ import annotations

from typing import Any

import numpy as np

CLASSES = ("a", "b", "c")
#: The family of each judge; those of nobody's family are on their own.
FAMILIES = ("gpt", "gpt", "gpt", "llama", "llama", None, None)


def panel(n_items: int = 60, seed: int = 3) -> dict[str, list[Any]]:
    """Draw what seven judges say about items of three classes; the last judge is asked twice."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, str, str, str | None]] = []
    for item in range(n_items):
        truth = rng.integers(3)
        common = {"gpt": rng.integers(3), "llama": truth}
        for judge, family in enumerate(FAMILIES):
            for _ in range(2 if judge == len(FAMILIES) - 1 else 1):
                said = common[family] if family and rng.random() < 0.4 else truth
                said = said if rng.random() < 0.8 else rng.integers(3)
                rows.append((f"j{judge}", f"e{item:02d}", CLASSES[said], family))
    names = ("source", "entity", "value", "source_family")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
