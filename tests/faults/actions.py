"""What is done to a folder while it fails, and what anybody can see of it afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow.parquet as pq

from veracity import open_run
from veracity.cli.app import run as command
from veracity.data.output import exchange
from veracity.workflow import updates
from veracity.workflow.marks import MarkBook
from veracity.workflow.verification import verify

#: Tables that are given, by name.
GIVEN = {
    "old.csv": "source,entity,value\nann,sky,blue\nbob,sky,green\ncat,sky,blue\ncat,sea,x\n",
    "new.csv": "source,entity,value\nann,sky,blue\nbob,sky,green\ncat,sky,green\ndan,moon,grey\n",
    "eve.csv": "source,entity,value\neve,sea,x\n",
    "more.csv": "source,entity,value\ndan,sky,green\ndan,moon,grey\n",
    "sheet.csv": "number,entity,attribute,value\n1,sky,value,green\n2,sea,value,x\n",
    "old-records.csv": "id,source,name,city\n1,a,Ann,Rome\n1,b,Ann,Roma\n2,a,Bob,Oslo\n",
    "records.csv": "id,source,name,city\n1,a,Ann,Rome\n1,b,Anne,Roma\n1,c,Anne,Roma\n3,a,Cy,Bern\n",
    "old-verdicts.csv": "question,judge,verdict\n"
    + "".join(f"q{i},j{j},{'yes' if i % 2 else 'no'}\n" for i in range(4) for j in range(3)),
    "verdicts.csv": "question,judge,verdict\n"
    + "".join(f"q{i},j{j},{'yes' if i * j % 3 else 'no'}\n" for i in range(5) for j in range(3)),
}
Work = Callable[[Path], int]
_OUT = ("-o", "OUT/out", "--no-report")


def veracity(*arguments: str) -> Work:
    """Return a command; GIVEN/ stands for the given tables, OUT/ for the place."""

    def work(place: Path) -> int:
        paths = {"GIVEN": str(place.parent / "given"), "OUT": str(place)}
        words = [f"{paths.get(head, head)}{rest}" for head, rest in map(_split, arguments)]
        return command(words)

    return work


def _split(word: str) -> tuple[str, str]:
    head, slash, rest = word.partition("/")
    return head, slash + rest


def _discover(table: str) -> Work:
    return veracity(
        "discover",
        f"GIVEN/{table}",
        "-o",
        "OUT/out",
        "--model",
        "vote",
        "--overwrite",
        "--no-report",
    )


def _mark(entity: str, value: str) -> Work:
    def work(place: Path) -> int:
        MarkBook(place / "out").put(entity, "value", [value])
        return 0

    return work


def _open(place: Path) -> int:
    open_run(place / "out")
    return 0


def _behind(place: Path) -> int:
    """Leave the tables as after a kill between an update and its tables."""
    with patch.object(updates, "put_in_place", lambda folder, files: None):
        return veracity("update", "OUT/out", "GIVEN/more.csv")(place)


def _put(form: str, *arguments: str) -> Work:
    return veracity(form, *arguments, "--overwrite", "-q")


@dataclass(frozen=True)
class Action:
    """What comes before, what is done, and what it says if it failed and may be kept.

    A mark or a transaction may have reached the disk although the disk said that it did not.
    """

    do: Work
    before: tuple[Work, ...] = ()
    says_if_kept: str | None = None
    changes_nothing: bool = False


_OLD = (
    _discover("old.csv"),
    veracity("update", "OUT/out", "GIVEN/eve.csv"),
    _mark("sea", "x"),
)
_GOLDEN = ("--key", "id", "--source", "source", "--model", "vote")
_DATABASE = ("--to", "OUT/golden.duckdb")

ACTIONS: dict[str, Action] = {
    "discover": Action(_discover("new.csv")),
    "overwrite": Action(_discover("new.csv"), _OLD),
    "update": Action(veracity("update", "OUT/out", "GIVEN/more.csv"), _OLD),
    "first-update": Action(veracity("update", "OUT/out", "GIVEN/more.csv"), _OLD[:1]),
    "open": Action(_open, (*_OLD, _behind), changes_nothing=True),
    "report": Action(veracity("report", "OUT/out"), _OLD),
    "marks": Action(_mark("sky", "green"), _OLD, says_if_kept=""),
    "first-mark": Action(_mark("sky", "green"), _OLD[:1], says_if_kept=""),
    "sheet": Action(
        veracity("marks", "OUT/out", "--read", "GIVEN/sheet.csv"), _OLD, says_if_kept=""
    ),
    "label": Action(
        _put("label", "OUT/out", "-o", "OUT/items.csv"),
        (_OLD[0], _put("label", "OUT/out", "-o", "OUT/items.csv", "--n", "1"), _OLD[1]),
    ),
    "score": Action(
        _put("score", "OUT/run", "GIVEN/more.csv", "-o", "OUT/out"),
        (
            veracity("discover", "GIVEN/old.csv", "-o", "OUT/run", "--model", "vote"),
            _put("score", "OUT/run", "GIVEN/eve.csv", "-o", "OUT/out"),
        ),
    ),
    "golden": Action(
        _put("golden", "GIVEN/records.csv", *_OUT, *_GOLDEN),
        (_put("golden", "GIVEN/old-records.csv", *_OUT, *_GOLDEN),),
    ),
    "golden-database": Action(
        _put("golden", "GIVEN/records.csv", *_DATABASE, *_GOLDEN),
        (_put("golden", "GIVEN/old-records.csv", *_DATABASE, *_GOLDEN),),
        says_if_kept="the old ones or the new ones",
    ),
    "jury": Action(
        _put("jury", "GIVEN/verdicts.csv", *_OUT),
        (_put("jury", "GIVEN/old-verdicts.csv", *_OUT),),
    ),
}


def seen(place: Path) -> Any:
    """Return what anybody can see of the files in a place, once they are opened."""
    found = {}
    exchange.recover(place / "out")
    for path in sorted(place.iterdir()):
        if path.name != "tmp" and path.suffix != ".wal" and not path.name.startswith("."):
            found[path.name] = _seen(path)
    return json.loads(json.dumps(found, default=str))


def _seen(path: Path) -> Any:
    if path.suffix == ".duckdb":
        return _database(path)
    if path.is_file():
        return path.read_text()
    if path.name == "out" and (path / "run.json").exists():
        return _run(path)
    return {
        table.name: pq.read_table(table).to_pylist() for table in sorted(path.glob("*.parquet"))
    }


def _database(path: Path) -> Any:
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        return {name: connection.sql(f'FROM "{name}"').fetchall() for (name,) in tables}


def _run(out: Path) -> Any:
    run = open_run(out)  # which puts right what is left to do
    found = verify(out)
    assert found.problems == [], found.problems
    tables = [table.to_arrow().to_pylist() for table in (run.truths, run.statements, run.sources)]
    marks = sorted((mark.entity, mark.values) for mark in MarkBook(out).read())
    names = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    # Databases look after their own files; what is hidden is litter, which is judged apart.
    names = [name for name in names if ".sqlite" not in name and not name.startswith(".")]
    return [tables, len(run.claims), marks, names]


def litter(place: Path) -> list[str]:
    """Return what is left of work that was not finished."""
    hidden = [path for path in place.rglob("*") if path.name.startswith(".")]
    return sorted(str(path.relative_to(place)) for path in [*hidden, *(place / "tmp").iterdir()])
