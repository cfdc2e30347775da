"""A search that is cut short goes on where it was, also if its vectors are in files."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from veracity.data.arrays import Floats
from veracity.engines.checkpoints import Checkpoints, Writable
from veracity.models.grbm import vectors
from veracity.models.grbm.gradient_flow import CurvatureAt
from veracity.models.grbm.optimise import Minimised, flow_in_stage, minimise_in_stage
from veracity.models.grbm.vectors import Filed

N = 50
SCALES = np.geomspace(1.0, 1e4, N)


class CutShort(Exception):
    """The run ends here."""


class Bowl:
    """A function that can be evaluated so often."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, x: Floats) -> tuple[float, Floats, float]:
        """Return value, gradient and log-likelihood."""
        if not self.left:
            raise CutShort
        self.left -= 1
        value = 0.5 * float(SCALES @ (x - 1) ** 2)
        return value, SCALES * (x - 1), -value


def search(times: int, checkpoints: Checkpoints) -> Minimised:
    checkpoints.begin({})
    with checkpoints.used():
        bowl = Bowl(times)
        flowed = flow_in_stage(bowl, np.zeros(N), rough_curvature, 60)
        assert 5 < flowed.progress.n_iter < 50
        return minimise_in_stage(bowl, flowed, rough_curvature(np.zeros(N))(0.0), 60, 1e-12)


def rough_curvature(x: Floats) -> CurvatureAt:
    """The same in all directions."""
    return lambda damping: lambda gradient: gradient / (float(SCALES.mean()) + damping)


@pytest.mark.parametrize("times", [4, 12, 30, 50])
def test_a_search_with_vectors_in_files_goes_on(
    times: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(vectors, "IN_MEMORY", 1)
    at_once = search(1_000, Checkpoints(tmp_path / "at once", every=0.0))
    with pytest.raises(CutShort):
        search(times, Checkpoints(tmp_path / "cut short", every=0.0))
    resumed = search(1_000, Checkpoints(tmp_path / "cut short", resume=True, every=0.0))
    assert resumed.history == at_once.history
    assert isinstance(resumed.found.point.x, Filed)
    np.testing.assert_array_equal(resumed.found.point.x[:], vectors.whole(at_once.found.point.x))


def test_vectors_in_files_are_kept_a_run_at_a_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(vectors, "RUN", 1_000)
    n = 100_000
    held = {str(number): Filed([np.full(n, float(number))]) for number in range(3)}
    arrays: Writable = {"few": np.array([[True, False]]), "number": np.array(7), **held}
    tracemalloc.start()
    try:
        Checkpoints(tmp_path).write(tmp_path / "kept.safetensors", arrays, "{}")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n
    found = load_file(tmp_path / "kept.safetensors")
    assert found["few"].tolist() == [[True, False]]
    assert found["number"] == 7
    for name, vector in held.items():
        np.testing.assert_array_equal(found[name], vector[:])
