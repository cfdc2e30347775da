"""Data sets: drawn (`synthetic`, `customers`), shipped (`example`), or in a folder (`load`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veracity.datasets import customers, example, folder, synthetic
    from veracity.datasets.folder import Dataset, load, save

__all__ = ["Dataset", "customers", "example", "folder", "load", "save", "synthetic"]

_MODULES = ("customers", "example", "folder", "synthetic")


def __getattr__(name: str) -> Any:
    """Import a module, or a name of `folder`, when it is first asked for."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in __all__:
        return getattr(import_module(f"{__name__}.folder"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
