"""``veracity generate``: a data set that ``discover`` can read, from a seed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from veracity import datasets

Command = Callable[..., Any]

SMALL = ("--sources", 12, "--entities", 40)


def test_what_it_writes_can_be_read_and_discovered(veracity: Command, tmp_path: Path) -> None:
    made = veracity("generate", tmp_path / "set", *SMALL, "--json")
    told = json.loads(made.out)
    assert set(told) == {"n_claims", "n_sources", "n_truth_rows", "oracle_accuracy"}
    loaded = datasets.load(tmp_path / "set")
    assert len(loaded.claims) == told["n_claims"]
    assert loaded.claims.matrix.n_sources == 12
    assert loaded.truth is not None
    truth = tmp_path / "set" / "truth.csv.gz"
    found = veracity(
        "discover",
        tmp_path / "set" / "claims.csv.gz",
        *("-o", tmp_path / "out", "--truth", truth, "--json"),
    )
    assert json.loads(found.out)["evaluation"]["accuracy"] > 0.5


def test_it_says_what_to_try_next(veracity: Command, tmp_path: Path) -> None:
    done = veracity("generate", tmp_path / "set", *SMALL)
    assert f"veracity discover {tmp_path / 'set'}/claims.csv.gz" in done.out
    assert "12 sources" in done.out


def test_the_seed_decides(veracity: Command, tmp_path: Path) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        veracity("generate", tmp_path / name, *SMALL, "--seed", seed, "--format", "csv", "-q")
    first, second, other = ((tmp_path / name / "claims.csv").read_bytes() for name in "abc")
    assert first == second != other


@pytest.mark.parametrize(
    "options",
    [
        ("--kind", "multiple", "--domain", "closed"),
        ("--kind", "boolean"),
        ("--attributes", 3, "--denials", 0.2),
        ("--copiers", 0.3, "--adversaries", 0.2, "--spammers", 0.1, "--tail", 1),
        ("--items-per-source", 5, "--one-claim-share", 0.5, "--difficulty", 1),
        ("--reliability", 0.9, "--clustering", 1, "--values", 3),
    ],
)
def test_every_option_gives_a_set(
    veracity: Command, tmp_path: Path, options: tuple[object, ...]
) -> None:
    assert veracity("generate", tmp_path / "set", *SMALL, *options, "-q").code == 0
    assert len(datasets.load(tmp_path / "set").claims) > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sources", 0), "at least 1"),
        (("--entities", -3), "at least 1"),
        (("--attributes", 0), "greater than or equal to 1"),
        (("--values", 1), "at least 2"),
        (("--kind", "sngle"), "single, multiple, boolean"),
        (("--domain", "opn"), "closed, open"),
        (("--reliability", 2), "between 0 and 1"),
        (("--adversaries", 0.7, "--spammers", 0.7), "at most 1"),
        (("--tail", "nan"), "at least 0"),
        (("--seed", -1), "--seed"),
        (("--seed", "x"), "--seed"),
        (("--format", "parqet"), "Did you mean 'parquet'?"),
    ],
)
def test_wrong_options_are_refused(
    veracity: Command, tmp_path: Path, options: tuple[object, ...], said: str
) -> None:
    done = veracity("generate", tmp_path / "set", *options)
    assert done.code == 2
    assert said in done.err
    assert list(tmp_path.iterdir()) == []


def test_only_a_set_is_overwritten(veracity: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    done = veracity("generate", tmp_path / "mine", *SMALL, "--overwrite")
    assert done.code == 2
    assert "not written by veracity" in done.err
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    assert veracity("generate", tmp_path / "set", *SMALL, "-q").code == 0
    assert "--overwrite" in veracity("generate", tmp_path / "set", *SMALL).err
    assert veracity("generate", tmp_path / "set", *SMALL, "-q", "--overwrite").code == 0
