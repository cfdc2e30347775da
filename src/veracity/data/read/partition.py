"""Partition claims into parts of whole items on disk, within a memory limit.

The steps are those of `veracity.data.read.ingest` up to the view ``claimed``; then

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

from veracity.data.clean.values import PLAIN_DECIMAL, PLAIN_NUMBER
from veracity.data.encode.attributes import CLOSED_VALUES
from veracity.data.read.ingest import REST, Settled, make_labels
from veracity.data.read.relations import Relations
from veracity.data.read.schema import Columns
from veracity.data.read.workbench import Workbench, quoted

#: Names of the value lists that are looked at.
FEW = CLOSED_VALUES.stop


@dataclass(frozen=True, eq=False)
class Survey:
    """Labels and counts of all claims, taken before they are split into blocks.

    Attributes
    ----------
    sources, attributes
        All labels, in order.
    n_values, values
        How many values each attribute has, and which, where they are few.
    n_numbers, n_decimals
        How many values of each attribute are plain numbers, and how many of those have decimals.
    n_entities
        Number of entities.
    """

    sources: pa.StringArray
    attributes: tuple[str, ...]
    n_values: tuple[int, ...]
    values: tuple[tuple[str, ...], ...]
    n_numbers: tuple[int, ...]
    n_decimals: tuple[int, ...]
    n_entities: int


def survey(workbench: Relations, columns: Columns) -> Survey:
    """Number sources and attributes, and count what there is."""
    for role in ("source", "attribute"):
        make_labels(workbench, role, columns)
    workbench.step("vals", "SELECT DISTINCT attribute, value FROM claimed")
    labels = {
        role: workbench.arrow(f"SELECT {role} FROM {role}s ORDER BY {role}_index")[role]
        for role in ("source", "attribute")
    }
    attributes = tuple(labels["attribute"].cast(pa.string()).to_pylist())
    plain, decimal = (
        f"count(CASE WHEN {workbench.sql.matches('value', pattern)} THEN 1 END)"
        for pattern in (PLAIN_NUMBER, PLAIN_DECIMAL)
    )
    counted = workbench.rows(
        f"SELECT attribute, count(*), {plain}, {decimal} FROM vals GROUP BY attribute"
    )
    counts, numbers, decimals = ({row[0]: row[i] for row in counted} for i in (1, 2, 3))
    few = [name for name in attributes if counts[name] < FEW]
    values: dict[str, list[str]] = {name: [] for name in attributes}
    if few:
        named = ", ".join(workbench.sql.literal(name) for name in few)
        query = (
            f"SELECT attribute, value FROM vals WHERE attribute IN ({named}) "
            "ORDER BY attribute, value"
        )
        for name, value in workbench.rows(query):
            values[name].append(value)
    (n_entities,) = workbench.row("SELECT count(*) FROM (SELECT DISTINCT entity FROM claimed)")
    return Survey(
        labels["source"].combine_chunks(),
        attributes,
        tuple(counts[name] for name in attributes),
        tuple(tuple(values[name]) for name in attributes),
        tuple(numbers[name] for name in attributes),
        tuple(decimals[name] for name in attributes),
        n_entities,
    )


def chosen_columns(settled: Settled) -> list[str]:
    """Return SQL for the columns of a part, as `veracity.data.blocks.code_part` expects them."""
    chosen = ["row", "claimed.source AS source", "source_index AS place"]
    chosen += ["attribute_index AS attribute", "entity", "value"]
    chosen += [sql for role, sql in REST.items() if role in settled.columns.roles]
    return chosen + settled.features


#: Claims with the index of their source and attribute.
INDEXED = (
    "claimed JOIN sources ON claimed.source = sources.source "
    "JOIN attributes ON claimed.attribute = attributes.attribute"
)


def partition(workbench: Workbench, settled: Settled, folder: Path, n_parts: int) -> list[Path]:
    """Write claims to parts of whole items, of about the same size; return the folder of each."""
    part = f"hash(claimed.attribute, entity) % {n_parts} AS part"
    query = f"SELECT {', '.join(chosen_columns(settled))}, {part} FROM {INDEXED}"
    workbench.connection.execute(
        f"COPY ({query}) TO {quoted(str(folder))} "
        "(FORMAT parquet, PARTITION_BY (part), COMPRESSION lz4_raw)"
    )
    return sorted(folder.iterdir(), key=lambda part: int(part.name.partition("=")[2]))


def read_part(folder: Path, features: tuple[str, ...]) -> pa.Table:
    """Return the claims of a part, its feature columns under the names that users gave them."""
    tables = [pq.read_table(file, partitioning=None) for file in sorted(folder.iterdir())]
    part = pa.concat_tables(tables)
    own = part.column_names[: part.num_columns - len(features)]
    return part.rename_columns([*own, *features])
