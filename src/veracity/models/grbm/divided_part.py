"""Fitting parameters that are divided by source among owners.

Claims are divided by item, so every pass has to bring together what all blocks say of a source.
With very many sources, the driver should not be where that happens, nor where the vectors of the
search are. So parameters are divided by source, and shards are owned by executors:

- A vector is a short head, the numbers that all sources share, and a tail in shards (`Divided`).
- In a pass, owners send each block the numbers of its own sources, and blocks send owners their
  part of the gradient (`veracity.engines.shards`). Owners add the parts in the order of blocks, and
  what priors pull.
- The curvature of sources is diagonal, but for a few columns (`divided_curvature`); the driver only
  needs sums to find the direction of descent.

The driver sees values, products and the head. At the end it fetches the parameters, a shard at a
time. The numbers are those of `MovingPart`, but for the order in which products are added up, and
for sources whose deviation stays at 0: in the rough curvature it is taken to be tied there, where
`MovingPart` gives it a very strong prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.engines.shards import Received
from veracity.engines.sums import Sums
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.block_route import BlockRoute
from veracity.models.grbm.claim_information import information_of_block
from veracity.models.grbm.curvature import Placed
from veracity.models.grbm.divided import Dealt, Divided
from veracity.models.grbm.divided_curvature import DividedCurvature, HeadCurvature, TailCurvature
from veracity.models.grbm.estate import Estate
from veracity.models.grbm.gradient_flow import CurvatureAt
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.observation.base import FIXED
from veracity.models.grbm.observation.confusion import shared_by_items
from veracity.models.grbm.shard_plan import HEAD, ShardPlan, n_shards

#: From so many parameters that move on, they are divided. With fewer, a broadcast to all and sums
#: for the driver take less time than the jobs by which shards are worked on.
DIVIDED_FROM = 1_000_000


def is_divided(part: MovingPart) -> bool:
    """Whether parameters are divided: they are many, and blocks can exchange numbers with owners.

    Slopes of terms are not: their curvature is tied to what claims tell of their source. Nor are
    fits that judge by speaking: its norms follow from the parameters of all sources.
    """
    many = len(part.marks) >= DIVIDED_FROM
    is_apart = part.spec.slopes is None and not part.spec.fits_speaking
    return many and part.blocks.exchanges and is_apart


class DividedPart:
    """The penalised likelihood as a function of the parameters that move, divided by source."""

    def __init__(self, part: MovingPart) -> None:
        """Divide the parameters that move."""
        self._part = part
        self.plan = ShardPlan.of(part.spec, part.marks, n_shards(len(part.marks)))
        self._exchange = part.blocks.exchange(
            BlockRoute.of, len(self.plan), part.marks, self.plan, part.stays, part.value
        )
        self._head = Estate.of(part, self.plan, HEAD)
        self._estates = self._exchange.shards(
            Dealt(len(self.plan), lambda shard: Estate.of(part, self.plan, shard))
        )

    @property
    def begin(self) -> Divided:
        """The start of those that move."""
        tail = self._estates.made(Estate.start, shared=())
        return Divided(self._head.start(), tail, self.plan)

    def laid(self, numbers: Floats) -> Divided:
        """Divide a vector that is here."""
        plan = self.plan
        parts = Dealt(len(plan), lambda shard: plan.taken(numbers, shard))
        return Divided(plan.taken(numbers, HEAD), self._exchange.shards(parts), plan)

    def whole(self, x: Floats) -> Floats:
        """Return all parameters, given those that move."""
        return self._part.whole(x)

    def evaluate(self, x: Divided) -> tuple[float, Divided, float]:
        """Return the objective, its gradient and the log-likelihood; see `Objective.evaluate`."""
        tail, told, sums = self._exchange.passed(
            x.tail, _log_likelihood, _gradient, self._estates, shared=(x.head,)
        )
        head, pull = self._head.penalised(-sums["head"], x.head)
        held = float(sum(told, self._part.held + pull))
        likelihood = sums["likelihood"]
        return 0.5 * held + sums["pull"] - likelihood, Divided(head, tail, self.plan), likelihood

    def curvature_at(self, x: Divided) -> CurvatureAt:
        """Return what divides a gradient by the curvature at `x`, damped; see `MovingPart`."""
        tail, _, sums = self._exchange.passed(
            x.tail, _information, _curvature, self._estates, shared=(x.head,)
        )
        return DividedCurvature(self._head_curvature(sums), tail).damped

    def _head_curvature(self, sums: Sums) -> HeadCurvature:
        """Return the curvature in what all sources share."""
        spec, names = self._part.spec, self._part.spec.names
        static = self._head.curvature
        together = []
        for number, attribute in enumerate(spec.attributes):
            if str(number) in self._part.curvatures:
                continue
            first = names.group_slice(str(number)).start
            shared = self._in_head(first + shared_by_items(attribute.names))
            together.append((shared, sums[str(number)] + np.diag(shared.spread(static, FIXED))))
        linear = self._in_head(names.where(*spec.linear_names))
        rest = static + sums["head"]
        if not spec.reliability.is_linear:
            rest[self._in_head(names.where("psi")).place] += sums["n"]
        square = sums["square"] + np.diag(linear.spread(static, FIXED))
        return HeadCurvature(rest, linear, square, together)

    def _in_head(self, index: Indices) -> Placed:
        """Return parameters by their places in the head, given those among all."""
        moves, place = self._part.marks.among(index)
        return Placed(moves, self.plan.locate(place)[1])


# What blocks are asked


def _log_likelihood(
    block: BlockObjective, route: BlockRoute, numbers: Sequence[Floats], head: Floats
) -> tuple[Sums, list[Floats]]:
    """Return the log-likelihood of a block, and its gradient by shard."""
    own = route.parameters(block, head, numbers)
    likelihood, pull, gradient = block.log_likelihood(own)
    sums = {"likelihood": likelihood, "pull": pull, "head": route.of_head(gradient)}
    return sums, route.messages(gradient)


def _information(
    block: BlockObjective, route: BlockRoute, numbers: Sequence[Floats], head: Floats
) -> tuple[Sums, list[tuple[Floats, Floats]]]:
    """Return the information of a block about the head, and about the parameters of each shard."""
    own = route.parameters(block, head, numbers)
    found, sums = information_of_block(block, block.spec, own)
    of_source, cross = sums.pop("of_source").numbers, sums.pop("cross").numbers
    found["source"] = of_source
    deviations = block.names.slices["source"]
    messages = []
    for place in route.own:
        is_deviation = (place >= deviations.start) & (place < deviations.stop)
        tied = cross[place[is_deviation] - deviations.start].T
        messages.append((found.values[place], np.ascontiguousarray(tied)))
    sums |= {"head": route.of_head(found.values), "n": float(of_source.sum())}
    return sums, messages


# What owners make of it


def _gradient(received: Received, x: Floats, estate: Estate) -> tuple[Floats, float]:
    """Add up a gradient; tell twice the penalty."""
    total = np.zeros(estate.size)
    for place, message in received:
        total[place] += message
    return estate.penalised(np.negative(total, out=total), x)


def _curvature(received: Received, x: Floats, estate: Estate) -> tuple[TailCurvature, None]:
    """Add up the information about a shard."""
    diagonal = estate.curvature
    cross: Any = None
    for place, (own, tied) in received:
        diagonal[place] += own
        if cross is None:
            cross = np.zeros((len(tied), estate.n_deviations))
        cross[:, place[: tied.shape[1]]] += tied
    return TailCurvature(diagonal, np.zeros((0, 0)) if cross is None else cross), None
