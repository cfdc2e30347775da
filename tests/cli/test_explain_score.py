"""``veracity explain`` and ``veracity score``, on a run of the shipped example."""

from __future__ import annotations

import csv
import json
import math
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.conftest import Command, Write
from tests.panels import panel

from veracity import datasets
from veracity.cli.app import run as run_command

ENTITY, ATTRIBUTE = "Café Postmark", "wheelchair_access"


def test_terms_add_up_to_the_plausibility_of_the_run(veracity: Command, tmp_path: Path) -> None:
    run = tmp_path / "rbm"
    example = datasets.example.path()
    assert veracity("discover", example, "-o", run, "-q", "--model", "rbm").code == 0
    done = veracity("explain", run, ENTITY, ATTRIBUTE, "--json")
    assert done.code == 0
    (statement,) = json.loads(done.out)["statements"]
    total = statement["global_hidden_bias"] + sum(term["log_odds"] for term in statement["terms"])
    rows = pq.read_table(run / "statements.parquet").to_pylist()
    (plausibility,) = [
        row["plausibility"]
        for row in rows
        if (row["entity"], row["attribute"]) == (ENTITY, ATTRIBUTE)
    ]
    assert 1 / (1 + math.exp(-total)) == pytest.approx(plausibility, abs=1e-6)


def test_the_explanation_names_every_source(veracity: Command, tmp_path: Path) -> None:
    run = tmp_path / "all"
    assert veracity("discover", datasets.example.path(), "-o", run, "-q").code == 0
    done = veracity("explain", run, ENTITY, ATTRIBUTE)
    claims = pq.read_table(run / "claims.parquet").to_pylist()
    sources = {
        row["source"] for row in claims if (row["entity"], row["attribute"]) == (ENTITY, ATTRIBUTE)
    }
    assert sources
    assert all(source in done.out for source in sources)
    assert "before anybody speaks" in done.out


def test_explain_says_what_it_cannot(veracity: Command, run: Path, tmp_path: Path) -> None:
    unknown = veracity("explain", run, "Cafe Postmark")
    assert unknown.code == 2
    assert "Did you mean" in unknown.err
    several = veracity("explain", run, ENTITY)
    assert several.code == 2
    assert ATTRIBUTE in several.err
    nothing = veracity("explain", tmp_path / "nothing", ENTITY)
    assert nothing.code == 2
    assert "not the folder of a run" in nothing.err
    veracity("discover", datasets.example.path(), "-o", tmp_path / "vote", "--model", "vote", "-q")
    vote = veracity("explain", tmp_path / "vote", ENTITY, ATTRIBUTE)
    assert vote.code == 2
    assert "--model grbm or rbm" in vote.err


def test_score_judges_sources_never_seen(veracity: Command, run: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.csv"
    new.write_text(
        "source,entity,attribute,value,time,claim_age_days,source_kind,source_verified,"
        "entity_reviews\n"
        "owner,Nowhere,category,bar,2025-01-01,1,owner,yes,10\n"
        "gossip,Nowhere,category,museum,2020-01-01,2000,aggregator,no,10\n",
        encoding="utf-8",
    )
    done = veracity("score", run, new, "--json")
    assert done.code == 0
    (truth,) = json.loads(done.out)["truths"]
    assert truth["value"] == "bar"
    written = veracity("score", run, new, "-o", tmp_path / "scored", "--format", "csv")
    assert written.code == 0
    assert "bar" in written.out
    assert sorted(path.name for path in (tmp_path / "scored").iterdir()) == [
        "statements.csv",
        "truths.csv",
    ]


def test_score_combines_new_claims_with_those_of_the_run(
    veracity: Command, run: Path, write: Write
) -> None:
    new = write("new.csv", f"source,entity,attribute,value\nnew,{ENTITY},{ATTRIBUTE},no\n")
    found = json.loads(veracity("score", run, new, "--json").out)
    claims = pq.read_table(run / "claims.parquet").to_pylist()
    of_run = [row for row in claims if (row["entity"], row["attribute"]) == (ENTITY, ATTRIBUTE)]
    assert found["combined"] == len(of_run)
    alone = json.loads(veracity("score", run, new, "--json", "--alone").out)
    assert alone["combined"] == 0
    assert alone["truths"][0]["value"] == "no"
    said = veracity("score", run, new)
    assert f"1 verdict on 1 new claim, with {len(of_run)} claims that the run has" in said.out


def test_score_names_the_missing_feature(veracity: Command, tmp_path: Path) -> None:
    new, run = tmp_path / "new.csv", tmp_path / "run"
    options = ("--features", "source_kind,entity_reviews", "-q")
    assert veracity("discover", datasets.example.path(), "-o", run, *options).code == 0
    new.write_text("source,entity,attribute,value\nowner,Nowhere,category,bar\n", encoding="utf-8")
    done = veracity("score", run, new)
    assert done.code == 2
    assert "no feature column 'entity_reviews'" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "rbm", "--rates", "2,0.1"], "between 0 and 1"),
        (["--rates", "0.7,0.1"], "GRBM has no parameter 'rates'"),
        (["--error-rate", "0.7"], "error_rate must be more than 0"),
        (["--rates", "a,b"], "--rates takes"),
        (["--features", "nothing"], "There is no feature 'nothing'"),
        (["--features", "source_kind", "--no-features"], "not both"),
        (["--model", "vote", "--max-iter", "3"], "no parameter 'max_iter'"),
        (["--model", "gbrm"], "Did you mean 'grbm'"),
        (["--model", "rbm", "--objective", "cd", "--optimizer", "lbfgs"], "exact objective"),
    ],
)
def test_wrong_model_options(
    veracity: Command, tmp_path: Path, options: list[str], message: str
) -> None:
    done = veracity("discover", datasets.example.path(), "-o", tmp_path / "out", *options)
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "out").exists()


