"""``veracity tune`` on one table, with labels and without."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command

from veracity import datasets
from veracity.evaluation.hyperparameters import NO_JUDGE


def unwrapped(text: str) -> str:
    return " ".join(text.split())


def test_without_labels_it_says_what_held_out_claims_cannot(veracity: Command) -> None:
    done = veracity("tune", datasets.example.path())
    assert done.code == 0, done.err
    assert "allow_adversaries=true" in done.out
    assert NO_JUDGE in unwrapped(done.out)
    assert "`veracity disagreements`" in unwrapped(done.out)
    assert "accuracy" not in done.out
    assert "is left out:" in done.out


def test_with_labels_settings_and_models_are_measured(veracity: Command) -> None:
    claims = datasets.example.path()
    command = ("tune", claims, "--truth", claims.parent / "truth.csv", "--models", "vote,one-coin")
    done = veracity(*command)
    assert done.code == 0, done.err
    assert NO_JUDGE in unwrapped(done.out)
    assert "95 % interval" in done.out
    assert "vs default (p)" in done.out
    found = json.loads(veracity(*command, "--json").out)
    rows = {row["setting"]: row for row in found["settings"]}
    assert next(iter(rows)) == "default"
    assert {"vote", "one-coin", "allow_adversaries=true"} <= set(rows)
    for row in rows.values():
        assert row["low"] < row["accuracy"] < row["high"]
        assert f"{row['accuracy']:.1%}" in done.out
        apart = row["accuracy"] - rows["default"]["accuracy"]
        assert (row["better"] - row["worse"]) / row["n_items"] == pytest.approx(apart)
    assert rows["vote"]["log_probability"] is None
    assert found["verdict"] in unwrapped(done.out)
    assert found["held_out"] == NO_JUDGE


def test_few_labels_are_called_few(veracity: Command, tmp_path: Path) -> None:
    truth = tmp_path / "labels.csv"
    lines = (datasets.example.path().parent / "truth.csv").read_text(encoding="utf-8").splitlines()
    truth.write_text("\n".join([lines[0], *lines[1:12]]), encoding="utf-8")
    done = veracity("tune", datasets.example.path(), "--truth", truth, "--models", "vote")
    assert done.code == 0, done.err
    assert "labelled items, the accuracy of default lies between" in unwrapped(done.out)


def test_the_seed_decides_what_is_held_out(veracity: Command) -> None:
    def figures(seed: int) -> list[float]:
        done = veracity("tune", datasets.example.path(), "--seed", seed, "--json")
        return [row["log_probability"] for row in json.loads(done.out)["settings"]]

    assert figures(1) == figures(1)
    assert figures(1)[0] != figures(2)[0]


def test_reading_options_apply(veracity: Command, claims: Path, tmp_path: Path) -> None:
    truth = tmp_path / "t.csv"
    truth.write_text("entity,value\nsky,BLUE\n")
    command = ("tune", claims, "--truth", truth, "--models", "vote", "--json")
    for options, accuracy in (((), 0), (("--casefold",), 1)):
        rows = json.loads(veracity(*command, *options).out)["settings"]
        assert rows[-1]["accuracy"] == accuracy


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--models", "vot"), "Did you mean 'vote'"),
        (("--models", "gtm"), "numbers"),
        (("--source", "nobody"), "nobody"),
        (("--seed", "-1"), "--seed"),
    ],
)
def test_wrong_options_are_refused(
    veracity: Command, claims: Path, truth: Path, options: tuple[object, ...], said: str
) -> None:
    done = veracity("tune", claims, "--truth", truth, *options)
    assert done.code == 2
    assert said in done.err


def test_wrong_truth_is_refused(veracity: Command, claims: Path, tmp_path: Path) -> None:
    models = veracity("tune", claims, "--models", "vote")
    assert models.code == 2
    assert "--truth" in models.err
    other = tmp_path / "other.csv"
    other.write_text("entity,value\nnowhere,1\n")
    shared = veracity("tune", claims, "--truth", other)
    assert shared.code == 2
    assert "shares no item" in shared.err
    missing = veracity("tune", claims, "--truth", tmp_path / "missing.csv")
    assert missing.code == 2
