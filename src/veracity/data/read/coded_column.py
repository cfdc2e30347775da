"""A column of text whose labels are in order and have codes already."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column that was coded while it was read.

    Attributes
    ----------
    codes
        The place of each cell among the labels; (n_rows,).
    labels
        The distinct cells, in order.
    """

    codes: pa.Int32Array
    labels: pa.StringArray

    #: The type of the cells.
    type = pa.string()

    def __len__(self) -> int:
        return len(self.codes)

    def cells(self) -> pa.DictionaryArray:
        """Return the column as a dictionary, which is said to be in order."""
        return pa.DictionaryArray.from_arrays(self.codes, self.labels, ordered=True, safe=False)
