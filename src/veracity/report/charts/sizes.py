"""Size classes: 1, 2 to 3, 4 to 7 and so on, for what has a long tail."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
#: Up to here, every number has a class of its own if there is nothing larger.
FEW = 12


def size_classes(sizes: Counts) -> tuple[Counts, list[str]]:
    """Return the class of each size (1 or more), and what the classes are called, in order.

    >>> size_classes(np.array([1, 2, 3, 40]))
    (array([0, 1, 1, 5]), ['1', '2-3', '4-7', '8-15', '16-31', '32-63'])
    >>> size_classes(np.array([3, 1]))[1]
    ['1', '2', '3']
    """
    largest = int(sizes.max())
    if largest <= FEW:
        return sizes - 1, [str(size) for size in range(1, largest + 1)]
    codes = np.floor(np.log2(sizes)).astype(np.int64)
    first = [2**code for code in range(int(codes.max()) + 1)]
    return codes, ["1", *(f"{size:,}-{2 * size - 1:,}" for size in first[1:])]
