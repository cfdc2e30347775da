"""Observation models: how a source speaks, given the truth."""

from __future__ import annotations

from veracity.models.grbm.observation.base import ObservationModel
from veracity.models.grbm.observation.confusion import Confusion
from veracity.models.grbm.observation.free_binary import FreeBinary, TiedBinary
from veracity.models.grbm.observation.lures import Lures
from veracity.models.grbm.observation.one_coin import OneCoin
from veracity.models.grbm.observation.per_statement import PerStatement

#: The observation model of each form of an attribute.
OBSERVATION_MODELS: dict[str, type[ObservationModel]] = {
    "one-coin": OneCoin,
    "lures": Lures,
    "confusion": Confusion,
    "per-statement": PerStatement,
    "free-binary": FreeBinary,
    "tied-binary": TiedBinary,
}
