"""The parts of the likelihood: one for each attribute, in the form that it takes.

Every part is a sum over items, made by a compiled loop over a range of them, so that threads (and
blocks on disk, and partitions of a cluster) run the same code and their results add.
"""

from __future__ import annotations

from veracity.models.grbm.observation.confusion import ClassPart
from veracity.models.grbm.observation.one_coin import CoinPart
from veracity.models.grbm.observation.per_statement import BinaryPart

Part = CoinPart | ClassPart | BinaryPart
PARTS: dict[str, type[CoinPart] | type[ClassPart] | type[BinaryPart]] = {
    "coin": CoinPart,
    "classes": ClassPart,
    "binary": BinaryPart,
}
