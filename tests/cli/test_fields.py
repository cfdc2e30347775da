"""Fields from the command line: discover, inspect, update and score, in memory and in blocks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.field_records import shop_rows, write_shops

from veracity import Attribute, Claims, MajorityVote
from veracity.errors import InvalidParameter
from veracity.workflow.saved_run import open_run

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def shops(tmp_path: Path) -> Path:
    return write_shops(tmp_path / "shops.csv")


def truths(run: Path) -> dict[tuple[str, str], str]:
    table = pq.read_table(run / "truths.parquet", columns=["entity", "attribute", "value"])
    return {(row["entity"], row["attribute"]): row["value"] for row in table.to_pylist()}


def discover(veracity: Command, shops: Path, run: Path, *options: object) -> None:
    model = () if "--model" in options else ("--model", "vote")
    done = veracity("discover", shops, *model, *options, "-q", "--no-report", "-o", run)
    assert (done.code, done.err) == (0, "")


def test_fields_make_sources_agree(veracity: Command, shops: Path, tmp_path: Path) -> None:
    discover(veracity, shops, tmp_path / "run", "--fields", "auto")
    claimed = {(attribute, value) for _, _, attribute, value in shop_rows()}
    assert {(name, value) for (_, name), value in truths(tmp_path / "run").items()} <= claimed
    told = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    rule = told["settings"]["attributes"]["opened"]["notation"]
    assert rule["of_source"] == {"book": "dmy", "legacy": "mdy"}
    saved = open_run(tmp_path / "run").claims
    assert saved.matrix.n_statements == told["counts"]["n_statements"]


def test_results_are_the_same_in_blocks(veracity: Command, shops: Path, tmp_path: Path) -> None:
    for name, options in {"whole": (), "blocks": ("--memory", "256MB")}.items():
        discover(veracity, shops, tmp_path / name, "--fields", "auto", *options)
    notes = [
        json.loads((tmp_path / name / "run.json").read_text(encoding="utf-8"))["settings"]
        for name in ("whole", "blocks")
    ]
    assert truths(tmp_path / "whole") == truths(tmp_path / "blocks")
    assert notes[0]["attributes"] == notes[1]["attributes"]


def test_known_truth_may_be_spelled_in_another_way(
    veracity: Command, write: Write, tmp_path: Path
) -> None:
    rows = [
        ("web", "a", "phone", "+41 44 668 18 00"),
        ("book", "a", "phone", "+41 44 668 18 01"),
        ("web", "b", "phone", "+41 44 211 00 00"),
        ("book", "b", "phone", "044 211 00 00"),
    ]
    shops = write_shops(tmp_path / "few.csv", rows)
    labels = write("labels.csv", "entity,attribute,value\na,phone,044/668 18 01\n")
    options = ("--compare", "phone=phone", "--known-truth", labels, "--model", "default")
    discover(veracity, shops, tmp_path / "run", *options)
    assert truths(tmp_path / "run")["a", "phone"] == "+41 44 668 18 01"
    truth = write("truth.csv", "entity,attribute,value\nb,phone,0041 44 211 00 00\n")
    again = veracity(
        "discover", shops, "--compare", "phone=phone", "--truth", truth, "--model", "vote",
        "--no-report", "--json", "-o", tmp_path / "measured",
    )  # fmt: skip
    assert json.loads(again.out)["evaluation"]["accuracy"] == 1


def test_notations_can_be_given(veracity: Command, write: Write, tmp_path: Path) -> None:
    claims = write(
        "c.csv", "source,entity,value\nus,a,03/04/2020\nuk,a,03/04/2020\niso,a,2020-04-03\n"
    )
    options = ("--compare", "value=date", "--notation", "value=dmy", "--notation", "value=us:mdy")
    discover(veracity, claims, tmp_path / "run", *options)
    assert list(truths(tmp_path / "run").values()) in (["2020-04-03"], ["03/04/2020"])
    statements = pq.read_table(tmp_path / "run" / "statements.parquet")
    assert statements.num_rows == 2


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("opened=ymd", "'ymd' is no notation of dates"),
        ("opened", "should be written ATTRIBUTE=VALUE, for example opened=dmy"),
    ],
)
def test_wrong_notations_are_refused(
    veracity: Command, shops: Path, option: str, message: str
) -> None:
    done = veracity("inspect", shops, "--compare", "opened=date", "--notation", option)
    assert done.code == 2
    assert message in done.err


def test_inspect_says_which_fields_there_are(veracity: Command, shops: Path) -> None:
    done = veracity("inspect", shops)
    assert "--compare phone=phone" in done.out
    assert "3 spellings of 1 country would be read as one" in " ".join(done.out.split())
    told = json.loads(veracity("inspect", shops, "--json").out)["fields"]
    assert {one["field"] for one in told} >= {"phone", "date", "amount", "company", "country"}


def test_new_claims_are_read_as_the_run_was(
    veracity: Command, shops: Path, write: Write, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    discover(veracity, shops, run, "--fields", "auto", "--model", "default")
    header = "source,entity,attribute,value\n"
    new = write(
        "new.csv",
        f"{header}legacy,shop90,opened,03/04/2020\nbook,shop90,opened,04/03/2020\n"
        "book,shop90,phone,044 300 11 22\nweb,shop90,phone,+41 44 300 11 22\n",
    )
    scored = json.loads(veracity("score", run, new, "--json").out)
    assert {row["attribute"] for row in scored["statements"]} == {"opened", "phone"}
    assert len(scored["statements"]) == 2
    for options in (("--no-refit",), ()):
        updated = veracity("update", run, new, "--json", "--write-tables", *options)
        assert (updated.code, updated.err) == (0, "")
    found = truths(run)
    assert found["shop90", "phone"] in ("+41 44 300 11 22", "044 300 11 22")
    about = pq.read_table(run / "statements.parquet").to_pylist()
    assert len([row for row in about if row["entity"] == "shop90"]) == 2


def test_claims_read_in_another_way_are_refused_by_a_stream() -> None:
    rows = [("web", "a", "25/03/2020"), ("book", "a", "2020-03-25"), ("web", "b", "03/04/2020")]
    first = Claims.from_triples(rows, attributes={"*": Attribute(values="date")})
    model = MajorityVote().partial_fit(first)
    with pytest.raises(InvalidParameter, match="read 'value' in another way"):
        model.partial_fit(Claims.from_triples([("web", "c", "05/06/2020")]))
    model.partial_fit({"source": ["web"], "entity": ["c"], "value": ["05/06/2020"]})
    model.partial_fit({"source": ["book"], "entity": ["c"], "value": ["2020-06-05"]})
    believed = {row["entity"]: row["n_values"] for row in model.truths_.to_pylist()}
    assert believed["c"] == 1
