"""Objects in files, whose arrays are mapped into memory instead of being read.

What a pass does not touch is never read, and what it has touched takes no memory once it is done.
An array that is already in a file of the spill is not written again: the file is named instead.
"""

from __future__ import annotations

import io
import mmap
import pickle
import weakref
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from veracity.data.read.scratch import Scratch, writing

ALIGNED = 64
#: The package whose objects threads share.
OURS = __name__.partition(".")[0]


@dataclass(frozen=True)
class _Piece:
    """Where the bytes of an array are: in which file, from where on, and how many."""

    file: str
    first: int
    size: int


class Spill:
    """A folder of objects. Only what this process wrote there itself is ever read."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch  # stays as long as anything on the spill may be asked for
        self.folder = scratch.folder_of("blocks")
        self._mapped: weakref.WeakValueDictionary[str, _Mapped] = weakref.WeakValueDictionary()
        self._opening = Lock()  # threads open files while others look through them

    def put(self, made: Any, name: str) -> None:
        """Write an object to a file of that name."""
        buffers: list[pickle.PickleBuffer] = []
        described = io.BytesIO()
        _Pickler(described, protocol=5, buffer_callback=buffers.append).dump(made)
        views = [buffer.raw() for buffer in buffers]
        with self._opening:
            known = list(self._mapped.values())
        with writing(self.folder.parent.parent), open(self.folder / name, "wb") as file:
            pieces = []
            for view in views:
                piece = next(filter(None, (mapped.place_of(view) for mapped in known)), None)
                if piece is None:
                    file.write(bytes(-file.tell() % ALIGNED))
                    piece = _Piece(name, file.tell(), view.nbytes)
                    file.write(view)
                pieces.append(piece)
            start = file.tell()
            file.write(pickle.dumps((described.getvalue(), pieces), protocol=5))
            file.write(start.to_bytes(8, "little"))

    def get(self, name: str) -> Any:
        """Return the object in a file of that name."""
        own = self._open(name)
        described, pieces = pickle.loads(own.tail())  # noqa: S301 - written by us, in a private folder
        files = {name: own}
        for piece in pieces:
            if piece.file not in files:
                files[piece.file] = self._open(piece.file)
        buffers = [files[piece.file].view(piece) for piece in pieces]
        return pickle.loads(described, buffers=buffers)  # noqa: S301 - as above

    def _open(self, name: str) -> _Mapped:
        mapped = self._mapped.get(name)
        if mapped is None:
            with open(self.folder / name, "rb") as file:
                # Private to this process: compiled code wants arrays that could be written to.
                mapped = _Mapped(file.fileno(), 0, access=mmap.ACCESS_COPY)
            mapped.name = name
            with self._opening:
                self._mapped[name] = mapped
        return mapped


class _Pickler(pickle.Pickler):
    """Describes objects of ours as they are at one moment.

    Blocks share what all of them need. While one thread describes it, another may be the first to
    ask for something that it works out and keeps.
    """

    def reducer_override(self, obj: Any) -> Any:
        """Return how an object is made again, with a copy of its attributes."""
        if isinstance(obj, type) or not type(obj).__module__.startswith(OURS):
            return NotImplemented
        made: Any = obj.__reduce_ex__(5)
        if isinstance(made, str) or len(made) < 3 or not hasattr(obj, "__dict__"):
            return made
        state = made[2]
        return (*made[:2], state.copy() if state is vars(obj) else state, *made[3:])


class _Mapped(mmap.mmap):
    """A file in memory; it stays there as long as an array within it is in use."""

    name: str

    def tail(self) -> memoryview:
        """Return the description of the object, which comes after its arrays."""
        start = int.from_bytes(self[-8:], "little")
        return memoryview(self)[start:-8]

    def view(self, piece: _Piece) -> memoryview:
        """Return the bytes of an array."""
        return memoryview(self)[piece.first : piece.first + piece.size]

    def place_of(self, view: memoryview) -> _Piece | None:
        """Return where bytes are in this file, if they are."""
        first = _address(view) - _address(self)
        inside = view.nbytes and first >= 0 and first + view.nbytes <= len(self)
        return _Piece(self.name, first, view.nbytes) if inside else None


def _address(of: Any) -> int:
    return int(np.frombuffer(of, np.uint8).__array_interface__["data"][0]) if len(of) else -1
