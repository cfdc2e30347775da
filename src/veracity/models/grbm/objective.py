"""The penalised likelihood of all claims.

The likelihood and its gradient are sums over blocks; normal priors, which draw all parameters to
their start, are added once. Claims in memory are one block.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.block_data import PreparedBlock
from veracity.models.grbm.block_objective import BlockObjective, bind_prepared
from veracity.models.grbm.even_shifts import EvenShifts
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.observation.base import AttributePrior
from veracity.models.grbm.penalty import penalise
from veracity.models.grbm.priors import (
    attribute_priors,
    centre_of,
    free_parameters,
    precision_of,
    prior_counts,
)
from veracity.models.grbm.speaking_norms import through_norms, with_speaking_norms


class Objective:
    """The penalised log-likelihood of all claims, as a function of one vector of parameters.

    Parameters
    ----------
    blocks
        The claims, prepared.
    spec
        What is fitted.
    """

    def __init__(
        self,
        blocks: Blocks[PreparedBlock],
        spec: ModelSpec,
    ) -> None:
        self.spec = spec
        self.blocks = blocks.prepare(bind_prepared, spec)

    @cached_property
    def priors(self) -> list[AttributePrior]:
        """The priors of all attributes."""
        return self.priors_of_attributes()

    def priors_of_attributes(self) -> list[AttributePrior]:
        """Work out the priors of all attributes, which are as long as the parameters."""
        return attribute_priors(self.spec, self.blocks.total(prior_counts, self.spec))

    @cached_property
    def centre(self) -> Floats:
        """The means of the priors, from which the fit starts."""
        if self.spec.start is not None:
            return self.spec.start
        return centre_of(self.spec, self.priors)

    @cached_property
    def precision(self) -> Floats:
        """The precisions of the priors."""
        if self.spec.penalty is not None:
            return np.full(self.spec.names.size, self.spec.penalty)
        return precision_of(self.spec, self.priors)

    @cached_property
    def is_free(self) -> Mask:
        """Mark the parameters that move."""
        return free_parameters(self.spec, self.precision)

    @cached_property
    def _even_shifts(self) -> EvenShifts:
        """The directions that make no difference."""
        return EvenShifts.of(self.spec.attributes, self.spec.names)

    def evaluate(self, x: Floats) -> tuple[float, Floats, float]:
        """Return the negative penalised log-likelihood, its gradient, and the log-likelihood."""
        speaks = self.spec.fits_speaking
        sent = with_speaking_norms(self.spec, x) if speaks else x
        sums = self.blocks.total(_log_likelihood, sent)
        likelihood, ascent = sums["likelihood"], sums["gradient"].everywhere()
        if speaks:
            ascent = through_norms(self.spec, sent, ascent)
        gradient = np.empty_like(x)
        held = penalise(x, self.centre, self.precision, ascent, self.is_free, gradient)
        loss = 0.5 * held + sums["pull"] - likelihood
        self._even_shifts.take_from(gradient)
        return loss, gradient, likelihood


def _log_likelihood(block: BlockObjective, x: Floats) -> Sums:
    likelihood, pull, gradient = block.log_likelihood(block.own(x))
    scattered = Scattered(block.index, gradient, len(x))
    return {"likelihood": likelihood, "pull": pull, "gradient": scattered}
