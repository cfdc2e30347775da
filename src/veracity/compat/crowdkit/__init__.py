"""crowd-kit's methods for labels: same arguments, same attributes, only the import changes.

`GRBM`, the default model of this library, comes in the same clothes.
"""

from __future__ import annotations

from typing import NoReturn

from veracity.compat.crowdkit.dawid_skene import DawidSkene, OneCoinDawidSkene
from veracity.compat.crowdkit.glad import GLAD
from veracity.compat.crowdkit.grbm import GRBM
from veracity.compat.crowdkit.kos import KOS
from veracity.compat.crowdkit.mace import MACE
from veracity.compat.crowdkit.majority_vote import MajorityVote
from veracity.compat.crowdkit.skilled_votes import GoldMajorityVote, Wawa, ZeroBasedSkill
from veracity.errors import listing, suggestion

__all__ = [
    "GLAD",
    "GRBM",
    "KOS",
    "MACE",
    "DawidSkene",
    "GoldMajorityVote",
    "MajorityVote",
    "OneCoinDawidSkene",
    "Wawa",
    "ZeroBasedSkill",
]


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"veracity.compat.crowdkit does not offer {name!r}.{suggestion(name, __all__)} It offers "
        f"{listing(__all__)}."
    )
