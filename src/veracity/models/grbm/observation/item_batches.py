"""Items put together in batches, whose claims a compiled pass works on side by side.

The claims of a batch are laid out in rows of `LANES` places. As a rule each lane is an item, and a
batch has items with about as many claims. An item with more claims than there are lanes is a batch
of its own, its claims spread over all lanes. Places without a claim refer to a cell that tells
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Indices, Mask
from veracity.data.compiled import compiled

#: Items of a batch, or claims of an item in one row.
LANES = 64
#: Items that are put in order together; a stretch of items is a stretch of batches.
STRETCH = 65_536


@dataclass(frozen=True, eq=False)
class ItemBatches:
    """Some of the items of an attribute, in batches.

    Attributes
    ----------
    start
        Where the places of each batch begin; (n_batches + 1,).
    is_wide
        Marks the batches that are one item.
    item_of_lane
        The item of each lane, -1 for none; that of a wide batch is in its first lane;
        (n_batches, LANES).
    cell, said_class
        Of the claim at each place: where its numbers are, and the class that it names, -1 for none.
    of_stretch
        Where the batches of each stretch of items begin; (n_stretches + 1,).
    """

    start: Indices
    is_wide: Mask
    item_of_lane: npt.NDArray[np.int32]
    cell: npt.NDArray[np.int32]
    said_class: npt.NDArray[np.int16]
    of_stretch: Indices

    @classmethod
    def of(
        cls,
        chosen: Mask,
        claim_start: Indices,
        said_class: npt.NDArray[np.int32],
        cell: npt.NDArray[np.int32],
        no_cell: int,
    ) -> ItemBatches:
        """Lay out the claims of the chosen items.

        Parameters
        ----------
        chosen
            Marks the items.
        claim_start
            Where the claims of each item begin; (n_items + 1,).
        said_class, cell
            Of each claim; a claim without a class is left out.
        no_cell
            The cell of a place without a claim.
        """
        n_counted = _count(claim_start, said_class)
        items, of_stretch, n_rows, is_wide = [], [0], [], []
        for first in range(0, max(len(chosen), 1), STRETCH):
            here = first + np.flatnonzero(chosen[first : first + STRETCH])
            here = here[np.argsort(n_counted[here], kind="stable")]
            n_wide = int((n_counted[here] > LANES).sum())
            narrow, wide = here[: len(here) - n_wide], here[len(here) - n_wide :]
            n_narrow = -(-len(narrow) // LANES)
            lanes = np.full((n_narrow + n_wide, LANES), -1, np.int32)
            lanes[:n_narrow].ravel()[: len(narrow)] = narrow
            lanes[n_narrow:, 0] = wide
            items.append(lanes)
            n_rows.append(
                n_counted[lanes[:n_narrow]].max(axis=1, initial=0, where=lanes[:n_narrow] >= 0)
            )
            n_rows.append(-(-n_counted[wide] // LANES))
            is_wide.append(np.arange(len(lanes)) >= n_narrow)
            of_stretch.append(of_stretch[-1] + len(lanes))
        start = np.append(0, np.cumsum(np.concatenate(n_rows))) * LANES
        item_of_lane, wide_batch = np.concatenate(items), np.concatenate(is_wide)
        cells = np.full(start[-1], no_cell, np.int32)
        classes = np.full(start[-1], -1, np.int16)
        _lay_out(start, wide_batch, item_of_lane, claim_start, said_class, cell, cells, classes)
        return cls(start, wide_batch, item_of_lane, cells, classes, np.array(of_stretch))

    @property
    def most_rows(self) -> int:
        """Rows of a batch at most."""
        return int(np.diff(self.start).max(initial=0)) // LANES

    def arrays(self) -> tuple[Any, ...]:
        """The arrays that the kernel begins with."""
        return self.start, self.is_wide, self.item_of_lane, self.cell, self.said_class


@compiled
def _count(claim_start: Any, said_class: Any) -> Any:
    """Count the claims of each item that name a class."""
    n_items = len(claim_start) - 1
    found = np.zeros(n_items, np.int64)
    for item in range(n_items):
        for claim in range(claim_start[item], claim_start[item + 1]):
            found[item] += said_class[claim] >= 0
    return found


@compiled
def _lay_out(
    start: Any,
    is_wide: Any,
    item_of_lane: Any,
    claim_start: Any,
    said_class: Any,
    cell: Any,
    cells: Any,
    classes: Any,
) -> None:
    """Set the cell and the class at each place."""
    for batch in range(len(is_wide)):
        step = 1 if is_wide[batch] else LANES
        for lane in range(LANES):
            item = item_of_lane[batch, lane]
            if item < 0:
                continue
            place = start[batch] + lane
            for claim in range(claim_start[item], claim_start[item + 1]):
                if said_class[claim] >= 0:
                    cells[place] = cell[claim]
                    classes[place] = said_class[claim]
                    place += step
