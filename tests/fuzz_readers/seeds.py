"""Damaged and hostile files: the seeds from which the fuzz of the readers grows.

Every seed is made by code. A name says what is odd about it; before the slash stands the ending of
the file, which decides the reader.
"""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

KEPT = Path(__file__).with_name("kept.json")
HEADER = "source,entity,attribute,value\n"
ROWS = "ann,sky,colour,blue\nbob,sky,colour,green\ncy,sky,colour,blue\nann,sea,depth,12\n"
PLAIN = HEADER + ROWS
#: One claim as an object.
CLAIM = {"source": "ann", "entity": "sky", "value": "blue"}
FORMULA = "=HYPERLINK('x','y')"


def _delimited() -> Iterator[tuple[str, bytes]]:
    texts = {
        "plain": PLAIN,
        "nothing": "",
        "blanks": " \n\t\n",
        "header alone": HEADER,
        "header without an end": HEADER.strip(),
        "quote never closed": HEADER + 'ann,sky,colour,"blue\n' + ROWS,
        "quote in the header never closed": 'source,entity,"value\n' + ROWS,
        "quotes within": HEADER + 'ann,"s""k""y",colour,b"lu"e\n',
        "quote after a cell": HEADER + 'ann,"sky"x,colour,blue\n',
        "line break in a cell": HEADER + 'ann,"sk\ny",colour,blue\r\n',
        "carriage returns": PLAIN.replace("\n", "\r"),
        "mixed ends of lines": HEADER + "a,b,c,d\r\na,b,c,e\ra,b,c,f\n",
        "NUL bytes": HEADER + "ann,sky,colour,bl\0ue\n\0\0\n",
        "NUL in the header": "source,entity,val\0ue\n" + "a,b,c\n",
        "ragged": HEADER + "ann,sky\nann,sky,colour,blue,red\n,,,\n\n",
        "columns of the same name": "source,entity,value,value\na,b,c,d\n",
        "columns that differ by case": "source,entity,value,Value\na,b,c,d\n",
        "nameless column": "source,,value\na,b,c\n",
        "one column": "source\na\n",
        "delimiters alone": ",,,\n,,,\n",
        "numbers": HEADER
        + "".join(
            f"s{i},e{i % 2},x,{value}\n"
            for i, value in enumerate(
                ("inf", "-inf", "nan", "1e999", "-0", "9" * 40, "0x10", "1_000", "1e-320", "٣")
            )
        ),
        "formulas": HEADER + f"=cmd|'/c'!A0,+1,@x,{FORMULA}\n-1,+1,@x,{FORMULA}\n",
        "sql": 'source,entity,value,"c\'); DROP TABLE typed; --"\n\';--,"x""",$1,{}\n',
        "weights": "source,entity,value,weight\na,b,c,1e300\nb,b,d,-1\nc,b,c,nan\nd,b,c,\n",
        "times": "source,entity,value,time\na,b,c,9999-12-31\na,b,d,-290000-01-01\nb,b,c,1e308\n",
        "infinite times": "source,entity,value,time\na,b,c,inf\na,b,d,-inf\nb,b,c,nan\n",
        "denials": "source,entity,value,asserts\na,b,c,1\nb,b,c,0\nc,b,c,2\n",
        "features": "source,entity,value,claim_x,source_k\na,b,c,1e309,u\nb,b,d,x,\na,b,d,,v\n",
        "right to left": HEADER + "‮ann,​sky,e\u0301,\u212b\n",
        "noncharacters": HEADER + "\ufffe,\uffff,\U0010ffff,\u0085\u2028\n",
    }
    yield from ((name, text.encode()) for name, text in texts.items())
    yield "mark of the order of bytes", b"\xef\xbb\xbf" + PLAIN.encode()
    yield "two such marks", b"\xef\xbb\xbf\xef\xbb\xbf" + PLAIN.encode()
    for encoding in ("utf-16", "utf-16-be", "utf-32", "utf-7", "latin-1", "cp037"):
        yield encoding, PLAIN.replace("blue", "bl\u00fc").encode(encoding)
    yield "half of UTF-16", PLAIN.encode("utf-16")[:-1]
    yield "invalid UTF-8", HEADER.encode() + b"ann,sky,colour,\xff\xfe\xc3\x28\n"
    yield "surrogates in UTF-8", HEADER.encode() + b"ann,sky,colour,\xed\xa0\x80\n"
    yield "invalid UTF-8 in the header", b"source,entity,val\xe9\na,b,c\n"
    yield "cut within a character", PLAIN.encode() + "é".encode()[:1]


