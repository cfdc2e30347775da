"""Ballots in blocks: the same passes over votes, and the same counts of all, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Joined, Largest, Scattered, Sums, Together
from veracity.models.crowd.crowd_kernels import Grids, Likelihoods, changes_of
from veracity.models.views.by_class import (
    Ballots,
    Cells,
    Tally,
    grid_of,
    questions_of_classes,
    reach_of_cells,
    typical_change,
)
from veracity.models.views.classes import Scales, values_by_attribute


@dataclass(frozen=True, eq=False)
class BallotBlock:
    """The votes of a block, and the place of its cells, and of their numbers, among all.

    They are counted on the grids of all votes, so that sums over blocks are exact.
    """

    ballots: Ballots
    cell: Indices
    number: Indices
    grids: Grids

    def tally(self, likelihoods: Likelihoods | None) -> Tally:
        """Do a pass by the likelihoods of all cells; by shares of the votes if there are none."""
        if likelihoods is None:
            return self.ballots.start(grids=self.grids)
        confusion = likelihoods.log_confusion
        own = Likelihoods(
            likelihoods.log_prior,
            self.ballots.cells.at,
            confusion[self.number] if len(confusion) else confusion,
            likelihoods.ratio[self.cell],
            likelihoods.base[self.cell],
        )
        return self.ballots.count(own, self.grids)


@dataclass(frozen=True, eq=False)
class TallyOfBlocks(Tally):
    """Counts from a pass over all blocks. Beliefs stay in the blocks; their change is returned.

    Attributes
    ----------
    likelihoods
        What the pass was done by, from which beliefs can be had again; None for shares of votes.
    change
        How much beliefs have changed since the pass that it was compared with.
    """

    likelihoods: Likelihoods | None = None
    change: float = 0.0


class BallotsInBlocks:
    """The votes of claims in blocks, for models that count by passes over `Ballots`."""

    def __init__(self, claims: ClaimsInBlocks, scales: Scales, confused: bool) -> None:
        self.scales = scales
        self._n_sources = claims.n_sources
        held = claims.blocks.prepare(_read, scales, confused)
        self.cells = _all_cells(held)
        self._blocks: Blocks[BallotBlock] = held.prepare(
            _placed, self.cells, _all_grids(held, self.cells, scales.n_classes)
        )

    @cached_property
    def cell_weight(self) -> Floats:
        """The weight of all votes of each cell; (n_cells,)."""
        total: Scattered = self._blocks.total(_weigh, len(self.cells))["weight"]
        return total.everywhere()

    def sum_by_source(self, of_cell: Floats) -> Floats:
        """Add up numbers of cells for each source; (n_sources,)."""
        return sum_by(self.cells.source, of_cell, self._n_sources)

    def start(self) -> TallyOfBlocks:
        """Count with beliefs that are shares of the votes."""
        return self._pass(None, None)

    def expect(self, likelihoods: Likelihoods, before: Tally) -> TallyOfBlocks:
        """Do the expectation step, and count for the next maximisation step.

        Beliefs are compared with those of the pass `before`.
        """
        assert isinstance(before, TallyOfBlocks)
        return self._pass(likelihoods, before.likelihoods)

    def change(self, new: Tally, old: Tally) -> float:
        """Return how much beliefs have changed since the pass before, whose tally is `old`."""
        assert isinstance(new, TallyOfBlocks)
        return new.change

    def judgement(self, tally: Tally) -> None:
        """Return nothing: beliefs stay in the blocks."""

    def _pass(self, likelihoods: Likelihoods | None, before: Likelihoods | None) -> TallyOfBlocks:
        size = int(self.cells.at[-1])
        sums = self._blocks.total(_count, before, likelihoods, len(self.cells), size)
        confusion, right = sums["confusion"].everywhere(), sums["right"].everywhere()
        return TallyOfBlocks(
            sums["log_likelihood"],
            np.concatenate([confusion, right, sums["of_class"]]),
            len(confusion),
            len(right),
            np.empty(0),
            likelihoods,
            typical_change(sums["largest_change"].number, sums["change"], sums["n_answers"]),
        )


def scales_of(claims: ClaimsInBlocks, most: int | None) -> Scales:
    """Return the classes of each attribute that has a fixed set of them."""
    found: Together = claims.blocks.total(_closed_values)["values"]
    values: dict[str, list[str]] = {}
    for name, label in found.members:
        values.setdefault(name, []).append(label)
    return Scales.of_values(claims.attributes, values, most)


def _closed_values(block: ClaimBlock) -> Sums:
    values = values_by_attribute(block.matrix)
    pairs = ((name, label) for name, labels in values.items() for label in labels)
    return {"values": Together(frozenset(pairs))}


@dataclass(frozen=True, eq=False)
class _Read:
    """The votes of a block, and its cells by their source's place among all."""

    ballots: Ballots
    cells: Cells


