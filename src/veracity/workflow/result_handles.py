"""The result tables of a run, held open from the start, so that all belong to one state of it."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from veracity.data.output.result_files import result_path, table_in
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InputError
from veracity.workflow.files import (
    CLASHES_TABLE,
    CONFUSIONS,
    LABEL_TABLES,
    RESULT_TABLES,
    TIMELINES,
    TRUTH_FILE,
)
from veracity.workflow.manifest import check_content


class ResultHandles:
    """The tables of a folder that are there when this is made; each is read when asked for."""

    def __init__(self, folder: Path, description: Mapping[str, Any]) -> None:
        self._folder, self._description = folder, description
        self._open: dict[str, tuple[Path, BufferedReader]] = {}
        for name in (*RESULT_TABLES, *LABEL_TABLES, CLASHES_TABLE, CONFUSIONS, TIMELINES):
            path = result_path(folder, name)
            if path is not None:
                self._open[name] = path, path.open("rb")
        if (folder / TRUTH_FILE).is_file():
            self._open[TRUTH_FILE] = folder / TRUTH_FILE, (folder / TRUTH_FILE).open("rb")
        weakref.finalize(self, _close, [file for _, file in self._open.values()])

    def __contains__(self, name: str) -> bool:
        return name in self._open

    def read(self, name: str) -> pa.Table:
        """Return a table; refuse one that is not as it was written."""
        if name not in self._open:
            raise InputError(
                f"{self._folder} is incomplete: it has no table of {name}. Make the run again."
            )
        path, file = self._open[name]
        check_content(file, path, path.name, self._description)
        return table_in(file, name, path)

    def truth(self) -> GroundTruth | None:
        """Return the truth that the run was measured against, if there was any."""
        if TRUTH_FILE not in self._open:
            return None
        path, file = self._open[TRUTH_FILE]
        check_content(file, path, path.name, self._description)
        try:
            return GroundTruth.from_frame(pq.ParquetFile(file).read())
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{path} is damaged: {error}. Make the run again.") from error


def _close(files: Iterable[BufferedReader]) -> None:
    for file in files:
        file.close()
