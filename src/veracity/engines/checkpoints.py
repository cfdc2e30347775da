"""Checkpoints: the state of a long fit, kept on disk, so that it can go on after a crash.

A run is a series of fits, each of which is a stage. A stage keeps its state every few minutes, and
what it came to at its end. A run that goes on takes what finished stages came to, and continues the
one that was under way from where it was last kept; from there it does what it would have done.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from veracity.errors import InputError, listing

#: Seconds between two checkpoints, if nothing is said.
EVERY = 120.0
#: What a checkpoint is a checkpoint of.
RUN = "run.json"
PART = ".part"

#: What safetensors calls the types of numbers.
TYPES = {
    "float64": "F64",
    "float32": "F32",
    "int64": "I64",
    "int32": "I32",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
}

Arrays = dict[str, npt.NDArray[Any]]


class InPieces(Protocol):
    """An array that is not in memory, at least not as a whole."""

    dtype: np.dtype[Any]

    def __len__(self) -> int: ...

    def pieces(self) -> Iterator[npt.NDArray[Any]]:
        """Return it piece by piece."""


#: What can be kept.
Writable = Mapping[str, npt.NDArray[Any] | InPieces]


@dataclass(frozen=True, eq=False)
class Kept:
    """The state of a stage: plain data, arrays, and whether the stage came to its end."""

    plain: dict[str, Any]
    arrays: Arrays
    ended: bool


class Stage:
    """One fit of a run. Outside of a run that has checkpoints, nothing is kept."""

    def __init__(self, path: Path | None = None, run: Checkpoints | None = None) -> None:
        self._path, self._run = path, run

    def kept(self) -> Kept | None:
        """Return the state that was kept, if there is one."""
        if self._path is None or not self._path.exists():
            return None
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self._path, "np") as file:
                names = list(file.keys())
                arrays = {name: np.array(file.get_tensor(name)) for name in names}
                plain = json.loads(file.metadata()["plain"])
        except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"The checkpoint {self._path} is damaged: {error}. Start anew without --resume."
            ) from error
        return Kept(plain["state"], arrays, plain["ended"])

    def keep(
        self, state: Callable[[], tuple[dict[str, Any], Writable]], *, ended: bool = False
    ) -> None:
        """Keep the state of the stage, if it is time to."""
        if self._path is None or self._run is None or not self._run.is_due():
            return
        plain, arrays = state()
        described = json.dumps({"state": plain, "ended": ended})
        try:
            self._run.write(self._path, arrays, described)
        except OSError:  # a full disk, say: the fit itself can go on
            self._path.with_suffix(PART).unlink(missing_ok=True)


class Checkpoints:
    """The checkpoints of a run, in a folder of their own, which is there once it is needed."""

    def __init__(self, folder: Path, *, resume: bool = False, every: float = EVERY) -> None:
        self.folder, self.resume, self.every = folder, resume, every
        self._n_stages = 0
        self._last = time.monotonic()
        self._described: dict[str, Any] = {}

    def begin(self, run: Mapping[str, Any]) -> None:
        """Start anew or, to resume, check that the checkpoints belong to this run."""
        self._described = json.loads(json.dumps(run, default=str))
        place = self.folder / RUN
        if not self.resume or not place.exists():
            self.remove()
            return
        before = json.loads(place.read_text(encoding="utf-8"))
        differs = [name for name, what in self._described.items() if before.get(name) != what]
        if differs:
            raise InputError(
                f"The checkpoints in {self.folder} belong to another run: {listing(differs)} "
                "differ. Use the same settings, or start anew without --resume."
            )

    def next_stage(self) -> Stage:
        """Return the next fit of the run."""
        self._n_stages += 1
        return Stage(self.folder / f"stage-{self._n_stages}.safetensors", self)

    def is_due(self) -> bool:
        """Whether the last checkpoint, or the start of the run, is long enough ago."""
        return time.monotonic() - self._last >= self.every

    def write(self, path: Path, arrays: Writable, described: str) -> None:
        """Write the state of a stage, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / RUN).exists():
            _replace(self.folder / RUN, lambda part: _write_json(part, self._described))
        _replace(path, lambda part: _write_arrays(part, arrays, described))
        self._last = time.monotonic()

    def remove(self) -> None:
        """Remove the checkpoints of a run that is done."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def used(self) -> Iterator[None]:
        """Let the fits within keep their state here."""
        token = _used.set(self)
        try:
            yield
        finally:
            _used.reset(token)


def _replace(path: Path, write: Callable[[Path], None]) -> None:
    """Write a file beside another, and put it in its place once it is whole."""
    part = path.with_suffix(PART)
    write(part)
    with open(part, "rb+") as file:
        os.fsync(file.fileno())
    os.replace(part, path)


def _write_arrays(path: Path, arrays: Writable, described: str) -> None:
    """Write arrays as safetensors does, but one after the other: together they may be large."""
    header: dict[str, Any] = {"__metadata__": {"plain": described}}
    end = 0
    for name, array in arrays.items():
        shape = array.shape if isinstance(array, np.ndarray) else (len(array),)
        first, end = end, end + math.prod(shape) * array.dtype.itemsize
        kind = TYPES[array.dtype.name]
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": (first, end)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for array in arrays.values():
            pieces = [array] if isinstance(array, np.ndarray) else array.pieces()
            for piece in pieces:
                file.write(np.ascontiguousarray(piece).data)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


_used: ContextVar[Checkpoints | None] = ContextVar("checkpoints", default=None)


def next_stage() -> Stage:
    """Return the next fit of the run that is under way; outside of one, nothing is kept."""
    checkpoints = _used.get()
    return Stage() if checkpoints is None else checkpoints.next_stage()