# Families and class priors


@pytest.fixture(scope="module")
def panel_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run with declared families and a class prior, once."""
    folder = tmp_path_factory.mktemp("panel")
    columns = panel()
    with (folder / "panel.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    said: tuple[str, ...] = ("--family", "source_family", "--class-prior", "a=0.3,b=0.3,c=0.4")
    said += ("--confidence", "never")
    plain = ("--domain", "value=closed", "--no-report", "-q")
    arguments = ("discover", folder / "panel.csv", "-o", folder / "run", *said, *plain)
    assert run_command([str(argument) for argument in arguments]) == 0
    return folder / "run"


NEW = "source,entity,value,source_family\nj0,new,a,gpt\nj1,new,a,gpt\nj5,new,b,\n"


def test_run_json_records_family_and_class_prior(panel_run: Path) -> None:
    parameters = json.loads((panel_run / "run.json").read_text("utf-8"))["model"]["parameters"]
    assert parameters["family"] == "source_family"
    assert parameters["class_prior"] == {"a": 0.3, "b": 0.3, "c": 0.4}
    assert parameters["confidence"] == "never"


def test_run_json_records_domains_and_smooth_functions(veracity: Command, tmp_path: Path) -> None:
    options = ("--domain-column", "source_kind", "--smooth", "claim_age_days", "--smooth", "time")
    done = veracity(
        "discover", datasets.example.path(), "-o", tmp_path / "run", "--no-report", *options
    )
    assert done.code == 0
    parameters = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))["model"][
        "parameters"
    ]
    assert parameters["domain"] == "source_kind"
    assert parameters["smooth"] == [["claim_age_days"], ["time"]]
    scored = veracity("score", tmp_path / "run", datasets.example.path(), "--json")
    assert scored.code == 0
    truths = pq.read_table(tmp_path / "run" / "truths.parquet")["value"].to_pylist()
    assert [row["value"] for row in json.loads(scored.out)["truths"]] == truths


def test_explain_says_what_a_family_counts_for(veracity: Command, panel_run: Path) -> None:
    done = veracity("explain", panel_run, "e00")
    assert "3 sources of family 'gpt': counted as 1.7\n" in done.out
    assert ", counts 0.58)" in done.out
    found = json.loads(veracity("explain", panel_run, "e00", "--json").out)
    assert found["families"][0] == {"family": "gpt", "n_sources": 3, "counted": 3**0.5}
    assert {round(term["weight"], 2) for term in found["statements"][0]["terms"]} == {
        *(0.58, 0.71, 1.0),
    }


def test_score_counts_families_if_they_are_given_or_known(
    veracity: Command, write: Write, panel_run: Path
) -> None:
    given = veracity("score", panel_run, write("new.csv", NEW), "--json")
    without = "\n".join(line.rpartition(",")[0] for line in NEW.splitlines()) + "\n"
    known = veracity("score", panel_run, write("without.csv", without), "--json")
    missing = veracity("score", panel_run, write("without.csv", without), "--json", "--alone")
    family, same, strangers = (
        next(row for row in json.loads(done.out)["statements"] if row["value"] == "a")
        for done in (given, known, missing)
    )
    assert family["plausibility"] < strangers["plausibility"]
    assert family == same  # the run knows whose sources these are
    said = veracity("score", panel_run, write("without.csv", without), "--alone")
    assert "no column 'source_family'" in said.out


def test_update_keeps_families_and_class_prior(
    veracity: Command, write: Write, panel_run: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(panel_run, tmp_path / "run"))
    for number, options in enumerate([("--no-refit",), ()]):
        new = write(f"new{number}.csv", NEW.replace("new", f"new{number}"))
        done = veracity("update", run, new, *options, "-q")
        assert done.code == 0, done.err
        told = veracity("explain", run, f"new{number}").out
        assert "2 sources of family 'gpt': counted as 1.4\n" in told
    parameters = json.loads((run / "run.json").read_text("utf-8"))["model"]["parameters"]
    assert parameters["family"] == "source_family"
    assert parameters["class_prior"] == {"a": 0.3, "b": 0.3, "c": 0.4}
    truths = pq.read_table(run / "truths.parquet")
    assert truths["hardness"].null_count == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--family", "kind"], "There is no feature column 'kind' to take families from."),
        (["--family", "source_kinds"], "Did you mean 'source_kind'"),
        (["--confidence", "claim_sure"], "There is no feature column 'claim_sure' to take stated"),
        (["--domain-column", "source_kinds"], "Did you mean 'source_kind'"),
        (["--smooth", "claim_age_day"], "Did you mean 'claim_age_days'"),
        (["--smooth", "a,b,c"], "smooth must be a column, a pair of coordinates"),
        (["--class-prior", "unifrom"], "Did you mean 'uniform'?"),
        (["--class-prior", "bar=0.2,cafe"], "--class-prior takes claims, uniform, or"),
        (["--class-prior", "bar=many,cafe=0.2"], "--class-prior takes claims, uniform, or"),
        (["--class-prior", "bar=0.5,bar=0.5"], "--class-prior takes claims, uniform, or"),
        (["--class-prior", "yes=0.9,no=0.9"], "they must sum to 1"),
        (["--class-prior", "day=0.9,night=0.1"], "which no attribute has as classes"),
        (["--model", "vote", "--family", "source_kind"], "MajorityVote has no parameter 'family'"),
    ],
)
def test_wrong_families_and_class_priors(
    veracity: Command, tmp_path: Path, options: list[str], message: str
) -> None:
    done = veracity("discover", datasets.example.path(), "-o", tmp_path / "out", *options)
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "out").exists()
