"""Edit distances of many pairs of texts, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.compiled import compiled


@compiled
def edit_distances(letters: Any, starts: Indices, first: Indices, second: Indices) -> Floats:
    """Count the letters to insert, drop or replace to get from one text to another; (n_pairs,).

    Text i is ``letters[starts[i] : starts[i + 1]]``; `first` and `second` are the texts to compare.
    """
    distances = np.empty(len(first))
    row = np.empty(np.max(np.diff(starts)) + 1, np.int64) if len(first) else np.empty(1, np.int64)
    for pair in range(len(first)):
        a = letters[starts[first[pair]] : starts[first[pair] + 1]]
        b = letters[starts[second[pair]] : starts[second[pair] + 1]]
        for j in range(len(b) + 1):
            row[j] = j
        for i in range(len(a)):
            diagonal = row[0]
            row[0] = i + 1
            for j in range(len(b)):
                replaced = diagonal + (a[i] != b[j])
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
        distances[pair] = row[len(b)]
    return distances
