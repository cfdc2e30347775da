"""Mini-batches for a function that reads sequences: a batch holds whole sequences.

Of items, a batch is some of them, and needs theta of their units alone. Of sources, a batch is some
sources. A statement of which they speak has other sources too: theta of these is held at what it
was when their own batch came last, or at the last look at all claims. The likelihood is that of all
claims, a pass which is cheap beside the network; its gradient in theta is carried back through the
sequences of the batch. Over a pass, the batches add up to the gradient of all, but for how far
theta of others has moved meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.contrastive_divergence import BatchFit
from veracity.models.grbm.observation.units import diverge, summarise, summarise_machines
from veracity.models.grbm.sequences import Past


@dataclass(frozen=True, eq=False)
class SequenceBatchFit(BatchFit):
    """A fit by mini-batches of whole items, statements or sources."""

    #: g of each row as it was last computed; (n_rows, 3).
    last_value: list[Floats] = field(default_factory=list)

    @property
    def by_source(self) -> bool:
        """Whether batches are made of sources."""
        return self.objective.spec.reliability.sequence == "source"

    @property
    def past(self) -> Past:
        """What came before each row."""
        past = self.block.data.rows.past
        assert past is not None
        return past

    @property
    def n_members(self) -> int:
        """How many sources, items or machines batches are made of."""
        return len(self.block.place) if self.by_source else super().n_members

    @cached_property
    def member_rows(self) -> tuple[Indices, Indices]:
        """The rows in the order of their sources or statements, and where those of each begin."""
        group, n = self.past.sequence, self.past.n_sequences
        order = np.argsort(group, kind="stable")
        return order, np.append(0, np.cumsum(np.bincount(group, minlength=n)))

    def rows_of(self, sequences: Indices) -> Indices:
        """Return the rows of some sequences."""
        order, start = self.member_rows
        return np.concatenate([order[start[one] : start[one + 1]] for one in sequences.tolist()])

    def log_likelihood(self, x: Floats) -> float:
        """Return the exact log-likelihood of all claims, and keep g of every row."""
        self._look_at_all(x)
        own = self.block.own(x)
        (group,) = self.block.observations
        b0 = own.group(group).number("global_hidden_bias")
        theta = self.model.theta(self._eta(x))
        return summarise(self.model.units, theta, b0, self.block.data.threads)[0].log_likelihood

    def gradient(self, x: Floats, batch: Indices, seed: int) -> Floats:
        """Return the ascent direction of a batch, its share of the penalty included, per item."""
        if not self.last_value:
            self._look_at_all(x)
        block, model, settings = self.block, self.model, self.settings
        units, own, spec = model.units, block.own(x), self.objective.spec
        if self.by_source:
            sequences, machines = batch, np.arange(units.n_machines)
        else:
            machines = units.machines_of(batch) if settings.batch_by == "item" else batch
            sequences = machines
        rows = self.rows_of(sequences)
        value, pullback = spec.reliability.vjp(
            own["psi"], block.data.rows.features[rows], self.past.part(rows)
        )
        self.last_value[0][rows] = value
        eta = self._eta(x)
        (group,) = block.observations
        theta, b0 = model.theta(eta), own.group(group).number("global_hidden_bias")
        if settings.cd_steps is None:
            summary = summarise_machines(units, theta, b0, machines)
        else:
            summary = diverge(units, theta, b0, machines, settings.cd_steps, seed)
        share = len(batch) / self.n_members
        _, of_own, ascent = model.gradient(eta, theta, summary)
        _, force = block.anchor(eta)
        delta = np.zeros_like(eta)
        delta[rows] = (ascent - force)[rows]
        of_own = of_own * share if self.by_source else of_own
        gradient = block.gradient(own, delta, lambda d: pullback(d[rows]), {group: of_own})
        pull = self.objective.precision * (x - self.objective.centre)
        return (gradient - share * pull) / (share * units.roles.n_items)

    def _look_at_all(self, x: Floats) -> None:
        rows, own = self.block.data.rows, self.block.own(x)
        self.last_value[:] = [
            self.objective.spec.reliability.vjp(own["psi"], rows.features, rows.past)[0]
        ]

    def _eta(self, x: Floats) -> Floats:
        """Return eta of each row, with the values of g that were computed last."""
        own, value = self.block.own(x), self.last_value[0]
        return value + own["source"][self.block.data.source_of_row] if "source" in own else value
