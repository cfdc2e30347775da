"""Damaged folders of runs: each case does something to one, which then cannot be used."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from veracity import Claims, discover
from veracity.workflow import update
from veracity.workflow.marks import MarkBook

ROWS = [
    (source, f"e{item}", "x" if (item + number) % 3 else "y")
    for number, source in enumerate("abcd")
    for item in range(12)
]
#: Commands that read a run; OUT, MORE and PAGE stand for its folder and files beside it.
COMMANDS = (
    ("explain", "OUT", "e1"),
    ("update", "OUT", "MORE", "-q", "--no-refit"),
    ("report", "OUT", "-q", "-o", "PAGE"),
    ("score", "OUT", "MORE", "-q"),
    ("verify", "OUT", "-q"),
    ("marks", "OUT"),
)
Damage = Callable[[Path], object]
TABLES = ("truths", "statements", "sources", "claims")
KEYS = ("features", "settings", "model", "attributes", "inputs", "counts", "notes", "columns")
WRONG: tuple[Any, ...] = (None, 5, [5], {"x": 5})


def make_run(out: Path) -> Path:
    """Write a small run with an update and a mark."""
    discover(Claims.from_triples(ROWS)).save(out, report=False)
    update(out, Claims.from_triples([("eve", "e3", "x")]), refit=False)
    MarkBook(out).put("e1", "value", ["x"])
    return out


def unsealed(out: Path) -> None:
    """Let a run be as earlier versions wrote it, without hashes."""
    _edit(out / "run.json", lambda said: [said.pop(key) for key in ("files", "sha256")])


def _edit(path: Path, change: Callable[[Any], object]) -> None:
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))


def _key(file: str, key: str, value: Any) -> Damage:
    return lambda out: _edit(out / file, lambda said: said.__setitem__(key, value))


def _no_key(file: str, key: str) -> Damage:
    return lambda out: _edit(out / file, lambda said: said.pop(key))


def _content(file: str, content: bytes) -> Damage:
    return lambda out: (out / file).write_bytes(content)


def _cut(file: str) -> Damage:
    return lambda out: (out / file).write_bytes((out / file).read_bytes()[:-40])


def _folder(file: str) -> Damage:
    def work(out: Path) -> None:
        (out / file).unlink()
        (out / file).mkdir()

    return work


def _missing(file: str) -> Damage:
    return lambda out: (out / file).unlink()


def _table(file: str, change: Callable[[pa.Table], pa.Table]) -> Damage:
    return lambda out: pq.write_table(change(pq.read_table(out / file)), out / file)


def _as_text(table: pa.Table) -> pa.Table:
    return pa.table({name: ["?"] * table.num_rows for name in table.column_names})


def _history(sql: str) -> Damage:
    def work(out: Path) -> None:
        with closing(sqlite3.connect(out / "history.sqlite")) as connection:
            connection.executescript(sql)

    return work


def _cases() -> dict[str, Damage]:
    found: dict[str, Damage] = {}
    files = ["run.json", "model.json", "model.safetensors", *(f"{name}.parquet" for name in TABLES)]
    for file in files:
        found[f"no {file}"] = _missing(file)
        found[f"{file} is a folder"] = _folder(file)
        found[f"{file} is cut"] = _cut(file)
        for content in (b"", b"\0" * 100, b"[]", b"{}", b"null", b"\xff\xfe{"):
            found[f"{file} is {content[:4]!r}"] = _content(file, content)
    for key in KEYS:
        found[f"run.json has no {key}"] = _no_key("run.json", key)
        for wrong in WRONG:
            found[f"{key} of run.json is {wrong}"] = _key("run.json", key, wrong)
    for key in ("format", "model", "parameters", "state", "sha256"):
        found[f"model.json has no {key}"] = _no_key("model.json", key)
        for wrong in WRONG:
            found[f"{key} of model.json is {wrong}"] = _key("model.json", key, wrong)
    for name in TABLES:
        file = f"{name}.parquet"
        found[f"{file} has no rows"] = _table(file, lambda table: table.slice(0, 0))
        found[f"{file} has no columns"] = _table(file, lambda table: table.select([]))
        found[f"{file} has no first column"] = _table(file, lambda t: t.remove_column(0))
        found[f"{file} has half its rows"] = _table(file, lambda t: t.slice(0, t.num_rows // 2))
        found[f"{file} is text"] = _table(file, _as_text)
    found["history.sqlite is none"] = _content("history.sqlite", b"no database" * 100)
    found["history.sqlite is cut"] = _cut("history.sqlite")
    for table in ("facts", "claims", "items", "truths", "statements"):
        found[f"history has no {table}"] = _history(f"DROP TABLE {table}")
        found[f"history has empty {table}"] = _history(f"DELETE FROM {table}")
    for fact in ("version", "memory", "sources", "reading", "model.json", "recorded", "features"):
        found[f"history has no {fact}"] = _history(f"DELETE FROM facts WHERE name = '{fact}'")
        found[f"{fact} of the history is wrong"] = _history(
            f"UPDATE facts SET content = 'x' WHERE name = '{fact}'"
        )
    found["marks.sqlite is none"] = _content("marks.sqlite", b"no database" * 100)
    found["marks have no tables"] = lambda out: _content("marks.sqlite", b"")(out)
    return found


CASES = _cases()
