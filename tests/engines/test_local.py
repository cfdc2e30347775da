"""Blocks on this machine: what is kept where, in which order, and what is left behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from veracity.data.read.scratch import LOCK, PREFIX, Scratch, remove_stale
from veracity.data.threads import default_threads
from veracity.engines.local import InMemory, LocalBlocks, Spilled
from veracity.engines.spill import Spill
from veracity.engines.sums import Counts, Joined, Largest, Scattered, Sums, Together, add

HELD = {
    "numbers": np.arange(10_000.0),
    "none": np.empty((0, 3), np.int32),
    "labels": pa.table({"label": ["a", "bb"] * 500}),
}


# The spill


def test_what_is_put_into_the_spill_comes_back(tmp_path: Path) -> None:
    spill = Spill(Scratch(tmp_path))
    frozen = np.ones(3)
    frozen.flags.writeable = False
    spill.put(HELD | {"frozen": frozen}, "held")
    found = spill.get("held")
    np.testing.assert_array_equal(found["numbers"], HELD["numbers"])
    assert found["none"].shape == (0, 3)
    assert found["labels"].equals(HELD["labels"])
    assert not found["frozen"].flags.writeable
    found["numbers"][0] = 7.0  # private: the file stays as it is
    assert spill.get("held")["numbers"] is not found["numbers"]


def test_arrays_that_are_in_the_spill_are_not_written_again(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    place = Spilled(Spill(scratch), HELD)
    derived = place.keep({"some": place.get()["numbers"][100:200], "labels": place.get()["labels"]})
    sizes = sorted(path.stat().st_size for path in scratch.folder_of("blocks").iterdir())
    assert sizes[0] < 2_000 < 80_000 < sizes[1]
    del place
    gc.collect()
    np.testing.assert_array_equal(derived.get()["some"], np.arange(100.0, 200.0))
    del derived
    gc.collect()
    assert list(scratch.folder_of("blocks").iterdir()) == []


# Scratch folders


def test_a_folder_goes_with_its_owner(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    (scratch.folder_of("inside") / "file").write_text("something")
    assert scratch.size() >= len("something")
    folder = scratch.folder
    assert folder.exists()
    del scratch
    gc.collect()
    assert not folder.exists()


def test_folders_in_use_stay_and_stale_ones_go(tmp_path: Path) -> None:
    stale, foreign = tmp_path / f"{PREFIX}stale", tmp_path / "others"
    for folder in (stale, foreign):
        folder.mkdir()
        (folder / LOCK).touch()
    program = (
        "import sys; from pathlib import Path; from veracity.data.read.scratch import Scratch\n"
        "scratch = Scratch(Path(sys.argv[1])); print(scratch.folder, flush=True); input()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    theirs = Path(other.stdout.readline().strip())
    assert not stale.exists()
    remove_stale(tmp_path)
    assert theirs.exists()
    assert foreign.exists()
    other.kill()
    other.communicate()
    assert theirs.exists()
    remove_stale(tmp_path)
    assert not theirs.exists()


# Blocks


def _numbers(held: int, more: int) -> Sums:
    return {"sum": held + more, "order": Joined((np.array([held]),))}


def test_results_come_in_the_order_of_the_blocks() -> None:
    blocks = LocalBlocks([InMemory(number) for number in range(20)], threads=3)
    total = blocks.total(_numbers, 1)
    assert total["sum"] == sum(range(20)) + 20
    assert total["order"].whole().tolist() == list(range(20))
    doubled = blocks.prepare(lambda held: 2 * held)
    assert list(doubled.results(lambda held: held)) == list(range(0, 40, 2))
    assert len(doubled) == 20


def test_several_threads_work_on_several_blocks_with_one_thread_each() -> None:
    both = threading.Barrier(2, timeout=20)

    def meet(held: int) -> tuple[int, int]:
        both.wait()  # would break if one thread did it all
        return threading.get_ident(), default_threads()

    seen = list(LocalBlocks([InMemory(0), InMemory(1)], threads=2).results(meet))
    assert len({ident for ident, _ in seen}) == 2
    assert [inner for _, inner in seen] == [1, 1]


def test_a_failure_in_a_block_is_heard() -> None:
    def fail(held: int) -> Sums:
        raise ValueError(f"block {held}")

    with pytest.raises(ValueError, match="block 0"):
        LocalBlocks([InMemory(0), InMemory(1)], threads=2).total(fail)


# Sums


def test_everything_that_blocks_return_adds() -> None:
    one: Sums = {
        "number": 1,
        "array": np.array([1.0, 2.0]),
        "scattered": Scattered(np.array([0, 2]), np.array([1.0, 1.0]), 4),
        "largest": Largest(0.5),
        "together": Together(frozenset("ab")),
        "counts": Counts(np.array([1, 2])),
    }
    other: Sums = {
        "number": 2,
        "array": np.array([3.0, 4.0]),
        "scattered": Scattered(np.array([2, 3]), np.array([5.0, 7.0]), 4),
        "largest": Largest(0.25),
        "together": Together(frozenset("bc")),
        "counts": Counts(np.array([1, 1, 4])),
    }
    total = add(add(one, other), other)
    assert total["number"] == 5
    assert total["array"].tolist() == [7.0, 10.0]
    assert total["scattered"].everywhere().tolist() == [1.0, 0.0, 11.0, 14.0]
    assert total["largest"].number == 0.5
    assert total["together"].members == frozenset("abc")
    assert total["counts"].of.tolist() == [3, 4, 8]
    assert one["scattered"].numbers.tolist() == [1.0, 1.0]  # as it was
