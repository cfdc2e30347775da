"""Odd but good input: it works, and comes out as it went in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

HEADER = "source,entity,value\n"


@pytest.fixture
def believed(veracity: Command, tmp_path: Path) -> Callable[..., dict[str, str]]:
    """Run ``discover`` and return the believed value of each entity."""

    def call(path: object, *options: object) -> dict[str, str]:
        done = veracity("discover", path, "-o", tmp_path / "out", *options)
        assert (done.code, done.err) == (0, "")
        truths = pq.read_table(tmp_path / "out" / "truths.parquet").to_pylist()
        return {row["entity"]: row["value"] for row in truths}

    return call


Believed = Callable[..., dict[str, str]]


def test_one_claim(believed: Believed, write: Write) -> None:
    assert believed(write("c.csv", HEADER + "ann,sky,blue\n")) == {"sky": "blue"}


def test_one_source(believed: Believed, write: Write) -> None:
    path = write("c.csv", HEADER + "ann,sky,blue\nann,sea,green\n")
    assert believed(path) == {"sky": "blue", "sea": "green"}


@pytest.mark.parametrize(
    "entity",
    [
        '"; DROP TABLE claims; --',
        "' OR 1=1",
        "😀👩‍👩‍👧",
        "[bold]x[/]",
        "a\nb",
        "NULL",
        "x" * 99_999,
    ],
)
def test_odd_names(believed: Believed, write: Write, entity: str) -> None:
    cell = '"' + entity.replace('"', '""') + '"'
    assert believed(write("c.csv", f"{HEADER}ann,{cell},{cell}\n")) == {entity: entity}


@pytest.mark.parametrize(
    "content",
    [
        "source,entity,value\r\nann,sky,blue\r\n",
        "source,entity,value\rann,sky,blue\r",
        "\ufeffsource,entity,value\nann,sky,blue\n",
        "source;entity;value\nann;sky;blue\n",
        "source\tentity\tvalue\nann\tsky\tblue\n",
        "source|entity|value\nann|sky|blue\n",
        '"source","entity","value"\n"ann","sky","blue"',
        "source,entity,value\nann,sky,blue\n\n\n",
    ],
)
def test_ways_to_write_csv(believed: Believed, write: Write, content: str) -> None:
    assert believed(write("c.csv", content)) == {"sky": "blue"}


@pytest.mark.parametrize(("given", "sign"), [(":", ":"), ("tab", "\t"), ("\\t", "\t")])
def test_delimiter_can_be_told(believed: Believed, write: Write, given: str, sign: str) -> None:
    content = f"source{sign}entity{sign}value\nann{sign}a,b;c|d{sign}blue\n"
    assert believed(write("c.csv", content), "--delimiter", given) == {"a,b;c|d": "blue"}


def test_odd_paths(veracity: Command, write: Write, tmp_path: Path) -> None:
    path = write("a [b]* 'q' \"d\"?.csv", HEADER + "ann,sky,blue\n")
    out = tmp_path / "out [x]* 'q' \"d\"?"
    assert veracity("discover", path, "-o", out).code == 0
    assert pq.read_table(out / "truths.parquet").num_rows == 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([True, True, False]), "true"),
        (pa.array([7, 7, 8]), "7"),
        (pa.array([7.0, 7.0, None]), "7"),
        (pa.array(["x", "x", "y"]).dictionary_encode(), "x"),
    ],
)
def test_typed_columns(believed: Believed, tmp_path: Path, values: pa.Array, expected: str) -> None:
    table = pa.table({"source": [1, 2, 3], "entity": pa.array([5, 5, 5]), "value": values})
    pq.write_table(table, tmp_path / "c.parquet")
    assert believed(tmp_path / "c.parquet") == {"5": expected}


def test_mixed_types(believed: Believed, write: Write) -> None:
    lines = [
        '{"source": "a", "entity": 1, "value": true}',
        '{"source": 2, "entity": 1, "value": 1}',
    ]
    lines.append('{"source": "c", "entity": "1", "value": 1}')
    assert believed(write("c.jsonl", "\n".join(lines))) == {"1": "1"}


@pytest.mark.slow
def test_very_many_claims_on_one_item(believed: Believed, tmp_path: Path) -> None:
    n = 200_000  # enough that whatever looks at pairs of them would never end
    value = np.where(np.arange(n) % 3 == 0, "rare", "common")
    table = pa.table({"source": np.arange(n), "entity": pa.repeat("e", n), "value": value})
    pq.write_table(table, tmp_path / "c.parquet")
    assert believed(tmp_path / "c.parquet", "-q") == {"e": "common"}
