"""The example: a guide to an invented city, whose sites contradict each other."""

from __future__ import annotations

from pathlib import Path

from veracity.datasets.folder import Dataset
from veracity.datasets.folder import load as load_folder


def path() -> Path:
    """Return the file that holds the claims of the example."""
    return Path(__file__).parent / "claims.csv"


def load() -> Dataset:
    """Load the example: some 4,000 claims of 36 sites about 220 venues, with the truth.

    Examples
    --------
    >>> from veracity.datasets import example
    >>> example.load().name
    'example'
    """
    return load_folder(path().parent)
