"""Vectors in files: the same numbers as in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from veracity.data.arrays import Floats
from veracity.errors import OutputError
from veracity.models.grbm import vectors
from veracity.models.grbm.vectors import (
    Filed,
    along,
    copied,
    difference,
    dot,
    dots,
    largest,
    products,
    pulled,
    stored,
    subtract,
    whole,
)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a vector be long from four numbers on, and a run be three."""
    monkeypatch.setattr(vectors, "IN_MEMORY", 3)
    monkeypatch.setattr(vectors, "RUN", 3)


ONE, OTHER = np.array([1.0, -9.0, 0.5, 4.0, 2.0, 0.0, 3.0]), np.arange(7.0)


@pytest.mark.parametrize("left", [ONE, Filed([ONE])])
@pytest.mark.parametrize("right", [OTHER, Filed([OTHER[:2], OTHER[2:]])])
def test_vectors_in_files_are_worked_on_as_in_memory(
    left: Floats | Filed, right: Floats | Filed
) -> None:
    assert dot(left, right) == ONE @ OTHER
    assert largest(left) == 9.0
    np.testing.assert_array_equal(whole(difference(left, right)), ONE - OTHER)
    np.testing.assert_array_equal(along(left, 0.5, right), ONE + 0.5 * OTHER)
    found = copied(left)
    subtract(found, np.array([2.0, 0.5]), [right, left])
    np.testing.assert_array_equal(found, ONE - 2.0 * OTHER - 0.5 * ONE)
    np.testing.assert_array_equal(whole(left), ONE)  # and not what was found
    assert list(products(left, right)) == [ONE @ OTHER, ONE @ ONE, OTHER @ OTHER]
    np.testing.assert_array_equal(
        dots([left, right, left], right, left),
        [[ONE @ OTHER, OTHER @ OTHER, ONE @ OTHER], [ONE @ ONE, OTHER @ ONE, ONE @ ONE]],
    )
    square, gradient = pulled(left, 3.0, right, left)
    assert square == (OTHER - ONE) @ (OTHER - ONE)
    np.testing.assert_array_equal(gradient, ONE + 3.0 * (OTHER - ONE))


def test_long_vectors_are_stored_in_files_that_go_with_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert not isinstance(stored(ONE[:3]), Filed)
    held = stored(ONE)
    assert isinstance(held, Filed)
    assert held[2:5].tolist() == ONE[2:5].tolist()
    assert len(difference(held, held)) == len(held) == 7
    del held
    assert not list(tmp_path.iterdir())


def test_a_vector_of_nothing() -> None:
    nothing = np.empty(0)
    assert largest(nothing) == dot(nothing, nothing) == 0.0


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    class FullFile:
        write = full

        def close(self) -> None:
            """Do nothing."""

    monkeypatch.setattr("tempfile.TemporaryFile", FullFile)
    with pytest.raises(OutputError, match="The disk is full"):
        Filed([ONE])
