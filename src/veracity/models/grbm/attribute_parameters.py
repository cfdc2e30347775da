"""What was learned about an attribute, to judge other claims by."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.data.encode.grouping import among
from veracity.models.grbm.forms import Block


@dataclass(frozen=True, eq=False)
class FittedBlock:
    """The parameters of an attribute after a fit.

    Attributes
    ----------
    block
        The attribute and its form.
    classes
        The values of a closed attribute that is judged by classes.
    sources
        The sources that spoke about it, by their place among all, in order.
    heavy
        Those of `sources`, by their place there, that have deviations B.
    own
        The vector of parameters.
    lookup
        The place among all sources of the fit of each source of another table, -1 for those that
        were not there; None for the sources of the fit itself.
    """

    block: Block
    classes: tuple[str, ...]
    sources: Indices
    heavy: Indices
    own: Floats
    lookup: Indices | None = None

    def place_of(self, sources: Indices) -> Indices:
        """Return the place of sources among ours, -1 for those that did not speak."""
        if self.lookup is not None:
            sources = self.lookup[sources]
        if not len(self.sources):
            return np.full(len(sources), -1)
        place = np.minimum(np.searchsorted(self.sources, sources), len(self.sources) - 1)
        return np.where(self.sources[place] == sources, place, -1)

    def is_heavy(self, sources: Indices) -> npt.NDArray[np.bool_]:
        """Whether sources have deviations B."""
        return among(self.place_of(sources), self.heavy)

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return it as plain data and arrays."""
        arrays = {"sources": self.sources, "heavy": self.heavy, "own": self.own}
        return {"block": asdict(self.block), "classes": list(self.classes)}, arrays

    @classmethod
    def of_state(cls, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> FittedBlock:
        """Take over what `state` returned."""
        block = Block(**state["block"])
        return cls(
            block, tuple(state["classes"]), arrays["sources"], arrays["heavy"], arrays["own"]
        )
