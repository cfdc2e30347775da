"""Which options of discover make another run, whose checkpoints do not fit; none is forgotten."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow.parquet as pq
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
    "more.csv": "source,entity,attribute,value,day,importance,says\n"
    "ann,a,length,10,03/01/2024,1,1\nbob,a,length,10.5,04/01/2024,2,0\n"
    "ann,a,born,03/02/1990,03/01/2024,1,1\nbob,a,born,1990-02-03,04/01/2024,2,1\n"
    "ann,a,seen,yes,03/01/2024,1,1\nbob,a,seen,no,04/01/2024,1,1\n",
    "records.csv": "id,other,number,origin,name,city\n"
    "1,x,7,crm,Ann,Rome\n1,x,8,shop,Anne,Rome\n2,x,9,crm,Bob,Oslo\n",
    "wide.csv": "item,who,ann,bob\n1,p,red,blue\n2,q,red,red\n",
    "within.csv": "child,parent\nred,warm\nblue,cold\n",
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


class Case(NamedTuple):
    """The words of a run, and those that are changed or added to resume it."""

    run: list[str]
    words: list[str]


def _paper(*run: str) -> list[str]:
    return ["claims.csv", "--model", "grbm-paper", *run]


_DATABASE = ["two.duckdb", "--table", "claims"]
_RECORDS = ["records.csv", "--shape", "records", "--key", "id", "--source", "origin"]
_WIDE = ["wide.csv", "--shape", "wide"]
_NETWORK = _paper("--reliability", "mlp", "--feature", "topic")
_ADAM = _paper("--optimizer", "adam")
#: Options that need another table or model, and change the answer there.
CHANGES_THERE: dict[str, Case] = {
    # Which table is read, and how.
    "--table": Case(_DATABASE, ["others"]),
    "--query": Case(["two.duckdb", "--query", "FROM claims"], ["FROM claims LIMIT 4"]),
    "--encoding": Case(["claims.csv"], ["latin-1"]),
    "--delimiter": Case(["claims.csv"], [","]),
    "--hive": Case(["hive"], []),
    # Which columns are what.
    "--source": Case(["claims.csv"], ["topic"]),
    "--entity": Case(["claims.csv"], ["topic"]),
    "--attribute": Case(["claims.csv"], ["topic"]),
    "--value": Case(["claims.csv"], ["topic"]),
    "--time": Case(["more.csv"], ["importance"]),
    "--time-format": Case(["more.csv", "--time", "day", "--time-format", "%d/%m/%Y"], ["%m/%d/%Y"]),
    "--weight": Case(["more.csv"], ["importance"]),
    "--asserts": Case(["more.csv"], ["says"]),
    "--number": Case(["more.csv", "--feature", "importance"], ["importance"]),
    "--category": Case(["more.csv", "--feature", "importance"], ["importance"]),
    # Other shapes.
    "--shape": Case(["claims.csv"], ["wide"]),
    "--key": Case(_RECORDS, ["other"]),
    "--attributes": Case(_RECORDS, ["city"]),
    "--record": Case(_RECORDS, ["number"]),
    "--item": Case(_WIDE, ["who"]),
    "--sources": Case(_WIDE, ["ann"]),
    # What values mean.
    "--notation": Case(["more.csv", "--compare", "born=date"], ["born=dmy"]),
    "--order": Case(["claims.csv"], ["size=small,big"]),
    "--tolerance": Case(["more.csv"], ["length=1"]),
    "--hierarchy": Case(["claims.csv"], ["colour=within.csv"]),
    "--as-of": Case(["claims.csv", "--changing", "colour"], ["2"]),
    "--positive": Case(["more.csv", "--kind", "seen=boolean"], ["seen=no"]),
    # The default's own.
    "--smooth": Case(["claims.csv"], ["time"]),
    "--speaking": Case(["claims.csv"], []),
    "--threads": Case(["claims.csv", "--threads", "1"], ["2"]),
    # Those of the paper's machine.
    "--reliability": Case(_paper("--feature", "topic"), ["linear"]),
    "--activation": Case(_NETWORK, ["relu"]),
    "--hidden-sizes": Case(_NETWORK, ["3"]),
    "--sequence": Case(_paper("--reliability", "gru"), ["source"]),
    "--source-effects": Case(_paper("--feature", "topic", "--no-source-effects"), []),
    "--rates": Case(_paper(), ["pessimistic"]),
    "--tie-hidden-bias": Case(_paper("--no-tie-hidden-bias"), []),
    "--weights": Case(_paper(), ["free"]),
    "--penalty": Case(_paper(), ["0.7"]),
    "--anchor": Case(_paper(), ["0.7"]),
    "--objective": Case(_ADAM, ["exact"]),
    "--cd-steps": Case([*_ADAM, "--objective", "cd"], ["3"]),
    "--optimizer": Case(_paper(), ["adam"]),
    "--learning-rate": Case(_ADAM, ["0.7"]),
    "--batch-size": Case(_ADAM, ["2"]),
}
#: Options that need a cluster, and are not tried here. A new option must be sorted into a list.
ELSEWHERE = frozenset({"--engine", "--master"})


class Begun(Exception):
    """A fit is about to begin; this is what tells it from others."""


def _described(folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> Any:
    def begin(self: Checkpoints, described: Mapping[str, Any]) -> None:
        raise Begun(json.dumps(described, default=str, sort_keys=True))

    monkeypatch.setattr(Checkpoints, "begin", begin)
    monkeypatch.setenv("VERACITY_DEBUG", "1")
    monkeypatch.chdir(folder)
    with pytest.raises(Begun) as begun:
        run(["discover", *words, "-o", "out", "--no-report", "-q"])
    return json.loads(str(begun.value))


def _changed(case: Case, option: str) -> list[str]:
    """Return the words of a run with an option changed or added."""
    words = [word for word in case.run if word != option.replace("--", "--no-", 1)]
    if option in words and case.words:
        place = words.index(option)
        del words[place : place + 2]
    return [*words, option, *case.words]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("resume")
    for name, text in TABLES.items():
        (made / name).write_text(text)
    partition = made / "hive" / "topic=x"
    partition.mkdir(parents=True)
    with duckdb.connect(made / "two.duckdb") as database:
        database.execute(f"CREATE TABLE claims AS FROM '{made / 'claims.csv'}'")
        database.execute("CREATE TABLE others AS FROM claims LIMIT 5")
        renamed = "SELECT source AS worker, entity, attribute, value FROM claims"
        database.execute(f"COPY ({renamed}) TO '{partition / 'c.parquet'}' (FORMAT parquet)")
    return made


@pytest.mark.parametrize("option", CHANGES)
def test_an_option_that_changes_the_answer_makes_another_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    usual = _described(folder, monkeypatch, ["claims.csv"])
    words = ["claims.csv", option, *CHANGES[option]]
    assert _described(folder, monkeypatch, words) != usual


@pytest.mark.parametrize("option", CHANGES_THERE)
def test_so_does_an_option_of_other_tables_and_models(
    folder: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    case = CHANGES_THERE[option]
    usual = _described(folder, monkeypatch, case.run)
    assert _described(folder, monkeypatch, case.run) == usual
    assert _described(folder, monkeypatch, _changed(case, option)) != usual


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        (["claims.csv"], "claims.csv"),
        (["claims.csv", "--known-truth", "truth.csv"], "truth.csv"),
        (["claims.csv", "--rules", "rules.csv"], "rules.csv"),
        (["claims.csv", "--hierarchy", "colour=within.csv"], "within.csv"),
        (_DATABASE, "two.duckdb"),
        (["hive"], "hive/topic=x/c.parquet"),
    ],
)
def test_so_does_a_file_with_other_content(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], changed: str
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    before = _described(copy, monkeypatch, words)
    path = copy / changed
    if path.suffix == ".duckdb":
        with duckdb.connect(path) as database:
            database.execute("DELETE FROM claims WHERE source = 'cat'")
    elif path.suffix == ".parquet":
        pq.write_table(pq.read_table(path, partitioning=None).slice(2), path)
    else:
        path.write_text(path.read_text().replace("red", "pink"))
    assert _described(copy, monkeypatch, words) != before


@pytest.mark.parametrize("option", KEEPS)
def test_other_options_do_not(folder: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    usual = _described(folder, monkeypatch, ["claims.csv"])
    words = ["claims.csv", option, *KEEPS[option]]
    assert _described(folder, monkeypatch, words) == usual


def test_every_option_is_in_one_of_the_lists() -> None:
    command: Any = typer.main.get_command(app)
    found = {
        option.opts[0] for option in command.commands["discover"].params if option.opts[0][0] == "-"
    }
    assert found - {"--output"} == {*CHANGES, *CHANGES_THERE, *KEEPS, *ELSEWHERE}
