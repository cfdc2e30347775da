"""Large plain CSV files, cut up and coded by compiled loops, some lines at a time in each thread.

While one thread numbers the labels of a column, others cut up lines or number another column. A
table for each thread would take as long for every label again, and threads meet most labels alike.
In the end labels are numbered in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import take_labels, to_arrow
from veracity.data.labels.short import label_order
from veracity.data.read import cell_kernels as kernels
from veracity.data.read.coded_column import CodedColumn
from veracity.data.read.file_lines import Lines, NotPlain, lines_of
from veracity.data.threads import default_threads, together

#: Slots of a new table; a power of two.
SLOTS = 1 << 10
#: What is put after the lines: bytes are looked at eight at a time.
AFTER = 9 * b'"'
#: Arrow's offsets reach no further.
MOST_BYTES = 2**31 - 1

Codes = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.uint64]


class _Shared:
    """Lines shared by threads: each takes the next ones, until one of them stops all."""

    def __init__(self, lines: Iterable[Lines]) -> None:
        self._lines = enumerate(lines)
        self._lock = Lock()

    def __iter__(self) -> Iterator[tuple[int, Lines]]:
        while True:
            with self._lock:
                numbered = next(self._lines, None)
            if numbered is None:
                return
            yield numbered

    def stop(self) -> None:
        """Leave the rest undone."""
        with self._lock:
            self._lines = enumerate(())


class _Labels:
    """The distinct labels of a column, in the order in which they were met.

    Attributes
    ----------
    codes
        The numbers of the labels of the lines that were added.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._slots = np.zeros(SLOTS, np.uint64)
        self._records = np.empty(SLOTS, np.uint64)
        self._counts = np.array([1, 0, 0])
        self.codes: dict[int, Codes] = {}

    @np.errstate(over="ignore")  # numbers wrap, of which numpy warns where nothing is compiled
    def add(self, number: int, eights: Numbers, first: Codes, length: Codes) -> None:
        """Number the labels of lines; those that are new get the next numbers."""
        hashes = np.empty(len(first), np.uint64)
        kernels.hash_labels(eights, first, length, hashes)
        codes = np.empty(len(first), np.int32)
        with self._lock:
            self._number(eights, first, length, hashes, codes)
            self.codes[number] = codes

    def _number(
        self, eights: Numbers, first: Codes, length: Codes, hashes: Numbers, codes: Codes
    ) -> None:
        self._make_room(2 * len(first) + len(eights) // 8)
        done = 0
        while done < len(first):
            done += kernels.number_labels(
                eights,
                first[done:],
                length[done:],
                hashes[done:],
                self._slots,
                self._records,
                self._counts,
                codes[done:],
            )
            if done < len(first):
                larger = np.zeros(2 * len(self._slots), np.uint64)
                kernels.move_slots(self._slots, larger)
                self._slots = larger

    def _make_room(self, n_more: int) -> None:
        """Make room for so many more numbers of records."""
        n_used = int(self._counts[kernels.USED])
        if n_used + n_more > len(self._records):
            larger = np.empty(2 * (n_used + n_more), np.uint64)
            larger[:n_used] = self._records[:n_used]
            self._records = larger

    def _texts(self) -> pa.StringArray:
        """Return the labels; every second text stands between two of them, and means nothing."""
        n_used, n_labels = self._counts[[kernels.USED, kernels.LABELS]].tolist()
        if 8 * n_used > MOST_BYTES:
            raise NotPlain
        bounds = np.empty(2 * n_labels + 1, np.int32)
        bounds[-1] = 8 * n_used
        kernels.find_labels(self._records, n_used, bounds)
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(self._records)]
        return pa.Array.from_buffers(pa.string(), len(bounds) - 1, buffers)

    def coded(self, have_doubled: bool) -> CodedColumn:
        """Return the column, its labels in order."""
        texts, step = self._texts(), 2
        if have_doubled:
            labels = take_labels(texts, np.arange(0, len(texts), step))
            texts, step = pc.replace_substring(labels, '""', '"'), 1
        order = label_order(texts, step)
        rank = np.empty(len(order), np.int32)
        rank[order // step] = np.arange(len(order), dtype=np.int32)
        found = np.empty(sum(map(len, self.codes.values())), np.int32)
        begin = 0
        for _, codes in sorted(self.codes.items()):
            # Without a mode, numpy would fill an array of its own and copy it.
            np.take(rank, codes, out=found[begin : begin + len(codes)], mode="clip")
            begin += len(codes)
        return CodedColumn(to_arrow(found), take_labels(texts, order))


class _Cells:
    """The cells of the wanted columns of a table, which several threads may add."""

    def __init__(self, n_columns: int, delimiter: int, wanted: Sequence[int]) -> None:
        self._n_columns = n_columns
        self._delimiter = delimiter
        self.columns = {place: _Labels() for place in wanted}
        self.have_doubled = False

    def add(self, number: int, lines: Lines) -> None:
        """Cut up lines, and number their labels."""
        text = np.frombuffer(lines.text, np.uint8)
        size = len(lines.text) // self._n_columns + 1
        first, length = np.empty((2, self._n_columns, size), np.int32)
        eights = _eights(text)
        with np.errstate(over="ignore"):
            n_rows, has_doubled = kernels.cut_up(
                text, eights, self._delimiter, lines.ending[0], self._n_columns, first, length
            )
        if n_rows == kernels.NOT_PLAIN:
            raise NotPlain
        if has_doubled:
            self.have_doubled = True
        for place, labels in self.columns.items():
            labels.add(number, eights, first[place, :n_rows], length[place, :n_rows])


def _eights(text: npt.NDArray[np.uint8]) -> Numbers:
    """View the eight bytes from each place on as a number."""
    return np.ndarray((len(text) - 7,), "<u8", text, strides=(1,))


def code_cells(
    paths: Sequence[Path], n_columns: int, delimiter: int, wanted: Sequence[int]
) -> dict[int, CodedColumn]:
    """Cut up files and code the cells of the columns that are wanted, by their place."""
    cells = _Cells(n_columns, delimiter, wanted)
    shared = _Shared(_without_headers(paths, _Cells(n_columns, delimiter, ())))

    def read() -> None:
        try:
            for number, lines in shared:
                cells.add(number, lines)
        except BaseException:
            shared.stop()
            raise

    together(default_threads() * [read])
    works = [partial(labels.coded, cells.have_doubled) for labels in cells.columns.values()]
    return dict(zip(wanted, together(works), strict=True))


def _without_headers(paths: Sequence[Path], header: _Cells) -> Iterator[Lines]:
    """Return the lines of files after their headers, which are cut up all the same."""
    for path in paths:
        lines = lines_of(path, AFTER)
        for first in islice(lines, 1):
            header.add(0, first)
        yield from lines
