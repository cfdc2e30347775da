"""Claims in parts of whole items, on disk: relational work with a limit of memory.

The steps are those of `veracity.data.ingest` up to the view ``claimed``; then

========== =====================================================================================
sources    distinct source ids in order, with their index; attributes likewise
vals       distinct values of each attribute
parts      a folder of Parquet files: claims with the index of source and attribute, by a hash of
           their item, so that no item is in two parts
========== =====================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from veracity.data.attributes import CLOSED_VALUES
from veracity.data.engine import Workbench, quoted
from veracity.data.ingest import REST, Settled, make_labels

#: Names of the value lists that are looked at.
FEW = CLOSED_VALUES.stop


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of whole items, and what is known of all of them.

    Attributes
    ----------
    folders
        The files of each part.
    sources, attributes
        All labels, in order.
    n_values, values
        How many values each attribute has, and which, where they are few.
    n_entities
        Number of entities.
    """

    folders: list[Path]
    sources: pa.StringArray
    attributes: tuple[str, ...]
    n_values: tuple[int, ...]
    values: tuple[tuple[str, ...], ...]
    n_entities: int


def partition(workbench: Workbench, settled: Settled, folder: Path, n_parts: int) -> Parts:
    """Write claims to parts of whole items, of about the same size."""
    columns = settled.columns
    for role in ("source", "attribute"):
        make_labels(workbench, role, columns)
    workbench.step("vals", "SELECT DISTINCT attribute, value FROM claimed")
    chosen = ["row", "source", "source_index AS place", "attribute_index AS attribute"]
    chosen += ["entity", "value", *(sql for role, sql in REST.items() if role in columns.roles)]
    chosen += settled.features
    query = (
        f"SELECT {', '.join(chosen)}, hash(attribute, entity) % {n_parts} AS part FROM claimed "
        "JOIN sources USING (source) JOIN attributes USING (attribute)"
    )
    workbench.connection.execute(
        f"COPY ({query}) TO {quoted(str(folder))} "
        "(FORMAT parquet, PARTITION_BY (part), COMPRESSION lz4_raw)"
    )
    labels = {
        role: workbench.arrow(f"SELECT {role} FROM {role}s ORDER BY {role}_index")[role]
        for role in ("source", "attribute")
    }
    attributes = tuple(labels["attribute"].cast(pa.string()).to_pylist())
    counts = dict(workbench.rows("SELECT attribute, count(*) FROM vals GROUP BY attribute"))
    few = [name for name in attributes if counts[name] < FEW]
    values: dict[str, list[str]] = {name: [] for name in attributes}
    if few:
        named = ", ".join(quoted(name) for name in few)
        query = f"SELECT attribute, value FROM vals WHERE attribute IN ({named}) ORDER BY ALL"
        for name, value in workbench.rows(query):
            values[name].append(value)
    (n_entities,) = workbench.row("SELECT count(*) FROM (SELECT DISTINCT entity FROM claimed)")
    return Parts(
        sorted(folder.iterdir(), key=lambda part: int(part.name.partition("=")[2])),
        labels["source"].combine_chunks(),
        attributes,
        tuple(counts[name] for name in attributes),
        tuple(tuple(values[name]) for name in attributes),
        n_entities,
    )


def read_part(folder: Path, features: tuple[str, ...]) -> pa.Table:
    """Return the claims of a part, its feature columns under the names that users gave them."""
    tables = [pq.read_table(file, partitioning=None) for file in sorted(folder.iterdir())]
    part = pa.concat_tables(tables)
    own = part.column_names[: part.num_columns - len(features)]
    return part.rename_columns([*own, *features])
