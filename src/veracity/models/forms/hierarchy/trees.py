"""Trees: the values of each item as a tree, with the claims about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.blocks import ClaimBlock
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import TRUE, UNKNOWN, KnownTruth
from veracity.models.forms.hierarchy.kernels import count_turns, plant, weigh, weigh_all


@dataclass(frozen=True, eq=False)
class Turns:
    """What was counted of each source: right turns, all turns, and further numbers.

    The columns of `of_source` are compatible claims, those of them that others make more specific,
    the sum of depths, and the sum of weights.
    """

    right: Floats
    turns: Floats
    of_source: Floats
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The posterior: that the truth lies within each node, and that it is named by no child."""

    inside: Floats
    own: Floats
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class Trees:
    """The trees of the items of a block, and its claims as places in them.

    Attributes
    ----------
    matrix
        The claims.
    start
        Where the nodes of each item begin; (n_items + 1,).
    parent
        The parent of each node, -1 at the top of an item; (n_nodes,).
    depth, name
        How deep each node is in the hierarchy, 1 for a root, and its number in the lineages.
    statement
        The statement of each node, -1 if nobody claims it.
    n_below, n_top
        How many nodes are right below each node, and at the top of each item.
    node_of_claim
        The node that each claim names.
    allowed, allowed_top
        The nodes that may be the truth, and the items whose truth may be none of them.
    """

    matrix: ClaimMatrix
    start: Indices
    parent: Indices
    depth: Indices
    name: Indices
    statement: Indices
    n_below: Indices
    n_top: Indices
    node_of_statement: Indices
    node_of_claim: Indices
    allowed: Mask
    allowed_top: Mask

    @classmethod
    def of(cls, block: ClaimBlock) -> Trees:
        """Plant the trees of all items of a block, whose attributes have hierarchies."""
        matrix = block.matrix
        lineages = matrix.lineages
        assert lineages is not None
        path, depths = lineages.path, lineages.depth
        columns = [path[:, level] for level in range(path.shape[1] - 1, -1, -1)]
        order = np.lexsort((*columns, matrix.item_of_statement))
        planted = plant(path.astype(np.int64), depths, order, matrix.statement_start)
        by_depth = np.lexsort((planted[2], planted[0]))
        item, parent, depth, statement, name = (column[by_depth] for column in planted)
        place = np.empty(len(by_depth), np.int64)
        place[by_depth] = np.arange(len(by_depth))
        parent = np.where(parent >= 0, place[parent], -1)
        claimed = statement >= 0
        node_of_statement = np.empty(matrix.n_statements, np.int64)
        node_of_statement[statement[claimed]] = np.flatnonzero(claimed)
        inner = parent >= 0
        allowed, allowed_top = _allowed(matrix, block.known, node_of_statement, item, depth)
        return cls(
            matrix,
            np.searchsorted(item, np.arange(matrix.n_items + 1)),
            parent,
            depth,
            name,
            statement,
            np.bincount(parent[inner], minlength=len(item)),
            np.bincount(item[~inner], minlength=matrix.n_items),
            node_of_statement,
            node_of_statement[matrix.statement_index],
            allowed,
            allowed_top,
        )

    @property
    def item(self) -> Indices:
        """The item of each node; (n_nodes,)."""
        return np.repeat(np.arange(self.matrix.n_items), np.diff(self.start))

    def beliefs(self, rates: Floats) -> Beliefs:
        """Return the posterior, given how often each source turns right at forks."""
        inside, own = np.empty(len(self.parent)), np.empty(len(self.parent))
        weight = self.matrix.claim_weight
        total = weigh_all(*self._arguments(rates, weight), inside, own)
        return Beliefs(inside, own, float(total))

    def beliefs_at(self, item: int, rates: Floats, weight: Floats) -> Beliefs:
        """Return the posterior of one item, with other weights; other items are left empty."""
        inside, own = np.empty(len(self.parent)), np.empty(len(self.parent))
        total = weigh(item, *self._arguments(rates, weight), inside, own)
        return Beliefs(inside, own, float(total))

    def _arguments(self, rates: Floats, weight: Floats) -> tuple[object, ...]:
        matrix = self.matrix
        return (
            matrix.claim_start,
            self.start,
            self.parent,
            self.n_below,
            self.n_top,
            self.node_of_claim,
            matrix.claim_value == 1,
            weight,
            np.log(rates),
            np.log1p(-rates),
            matrix.source_index,
            self.allowed,
            self.allowed_top,
        )

    def turns(self, rates: Floats) -> Turns:
        """Count what sources do, given how often each turns right."""
        matrix, found = self.matrix, self.beliefs(rates)
        right, turns = np.zeros(matrix.n_sources), np.zeros(matrix.n_sources)
        of_source = np.zeros((matrix.n_sources, 4))
        count_turns(
            self.parent,
            self.depth,
            self.node_of_claim,
            matrix.claim_value == 1,
            matrix.claim_weight,
            matrix.source_index,
            found.inside,
            found.own,
            right,
            turns,
            of_source,
        )
        return Turns(right, turns, of_source, found.log_likelihood)


def _allowed(
    matrix: ClaimMatrix,
    known: KnownTruth | None,
    node_of_statement: Indices,
    item: Indices,
    depth: Indices,
) -> tuple[Mask, Mask]:
    """Return which nodes may be the truth of their items, and where it may be none of them.

    Of a given truth that nobody claims, the claimed value right above it is known to hold: it is
    the deepest that is not known to be false.
    """
    allowed, top = np.ones(len(item), np.bool_), np.ones(matrix.n_items, np.bool_)
    if known is None or not known.settled.any():
        return allowed, top
    allowed[known.settled[item]] = False
    top[known.settled] = False
    state = known.statement
    for own in np.flatnonzero(known.settled).tolist():
        first, last = matrix.statement_start[own], matrix.statement_start[own + 1]
        true = np.flatnonzero(state[first:last] == TRUE)
        if not len(true):
            above = np.flatnonzero(state[first:last] == UNKNOWN)
            true = above[np.argsort(depth[node_of_statement[first + above]])][-1:]
        if len(true):
            allowed[node_of_statement[first + true]] = True
        else:  # all are known to be false
            top[own] = True
    return allowed, top
