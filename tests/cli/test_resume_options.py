"""Which options of discover make another run, whose checkpoints do not fit; none is forgotten."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer

from veracity.cli.app import app, run
from veracity.engines.checkpoints import Checkpoints

CLAIMS = """source,entity,attribute,value,time,topic
ann,a,colour,red,1,x
bob,a,colour,blue,2,y
cat,a,colour,red,3,x
ann,b,colour,blue,1,x
bob,b,colour,blue,2,y
ann,a,size,big,1,x
"""
TABLES = {
    "claims.csv": CLAIMS,
    "truth.csv": "entity,attribute,value\na,colour,red\n",
    "rules.csv": "if_attribute,if_value,then_attribute,then_value,kind,weight\n"
    "colour,red,size,big,implies,\n",
}
#: Options that change the answer, with words that change it here.
CHANGES: dict[str, list[str]] = {
    "--model": ["vote"],
    "--known-truth": ["truth.csv"],
    "--rules": ["rules.csv"],
    "--seed": ["7"],
    "--feature": ["topic"],
    "--changing": ["colour"],
    "--ragged": ["skip"],
    "--memory": ["1GB"],
    "--features": ["always"],
    "--no-features": [],
    "--family": ["topic"],
    "--confidence": ["never"],
    "--domain-column": ["topic"],
    "--class-prior": ["uniform"],
    "--max-iter": ["7"],
    "--tol": ["0.1"],
    "--set": ["allow_adversaries=true"],
    "--kind": ["colour=multiple"],
    "--domain": ["colour=open"],
    "--compare": ["colour=text"],
    "--strip": [],
    "--casefold": [],
    "--unicode": ["NFC"],
    "--duplicates": ["all"],
    "--nulls": ["error"],
    "--fields": ["auto"],
    "--reconcile": [],
    "--error-rate": ["0.2"],
}
#: Options that change nothing of the fit.
KEEPS: dict[str, list[str]] = {
    "--truth": ["truth.csv"],
    "--format": ["csv"],
    "--checkpoint-every": ["7"],
    "--resume": [],
    "--overwrite": [],
    "--escape-formulas": [],
    "--no-report": [],
    "--json": [],
    "--quiet": [],
}
#: Options that need another table, model or machine, and are not tried here. A new option must be
#: sorted into one of the three lists.
ELSEWHERE = frozenset(
    {
        "--activation",
        "--anchor",
        "--as-of",
        "--asserts",
        "--attribute",
        "--attributes",
        "--batch-size",
        "--category",
        "--cd-steps",
        "--delimiter",
        "--encoding",
        "--engine",
        "--entity",
        "--hidden-sizes",
        "--hierarchy",
        "--hive",
        "--item",
        "--key",
        "--learning-rate",
        "--master",
        "--notation",
        "--number",
        "--objective",
        "--optimizer",
        "--order",
        "--penalty",
        "--positive",
        "--query",
        "--rates",
        "--record",
        "--reliability",
        "--sequence",
        "--shape",
        "--smooth",
        "--source",
        "--source-effects",
        "--sources",
        "--speaking",
        "--table",
        "--threads",
        "--tie-hidden-bias",
        "--time",
        "--time-format",
        "--tolerance",
        "--value",
        "--weight",
        "--weights",
    }
)


class Begun(Exception):
    """A fit is about to begin; this is what tells it from others."""


def _described(folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> Any:
    def begin(self: Checkpoints, described: Mapping[str, Any]) -> None:
        raise Begun(json.dumps(described, default=str, sort_keys=True))

    monkeypatch.setattr(Checkpoints, "begin", begin)
    monkeypatch.setenv("VERACITY_DEBUG", "1")
    monkeypatch.chdir(folder)
    with pytest.raises(Begun) as begun:
        run(["discover", "claims.csv", "-o", "out", "--no-report", "-q", *words])
    return json.loads(str(begun.value))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("resume")
    for name, text in TABLES.items():
        (made / name).write_text(text)
    return made


@pytest.mark.parametrize("option", CHANGES)
def test_an_option_that_changes_the_answer_makes_another_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    usual = _described(folder, monkeypatch, [])
    assert _described(folder, monkeypatch, [option, *CHANGES[option]]) != usual


@pytest.mark.parametrize("option", KEEPS)
def test_other_options_do_not(folder: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    usual = _described(folder, monkeypatch, [])
    assert _described(folder, monkeypatch, [option, *KEEPS[option]]) == usual


def test_every_option_is_in_one_of_the_lists() -> None:
    command: Any = typer.main.get_command(app)
    found = {
        option.opts[0] for option in command.commands["discover"].params if option.opts[0][0] == "-"
    }
    assert found - {"--output"} == {*CHANGES, *KEEPS, *ELSEWHERE}