def _json() -> Iterator[tuple[str, bytes]]:
    def lines(*objects: Any) -> str:
        return "".join(json.dumps(one) + "\n" for one in objects)

    texts = {
        "lines": lines(CLAIM, {**CLAIM, "source": "bob"}),
        "array": json.dumps([CLAIM, {**CLAIM, "value": "green"}]),
        "nothing": "",
        "empty array": "[]",
        "array of nothing": "[{}]",
        "scalar": "7",
        "null": "null",
        "array of scalars": "[1, 2]",
        "one object with rows": json.dumps({"rows": [CLAIM]}),
        "array never closed": json.dumps([CLAIM])[:-1],
        "object never closed": lines(CLAIM)[:-3],
        "comma at the end": "[" + json.dumps(CLAIM) + ",]",
        "same key twice": '{"source":"a","entity":"b","value":"c","value":"d"}\n',
        "keys that differ by case": '{"source":"a","entity":"b","value":"c","Value":"d"}\n',
        "nested": lines({**CLAIM, "value": {"a": [1, {"b": None}]}}),
        "lists": lines({**CLAIM, "value": ["a", ["b"], None]}),
        "deep": '{"source":"a","entity":"b","value":' + "[" * 2000 + "]" * 2000 + "}\n",
        "deep and never closed": "[" * 5000,
        "mixed types": lines(*({**CLAIM, "value": v} for v in (1, "x", None, True, [1], 1.5))),
        "huge numbers": lines({**CLAIM, "value": 10**400}, {**CLAIM, "value": 2**64}),
        "not a number": '{"source":"a","entity":"b","value":NaN}\n',
        "lone surrogate": '{"source":"a","entity":"b","value":"\\ud800"}\n',
        "NUL": '{"source":"a","entity":"b","value":"x\\u0000y"}\n{"source\\u0000":1}\n',
        "raw NUL": '{"source":"a","entity":"b","value":"x\0y"}\n',
        "empty key": '{"":"a","source":"a","entity":"b","value":"c"}\n',
        "odd keys": lines({**CLAIM, "c'); --": 1, 'x"y': 2, "json": 3}),
        "key json": '{"json": 1}\n',
        "blank lines": "\n\n" + lines(CLAIM) + "\n",
        "comments": "// x\n" + lines(CLAIM),
        "lines of arrays": "[1]\n[2]\n",
        "times and weights": lines(
            {**CLAIM, "time": "2020-01-01T00:00:00+99:00", "weight": 1e300, "asserts": "yes"}
        ),
        "same column in many types": lines({**CLAIM, "claim_x": 1}, {**CLAIM, "claim_x": {"a": 1}}),
    }
    yield from ((name, text.encode()) for name, text in texts.items())
    yield "mark of the order of bytes", b"\xef\xbb\xbf" + texts["array"].encode()
    yield "UTF-16", texts["lines"].encode("utf-16")
    yield "invalid UTF-8", b'{"source":"a","entity":"b","value":"\xff\xc3("}\n'
    yield "invalid UTF-8 in a key", b'{"source":"a","entity":"b","value":"c","\xff":1}\n'


def _columns(**others: Any) -> pa.Table:
    return pa.table({"source": ["a", "b"], "entity": ["e", "e"], "value": ["x", "y"]} | others)


def _tables() -> Iterator[tuple[str, pa.Table]]:
    """Tables that typed formats can hold."""
    yield "plain", _columns()
    yield "no rows", _columns().slice(0, 0)
    yield "no columns", pa.table({})
    yield "nulls", _columns(value=pa.nulls(2))
    yield "only nulls as text", _columns(value=pa.nulls(2, pa.string()))
    yield "floats", _columns(value=[float("nan"), float("inf")])
    yield "half floats", _columns(value=pa.array([1.5, 2.5]).cast(pa.float16()))
    yield "nested", _columns(value=[{"a": [1]}, {"a": None}])
    yield "lists", _columns(value=[["x"], []])
    yield "map", _columns(value=pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())))
    yield "bytes", _columns(value=[b"\xff\x00", b""])
    yield "fixed bytes", _columns(value=pa.array([b"ab", b"\xff\xfe"], pa.binary(2)))
    yield "booleans", _columns(value=[True, None], asserts=[True, False])
    yield "decimals", _columns(value=pa.array([1, 2]).cast(pa.decimal128(38, 10)))
    yield "unsigned", _columns(value=pa.array([2**64 - 1, 0], pa.uint64()))
    yield "dictionary", _columns(value=pa.array(["x", None]).dictionary_encode())
    for unit in ("s", "ns"):
        late = pa.array([2**62, -(2**62)], pa.timestamp(unit))
        yield f"far times in {unit}", _columns(time=late)
    yield "zoned times", _columns(time=pa.array([0, 1], pa.timestamp("us", "Europe/Berlin")))
    yield "spans of time", _columns(time=pa.array([0, 2**40], pa.duration("s")))
    yield "times of day", _columns(time=pa.array([0, 1], pa.time64("us")))
    yield "weights", _columns(weight=[float("inf"), -1.0])
    yield "features", _columns(claim_x=[[1], [2]], source_k=pa.array([b"\xff", b"x"]))
    yield "columns that differ by case", _columns(Value=["p", "q"])
    yield "odd names", _columns(**{"c'); --": [1, 2], "": [3, 4], "\0": [5, 6], "é\n": [7, 8]})


