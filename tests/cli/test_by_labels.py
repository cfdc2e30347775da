"""Models judged by held-out labels: ``compare``, ``tune`` and ``discover --model auto``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.worlds import world

MADE = world([0.8, 0.75, 0.7, 0.7, 0.65], 80)


def write(path: Path, columns: dict[str, list[str]]) -> Path:
    lines = [",".join(row) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    return write(tmp_path / "drawn.csv", MADE.columns)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write(tmp_path / "labels.csv", MADE.known(30))


def unwrapped(text: str) -> str:
    return " ".join(text.split())


def test_compare_judges_by_held_out_labels(
    veracity: Command, drawn: Path, labels: Path, tmp_path: Path
) -> None:
    rows, text = tmp_path / "c.json", tmp_path / "c.md"
    command = ("compare", drawn, "--known-truth", labels, "--models", "vote,default,one-coin,gtm")
    done = veracity(*command, "--json", rows, "--markdown", text)
    assert done.code == 0, done.err
    assert "30 labels in 5 folds" in unwrapped(done.out)
    assert "gtm is left out: GTM works out numbers" in unwrapped(done.out)
    record = json.loads(rows.read_text(encoding="utf-8"))
    assert {row["model"] for row in record["models"]} == {"vote", "default", "one-coin"}
    for row in record["models"]:
        assert f"{row['log_loss']:.3f} ±{row['log_loss_se']:.3f}" in done.out
    assert record["reason"] in unwrapped(done.out)
    assert "| vote |" in text.read_text(encoding="utf-8")
    again = veracity(*command, "--json", rows, "--folds", 3, "-q")
    assert (again.code, again.out) == (0, "")
    assert json.loads(rows.read_text(encoding="utf-8"))["folds"] == 3


def test_compare_over_several_seeds(
    veracity: Command, drawn: Path, labels: Path, tmp_path: Path
) -> None:
    def loss(name: str, *options: object) -> float:
        rows = tmp_path / f"{name}.json"
        command = ("compare", drawn, "--known-truth", labels, "--models", "one-coin", "-q")
        assert veracity(*command, "--json", rows, *options).code == 0
        return float(json.loads(rows.read_text(encoding="utf-8"))["models"][0]["log_loss"])

    assert loss("one") != loss("two", "--seeds", 2)


def test_tune_judges_settings_by_held_out_labels(
    veracity: Command, drawn: Path, labels: Path
) -> None:
    command = ("tune", drawn, "--known-truth", labels, "--models", "vote")
    done = veracity(*command)
    assert done.code == 0, done.err
    record = json.loads(veracity(*command, "--json").out)
    assert record["incumbent"] == "default"
    shown = {row["model"] for row in record["models"]}
    assert shown == {"default", "allow_adversaries=true", "vote"}
    left_out = {row["model"] for row in record["left_out"]}
    assert left_out == {"features=never", "features=always"}
    assert record["reason"] in unwrapped(done.out)
    assert "features=never is left out: there are no usable features." in unwrapped(done.out)


def test_discover_lets_labels_choose(
    veracity: Command, drawn: Path, labels: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = ("discover", drawn, "--known-truth", labels, "--model", "auto", "--no-report")
    done = veracity(*command, "-o", out)
    assert done.code == 0, done.err
    assert "behind the best" in done.out
    record = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert f"- {record['choice']['reason']}" in done.out
    assert record["choice"]["n_labels"] == 30
    told = json.loads(veracity(*command, "-o", out, "--overwrite", "--json").out)
    assert told["choice"] == record["choice"]


def test_auto_without_labels_is_the_default(veracity: Command, drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = veracity("discover", drawn, "--model", "auto", "-o", out, "--no-report")
    assert done.code == 0, done.err
    assert "Kept default: without known truth nothing shows which model is right." in done.out
    assert "behind the best" not in done.out


@pytest.mark.parametrize("command", ["compare", "tune"])
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"entity": ["e0000", "e0001"], "value": ["v0", "v1"]}, "2 labels of items with claims"),
        ({"entity": ["nowhere"], "value": ["v0"]}, "No known truth is about an item with claims"),
        (
            {"entity": [f"e{n:04d}" for n in range(9)], "value": ["v1"] * 9},
            "All 9 labels are 'v1'. They cannot tell",
        ),
    ],
)
def test_labels_that_cannot_judge_are_refused(
    veracity: Command,
    drawn: Path,
    tmp_path: Path,
    command: str,
    rows: dict[str, list[str]],
    said: str,
) -> None:
    done = veracity(command, drawn, "--known-truth", write(tmp_path / "few.csv", rows))
    assert done.code == 2
    assert said in unwrapped(done.err)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("compare", "--truth", "t.csv"), "either --truth or --known-truth"),
        (("tune", "--truth", "t.csv"), "either --truth or --known-truth"),
        (("compare", "--jobs", "2"), "--known-truth does not go with --jobs"),
        (("compare", "--peers", "--time-limit", "9"), "--peers, --time-limit"),
        (("compare", "--models", "vot"), "Did you mean 'vote'"),
        (("compare", "--folds", "1"), "--folds"),
    ],
)
def test_wrong_options_are_refused(
    veracity: Command, drawn: Path, labels: Path, options: tuple[str, ...], said: str
) -> None:
    name, *rest = options
    done = veracity(name, drawn, "--known-truth", labels, *rest)
    assert done.code == 2
    assert said in unwrapped(done.err)


@pytest.mark.parametrize("command", ["compare", "tune"])
def test_folds_need_labels(veracity: Command, drawn: Path, labels: Path, command: str) -> None:
    done = veracity(command, drawn, "--truth", labels, "--folds", 3)
    assert done.code == 2
    assert "--folds needs --known-truth" in unwrapped(done.err)


def test_a_file_of_something_else_is_not_replaced(
    veracity: Command, drawn: Path, labels: Path, tmp_path: Path
) -> None:
    other = tmp_path / "mine.json"
    other.write_text("[1, 2]", encoding="utf-8")
    command = ("compare", drawn, "--known-truth", labels, "--models", "vote", "--json", other)
    done = veracity(*command)
    assert done.code == 2
    assert "is not replaced" in unwrapped(done.err)
    assert other.read_text(encoding="utf-8") == "[1, 2]"
