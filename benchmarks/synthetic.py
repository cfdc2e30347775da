"""Synthetic claims with a truth behind them: sources that mostly agree, and what is known of them.

About five claims per item and 1.5 statements per item from 5,000 sources, of which a few say much
and most say little, as in the data that truth discovery is for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CLAIMS_PER_ITEM = 5
SOURCES = 5_000
LABELS = 4
#: Columns of numbers and of categories that reliability depends on, some of them only a little.
NUMBERS = {"source": 4, "claim": 2}
CATEGORIES = {"source": 3, "claim": 1}


def draw(n_claims: int, seed: int = 0) -> dict[str, Any]:
    """Draw source, item and label of claims, no source twice about an item, in random order."""
    rng = np.random.default_rng(seed)
    n_items = n_claims // CLAIMS_PER_ITEM
    pair = np.empty(0, np.int64)
    while len(pair) < n_claims:  # distinct pairs, so that no method has duplicates to argue about
        more = rng.integers(0, n_items, n_claims + n_claims // 8) * SOURCES
        more += (SOURCES * rng.random(len(more)) ** 2).astype(np.int64)
        pair = np.sort(np.concatenate([pair, more]))
        pair = pair[np.append(True, pair[1:] != pair[:-1])]
    pair = rng.permutation(pair)[:n_claims]
    source, item = pair % SOURCES, pair // SOURCES
    quality = rng.normal(2.3, 1.0, SOURCES)
    right = rng.random(n_claims) < 1 / (1 + np.exp(-quality[source]))
    truth = rng.integers(0, LABELS, n_items)
    wrong = rng.integers(1, LABELS, n_claims)
    label = np.where(right, truth[item], (truth[item] + wrong) % LABELS)
    return {"source": source, "item": item, "label": label, "quality": quality, "truth": truth}


def frame(n_claims: int, features: bool = False, seed: int = 0) -> Any:
    """Return claims as a DataFrame: worker, task, label and, if wanted, ten feature columns."""
    import pandas as pd

    drawn = draw(n_claims, seed)
    source = drawn["source"]
    columns = {
        "worker": _labels("worker-", source, SOURCES),
        "task": _labels("task-", drawn["item"], n_claims // CLAIMS_PER_ITEM),
        "label": _labels("label-", drawn["label"], LABELS),
    }
    if features:
        columns |= _features(drawn["quality"], source, np.random.default_rng(seed + 1))
    return pd.DataFrame(columns)


def accuracy(n_claims: int, task: Any, label: Any, seed: int = 0) -> float:
    """Return the share of labels that are right; draws the claims anew, for their truth."""
    truth = draw(n_claims, seed)["truth"]
    item = np.array([name[len("task-") :] for name in task], np.int64)
    given = np.array([name[len("label-") :] for name in label], np.int64)
    return float(np.mean(truth[item] == given))


def _labels(prefix: str, index: Any, size: int) -> Any:
    return np.array([f"{prefix}{number}" for number in range(size)], object)[index]


def _features(quality: Any, source: Any, rng: np.random.Generator) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for kind in ("source", "claim"):
        index = source if kind == "source" else np.arange(len(source))
        base = quality if kind == "source" else quality[source]
        for number in range(NUMBERS[kind]):
            noise = rng.normal(0, 1 + number, len(base))
            columns[f"{kind}_number_{number}"] = np.round(base + noise, 1)[index]
        for number in range(CATEGORIES[kind]):
            noise = rng.normal(0, 1 + number, len(base))
            codes = np.clip(np.floor(base + noise), 0, 4).astype(np.int64)
            columns[f"{kind}_kind_{number}"] = _labels("kind-", codes, 5)[index]
    return columns