def _read(block: ClaimBlock, scales: Scales, confused: bool) -> _Read:
    ballots = Ballots.of(block.matrix, scales, block.known, confused)
    cells = ballots.cells
    source = block.place[cells.source]
    return _Read(ballots, Cells(source, cells.scale, cells.said, cells.width))


def _all_cells(blocks: Blocks[_Read]) -> Cells:
    """Return the cells of all blocks, sorted as those of one are."""
    parts: Joined = blocks.total(_cells_of)["cells"]
    columns = parts.whole()
    without_scale = columns[:, 1] < 0  # come last
    order = np.lexsort((*columns.T[::-1], without_scale))
    ordered = columns[order]
    first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    return Cells(*np.ascontiguousarray(ordered[first].T))


def _cells_of(read: _Read) -> Sums:
    cells = read.cells
    columns = np.stack([cells.source, cells.scale, cells.said, cells.width], axis=1)
    return {"cells": Joined((columns,))}


def _all_grids(blocks: Blocks[_Read], cells: Cells, n_classes: int) -> Grids:
    """Return how finely counts of all blocks are added up."""
    sums = blocks.total(_reach_of, cells, n_classes)
    return Grids(grid_of(sums["of_cell"].everywhere()), grid_of(sums["of_class"]))


def _reach_of(read: _Read, cells: Cells, n_classes: int) -> Sums:
    poll = read.ballots.poll
    reach = reach_of_cells(poll, len(read.cells))
    return {
        "of_cell": Scattered(cells.places(read.cells), reach, len(cells)),
        "of_class": questions_of_classes(poll, n_classes),
    }


def _placed(read: _Read, cells: Cells, grids: Grids) -> BallotBlock:
    """Find the cells of a block among all."""
    own = read.cells
    cell = cells.places(own)
    size = np.diff(own.at)
    number = np.repeat(cells.at[cell] - own.at[:-1], size) + np.arange(own.at[-1])
    return BallotBlock(read.ballots, cell, number, grids._replace(of_cell=grids.of_cell[cell]))


def _weigh(block: BallotBlock, n_cells: int) -> Sums:
    return {"weight": Scattered(block.cell, block.ballots.cell_weight, n_cells)}


def _count(
    block: BallotBlock,
    before: Likelihoods | None,
    now: Likelihoods | None,
    n_cells: int,
    n_numbers: int,
) -> Sums:
    """Do a pass over a block.

    Beliefs are not kept from one pass to the next, so that a block can be worked on anywhere:
    what they were before comes from the likelihoods of then.
    """
    tally = block.tally(now)
    old = tally if now is None else block.tally(before)
    largest, change = changes_of(tally.belief, old.belief)
    is_confused = len(tally.confusion) > 0
    return {
        "log_likelihood": tally.log_likelihood,
        "confusion": Scattered(
            block.number if is_confused else block.number[:0], tally.confusion, n_numbers
        ),
        "right": Scattered(block.cell, tally.right, n_cells),
        "of_class": tally.of_class,
        "largest_change": Largest(largest),
        "change": change,
        "n_answers": len(tally.belief),
    }
