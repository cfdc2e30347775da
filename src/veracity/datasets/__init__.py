"""Data sets: drawn (`synthetic`, `customers`, `incidents`), shipped (`example`), read (`load`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veracity.datasets import customers, example, folder, incidents, synthetic
    from veracity.datasets.folder import Dataset, load, save

__all__ = ["Dataset", "customers", "example", "folder", "incidents", "load", "save", "synthetic"]

_MODULES = ("customers", "example", "folder", "incidents", "synthetic")


def __getattr__(name: str) -> Any:
    """Import a module, or a name of `folder`, when it is first asked for."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in __all__:
        return getattr(import_module(f"{__name__}.folder"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
