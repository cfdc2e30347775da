"""Results written by executors, to a folder that is there as a whole or not at all."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.data.read.scratch import Scratch
from veracity.engines.spark.failures import reason
from veracity.errors import OutputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Folder:
    """A folder of a file system that the cluster can write to: HDFS, S3, or a shared disk."""

    def __init__(self, session: SparkSession, where: str) -> None:
        context: Any = session.sparkContext
        self._make_path = context._jvm.org.apache.hadoop.fs.Path
        path = self._make_path(where)
        self._system = path.getFileSystem(context._jsc.hadoopConfiguration())
        self._path = self._system.makeQualified(path)

    def __str__(self) -> str:
        return str(self._path.toString())

    def beside(self, ending: str) -> Folder:
        """Return another folder, hidden and of a new name, beside this one."""
        name = f".{self._path.getName()}.{uuid.uuid4().hex[:8]}.{ending}"
        return self._at(self._make_path(self._path.getParent(), name))

    def exists(self, name: str | None = None) -> bool:
        """Whether the folder, or something within it, is there."""
        path = self._path if name is None else self._make_path(self._path, name)
        return bool(self._system.exists(path))

    def is_empty(self) -> bool:
        """Whether there is nothing in the folder."""
        return len(self._system.listStatus(self._path)) == 0

    def make(self) -> None:
        """Make the folder and those above it."""
        self._system.mkdirs(self._path)

    def write(self, frame: DataFrame, name: str) -> None:
        """Let the executors write a table, as a folder of Parquet files."""
        frame.write.parquet(f"{self}/{name}")

    def fill(self, local: Path, last: str) -> None:
        """Copy the files of a folder of the driver's disk into it, one of them last."""
        for file in sorted(local.iterdir(), key=lambda file: (file.name == last, file.name)):
            source = self._make_path(file.as_uri())
            self._system.copyFromLocalFile(source, self._make_path(self._path, file.name))

    def rename(self, other: Folder) -> None:
        """Give the folder the name of another, which is not there."""
        if not self._system.rename(self._path, other._path):
            raise OutputError(f"{self} could not be renamed to {other}.")

    def remove(self) -> None:
        """Remove the folder, if it is there, and all in it."""
        self._system.delete(self._path, True)

    def _at(self, path: Any) -> Folder:
        other = Folder.__new__(Folder)
        other._make_path, other._system, other._path = self._make_path, self._system, path
        return other


def check_target(session: SparkSession, where: str, overwrite: bool, mark: str) -> Folder:
    """Return the folder to write to, unless it is there already or is not ours to replace."""
    from py4j.protocol import Py4JJavaError

    try:
        target = Folder(session, where)
        if not target.exists() or target.is_empty():
            return target
    except Py4JJavaError as error:
        raise OutputError(f"{where} cannot be written: {reason(error)}") from error
    if not overwrite:
        raise OutputError(
            f"The folder {where} exists already. Name another, or replace it with --overwrite "
            "(in Python: overwrite=True)."
        )
    if not target.exists(mark):
        raise OutputError(
            f"The folder {where} was not written by veracity (it has no {mark}), so it is not "
            "replaced. Name another folder."
        )
    return target


@contextmanager
def whole_folder(
    session: SparkSession, where: str, *, overwrite: bool, mark: str
) -> Iterator[tuple[Folder, Path]]:
    """Give a scratch folder on the cluster, and one here for small files, that become the target.

    The small files come last, `mark` among them: where a file system cannot rename a folder at
    once, as S3 cannot, a folder without that file is no result.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    target = check_target(session, where, overwrite, mark)
    scratch = target.beside("part")
    try:
        with Scratch() as local:
            scratch.make()
            yield scratch, local
            scratch.fill(local, mark)
        _take_place(scratch, target)
    except (Py4JJavaError, PySparkException) as error:
        raise OutputError(f"{where} was not written: {reason(error)}") from error
    finally:
        scratch.remove()


def _take_place(scratch: Folder, target: Folder) -> None:
    if not target.exists():
        scratch.rename(target)
        return
    old = target.beside("old")
    target.rename(old)
    try:
        scratch.rename(target)
    except BaseException:
        old.rename(target)
        raise
    old.remove()
