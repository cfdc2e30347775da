"""Snorkel's label model and analysis of labelling functions, backed by this library."""

from __future__ import annotations

from typing import NoReturn

from veracity.compat.snorkel.analysis import LFAnalysis
from veracity.compat.snorkel.label_model import LabelModel
from veracity.errors import listing, suggestion

__all__ = ["LFAnalysis", "LabelModel"]


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"veracity.compat.snorkel does not offer {name!r}.{suggestion(name, __all__)} It offers "
        f"{listing(__all__)}."
    )
