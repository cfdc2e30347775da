"""``veracity inspect``: what it sees in a table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]


def test_it_says_what_it_sees(veracity: Command, write: Write) -> None:
    path = write(
        "c.csv",
        "worker,task,label,claim_words,colour\n"
        "ann,sky,blue,3,x\nann,sky,green,3,x\nbob,sky,blue,4,y\n,sky,blue,1,z\n",
    )
    done = veracity("inspect", path)
    assert done.code == 0
    assert done.err == ""
    for line in (
        "source    worker",
        "entity    task",
        "value     label",
        "feature   claim_words (number)",
        "not used  colour",
        "1 of 2 sources make a single claim",
        "Dropped 1 claim of 4 with a missing label (1 without source).",
    ):
        assert line in done.out
    assert "value is " in done.out  # the kind of the attribute, and why


def test_json_holds_the_same_as_data(veracity: Command, claims: Path) -> None:
    done = veracity("inspect", claims, "--json")
    told = json.loads(done.out)
    assert done.err == ""
    assert set(told) == {
        *("columns", "features", "ignored", "informative", "attributes"),
        *("fields", "counts", "clashes", "notes"),
    }
    assert told["columns"] == {"source": "source", "entity": "entity", "value": "value"}
    assert told["features"] == {"claim_words": "double"}
    assert told["counts"]["n_contested"] == 1
    assert told["attributes"][0]["kind_reason"]


def test_many_attributes_are_cut(veracity: Command, write: Write) -> None:
    rows = "".join(f"ann,e,a{i},v\n" for i in range(25))
    done = veracity("inspect", write("c.csv", "source,entity,attribute,value\n" + rows))
    assert "and 5 more" in done.out


def test_denials_are_counted(veracity: Command, write: Write) -> None:
    path = write("c.csv", "source,entity,value,asserts\nann,sky,blue,1\nbob,sky,blue,0\n")
    assert "1 claim denies a statement." in veracity("inspect", path).out


def test_nothing_is_written(veracity: Command, claims: Path, tmp_path: Path) -> None:
    veracity("inspect", claims)
    assert [path.name for path in tmp_path.iterdir()] == ["claims.csv"]
