"""Data sets as folders: ``claims``, ``truth`` and other tables, in CSV, Parquet or JSON lines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from veracity.data.claims import Claims
from veracity.data.output.write import TableFormat, check_format, whole_folder, write_table
from veracity.data.read.frames import arrow_table
from veracity.data.read.settings import Options
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InputError, listing

#: In the order in which they are looked for.
FORMATS: tuple[TableFormat, ...] = ("csv.gz", "csv", "parquet", "jsonl")

#: Only drawn data come with a table of sources: by it, a folder that may be replaced is known.
MARKS = tuple(f"sources.{table_format}" for table_format in FORMATS)


@dataclass(frozen=True)
class Dataset:
    """Claims under a name, with the truth about them where it is known."""

    name: str
    claims: Claims
    truth: GroundTruth | None = None


def load(folder: str | os.PathLike[str], **options: Unpack[Options]) -> Dataset:
    """Load the data set in a folder.

    Parameters
    ----------
    folder
        Holds ``claims.csv.gz``, ``claims.csv``, ``claims.parquet`` or ``claims.jsonl``, of which
        the first that is there is read, and perhaps ``truth`` in the same way.
    options
        How claims are read; see `veracity.data.read.settings.Settings`.

    Raises
    ------
    InputError
        If there is no such folder, or no claims in it.
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError(
            f"There is no folder {place}. Expected one that holds {file_names('claims')}."
        )
    claims, truth = find_table(place, "claims"), find_table(place, "truth")
    if claims is None:
        found = listing(sorted(file.name for file in place.iterdir())) or "nothing"
        raise InputError(
            f"The folder {place} has no claims: looked for {file_names('claims')}, found {found}."
        )
    return Dataset(
        place.resolve().name,
        Claims.read(claims, **options),
        None if truth is None else GroundTruth.read(truth),
    )


def save(
    tables: Mapping[str, Any],
    folder: str | os.PathLike[str],
    table_format: TableFormat = "csv.gz",
    *,
    overwrite: bool = False,
    marks: tuple[str, ...] = MARKS,
) -> Path:
    """Write tables into a folder, all of them or, if anything goes wrong, none.

    Parameters
    ----------
    tables
        File name, without its ending, to table: anything that speaks Arrow.
    folder
        Where to write; made if it is not there.
    table_format
        ``csv.gz``, ``csv``, ``parquet`` or ``jsonl``.
    overwrite
        Whether a folder of ours may be replaced.
    marks
        The files by one of which such a folder is known; by default those of drawn data.

    Raises
    ------
    OutputError
        If the folder holds anything that may not be replaced, or cannot be written.
    """
    check_format(table_format)
    target = Path(folder)
    with whole_folder(target, overwrite=overwrite, marks=marks) as scratch:
        for name, table in tables.items():
            write_table(arrow_table(table), scratch / f"{name}.{table_format}", table_format)
    return target


def file_names(stem: str) -> str:
    """Return the names under which a table is looked for, as part of a sentence."""
    return " or ".join(f"{stem}.{table_format}" for table_format in FORMATS)


def find_table(folder: Path, stem: str) -> Path | None:
    """Return the file of a folder that holds a table, or None."""
    candidates = (folder / f"{stem}.{table_format}" for table_format in FORMATS)
    return next((path for path in candidates if path.is_file()), None)
