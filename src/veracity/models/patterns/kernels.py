"""The compiled pass over the answers of sources: their likelihood at each J of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.models.compiled import compiled


@compiled
def log_likelihoods(
    source_start: Any,
    group_start: Any,
    first_class: Any,
    width: Any,
    said: Any,
    count: Any,
    q: Any,
    prior: Any,
    grid: Any,
    steps: int,
    curve: Any,
) -> None:
    """Add the log-likelihood of each source at each J, with the h and pi_s that are best there.

    A group of rows are the classes that a source says of an attribute.
    """
    n_bins = count.shape[1]
    for source in range(len(source_start) - 1):
        for group in range(source_start[source], source_start[source + 1]):
            first, last = group_start[group], group_start[group + 1]
            n_said, n_classes, base = last - first, width[group], first_class[group]
            h, new_h = np.empty(n_said), np.empty(n_said)
            share, new_share = np.empty(n_classes), np.empty(n_classes)
            start = np.empty(n_said)
            for row in range(n_said):
                start[row] = count[first + row].sum()
            start /= start.sum()
            for place in range(len(grid)):
                j = abs(grid[place])
                h[:] = start
                share[:] = prior[base : base + n_classes]
                value = 0.0
                for step in range(steps + 1):
                    value = 0.0
                    new_h[:] = 1e-12
                    new_share[:] = 1e-12
                    for row in range(n_said):
                        own = said[first + row] - base
                        p, p_s = prior[base + own], share[own]
                        u, v = p_s / p, (1.0 - p_s) / max(1.0 - p, 1e-12)
                        guess = (1.0 - j) * h[row]
                        true = guess + (j if grid[place] >= 0.0 else 0.0)
                        false = guess + (j / (n_classes - 1.0) if grid[place] < 0.0 else 0.0)
                        elsewhere = 0.0
                        for where in range(n_bins):
                            n = count[first + row, where]
                            if n > 0.0:
                                if_true = u * q[first + row, where]
                                if_false = v * (1.0 - q[first + row, where])
                                total = max(true * if_true + false * if_false, 1e-300)
                                value += n * np.log(total)
                                new_h[row] += n * guess * (if_true + if_false) / total
                                new_share[own] += n * true * if_true / total
                                elsewhere += n * false * if_false / total
                        rest = max(1.0 - p_s, 1e-12)
                        for other in range(n_classes):
                            if other != own:
                                new_share[other] += elsewhere * share[other] / rest
                    if step < steps:
                        h[:] = new_h / new_h.sum()
                        share[:] = new_share / new_share.sum()
                curve[source, place] += value
