"""Names of tables reach a database as they are, whatever is in them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from veracity import Claims
from veracity.data.output.database import writing_tables
from veracity.data.read.workbench import quoted_name

CLAIMS = pa.table({"source": ["ann", "bob"], "entity": ["sky", "sky"], "value": ["blue", "red"]})
HOSTILE = ['a"b', 'x"; DROP TABLE kept; --', "it's", "select", "ä b", '"']


@pytest.mark.parametrize("name", HOSTILE)
def test_a_table_of_any_name_is_written_replaced_and_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / "made.duckdb"
    with writing_tables(str(path), {"kept": CLAIMS}, overwrite=False):
        pass
    for overwrite in (False, True):
        with writing_tables(str(path), {name: CLAIMS}, overwrite=overwrite):
            pass
    with duckdb.connect(path, read_only=True) as connection:
        names = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    assert {found for (found,) in names} == {"kept", name}
    assert len(Claims.read(path, table=name)) == 2


def test_a_schema_and_a_table_are_quoted_each() -> None:
    assert quoted_name(["crm", 'a"b']) == '"crm"."a""b"'