def _repeated() -> pa.Table:
    return pa.Table.from_arrays([pa.array(["a"])] * 4, names=["source", "entity", "value", "value"])


def _bytes_not_text() -> pa.Table:
    """Return text that is no UTF-8, which Arrow does not check."""
    data = pa.array([b"\xff\xfe", b"ok"], pa.binary())
    text = pa.StringArray.from_buffers(2, data.buffers()[1], data.buffers()[2])
    return _columns(value=text)


def _typed(write: Callable[[pa.Table, Path], object]) -> Iterator[tuple[str, bytes]]:
    """Write all tables in a format, and damage one."""
    tables = [*_tables(), ("columns of the same name", _repeated()), ("no text", _bytes_not_text())]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        for name, table in tables:
            try:
                write(table, path)
            except (pa.ArrowException, ValueError):  # which the format cannot hold
                continue
            yield name, path.read_bytes()
        write(_columns(), path)
        whole = path.read_bytes()
    yield "nothing", b""
    yield "only the sign", whole[:4]
    yield "cut", whole[: len(whole) // 2]
    yield "cut at the end", whole[:-1]
    yield "no foot", whole[:-12] + bytes(12)
    yield "foot of great length", whole[:-8] + struct.pack("<i", 2**31 - 1) + whole[-4:]
    yield "foot of negative length", whole[:-8] + struct.pack("<i", -1) + whole[-4:]
    yield "text", PLAIN.encode()
    for place in range(0, len(whole), max(1, len(whole) // 24)):
        flipped = bytearray(whole)
        flipped[place] ^= 0x10
        yield f"byte {place} changed", bytes(flipped)


def _write_ipc(table: pa.Table, path: Path) -> None:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def _write_stream(table: pa.Table, path: Path) -> None:
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


SQL = {
    "plain": "CREATE TABLE claims (source, entity, value); INSERT INTO claims VALUES "
    "('a', 'e', 'x'), ('b', 'e', 'y');",
    "no tables": "PRAGMA user_version = 1;",
    "two tables": "CREATE TABLE a (x INT); CREATE TABLE b (x INT);",
    "no rows": "CREATE TABLE claims (source TEXT, entity TEXT, value TEXT);",
    "types": "CREATE TABLE claims (source, entity, value); INSERT INTO claims VALUES "
    "(1, 2.5, x'ff00'), (NULL, '', 9e999), ('a', 'e', zeroblob(10));",
    "odd names": 'CREATE TABLE "x"";--" (source TEXT, entity TEXT, value TEXT, "c\'" TEXT);',
    "broken view": "CREATE TABLE t (x INT); CREATE VIEW claims AS SELECT * FROM t; DROP TABLE t;",
    "invalid text": "CREATE TABLE claims (source, entity, value); INSERT INTO claims VALUES "
    "('a', 'e', CAST(x'fffe' AS TEXT));",
}


def _sqlite() -> Iterator[tuple[str, bytes]]:
    yield from ((name, _database(sql)) for name, sql in SQL.items())
    whole = _database(SQL["plain"])
    yield "cut", whole[:5000]
    yield "header alone", whole[:100]
    yield "no database", b"no database" * 100
    for place in (16, 18, 28, 40, 56, 96, 101, 105, 110, 4096, 4100):
        flipped = bytearray(whole)
        flipped[place] ^= 0xFF
        yield f"byte {place} changed", bytes(flipped)


def _database(sql: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(sql)
        return database.serialize()


def _duckdb() -> Iterator[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.duckdb"
        with duckdb.connect(str(path)) as database:
            database.execute("CREATE TABLE claims (source TEXT, entity TEXT, value TEXT)")
            database.execute("INSERT INTO claims VALUES ('a', 'e', 'x'), ('b', 'e', 'y')")
        whole = path.read_bytes()
    yield "plain", whole
    yield "cut", whole[:5000]
    yield "header alone", whole[:64]
    yield "no database", b"no database" * 1000
    yield "other version", whole[:12] + b"\xff" * 8 + whole[20:]


def _packed(content: bytes, kind: str) -> bytes:
    return gzip.compress(content, mtime=0) if kind == "gzip" else pa.compress(content, kind, True)


def _compressed(kind: str, plain: bytes) -> Iterator[tuple[str, bytes]]:
    whole = _packed(plain, kind)
    yield "plain", whole
    yield "nothing", b""
    yield "empty inside", _packed(b"", kind)
    yield "cut", whole[: len(whole) // 2]
    yield "head alone", whole[:10]
    yield "checksum changed", whole[:-6] + bytes([whole[-6] ^ 1]) + whole[-5:]
    yield "rubbish after the end", whole + b"rubbish"
    yield "twice", whole + whole
    yield "not compressed", plain
    yield "compressed twice", _packed(whole, kind)
    yield "bomb in one line", _packed(plain + b"x" * 40_000_000, kind)
    yield "bomb of rows", _packed(plain + plain.splitlines()[-1] * 1 + b"\n" * 2_000_000, kind)


def _long() -> Iterator[tuple[str, bytes]]:
    """Files that are large in one way; of delimited text."""
    yield "line of 10 MB", (HEADER + f"ann,sky,colour,{'x' * 10_000_000}\n" + ROWS).encode()
    yield "line of 20 MB", (HEADER + f"ann,sky,colour,{'x' * 20_000_000}\n" + ROWS).encode()
    yield "quote never closed in 20 MB", (HEADER + '"' + ROWS * 300_000).encode()
    yield "header of 2 MB", ",".join(f"column{i}" for i in range(200_000)).encode() + b"\na,b\n"
    yield "cells in one row", PLAIN.encode() + b"," * 5_000_000
    yield "NULs alone", bytes(5_000_000)


def _long_json() -> Iterator[tuple[str, bytes]]:
    claim = json.dumps(CLAIM)[:-1]
    yield "value of 10 MB", f'{claim}, "note": "{"x" * 10_000_000}"}}\n'.encode()
    yield "very deep", f'{claim}, "note": {"[" * 1_000_000}{"]" * 1_000_000}}}\n'.encode()
    keys = ", ".join(f'"k{i}": 1' for i in range(5_000))
    yield "many keys", f"{claim}, {keys}}}\n".encode()
    yield (
        "other keys in each row",
        b"".join(f'{claim}, "k{i}": 1}}\n'.encode() for i in range(3_000)),
    )


def _kept() -> Iterator[tuple[str, bytes]]:
    """What failed once, as the campaign kept it."""
    for one in json.loads(KEPT.read_text(encoding="utf-8")):
        yield f"{one['ending']}/{one['why']}", base64.b64decode(one["content"])


#: What is odd, by the ending of the file; made when asked for.
BY_ENDING: dict[str, Callable[[], Iterator[tuple[str, bytes]]]] = {
    "csv": _delimited,
    "tsv": lambda: ((name, text.replace(b",", b"\t")) for name, text in _delimited()),
    "json": _json,
    "jsonl": _json,
    "parquet": lambda: _typed(pq.write_table),
    "arrow": lambda: _typed(_write_ipc),
    "feather": lambda: _typed(_write_stream),
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "csv.gz": lambda: _compressed("gzip", PLAIN.encode()),
    "csv.zst": lambda: _compressed("zstd", PLAIN.encode()),
    "jsonl.gz": lambda: _compressed("gzip", json.dumps(CLAIM).encode() + b"\n"),
    "jsonl.zst": lambda: _compressed("zstd", json.dumps(CLAIM).encode() + b"\n"),
}


def seeds() -> dict[str, bytes]:
    """Return all small seeds: ending and name, and content."""
    made = {
        f"{ending}/{name}": content
        for ending, make in BY_ENDING.items()
        for name, content in make()
        if not name.startswith("bomb")
    }
    return made | dict(_kept())


def large_seeds() -> dict[str, bytes]:
    """Return the seeds that are large, once read."""
    made = {f"csv/{name}": content for name, content in _long()}
    made |= {f"jsonl/{name}": content for name, content in _long_json()}
    made["json/array never closed"] = b"[" * 20_000_000
    made |= {
        f"{ending}/{name}": content
        for ending in ("csv.gz", "csv.zst", "jsonl.gz", "jsonl.zst")
        for name, content in BY_ENDING[ending]()
        if name.startswith("bomb")
    }
    return made
