"""Truth in another spelling than the claims: an error or a note, never a figure of nothing."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

SOURCES, N_ITEMS = ("ann", "bob", "cy"), 30


def label(number: int) -> str:
    return "positive" if number % 3 else "negative"


@pytest.fixture
def claims(write: Write) -> Path:
    rows = [
        f"{source},{number},label,{label(number + (source == 'cy' and number % 4 == 0))}\n"
        for number in range(N_ITEMS)
        for source in SOURCES
    ]
    return write("claims.csv", "source,entity,attribute,value\n" + "".join(rows))


@pytest.fixture
def truth(write: Write) -> Callable[..., Path]:
    """Write the truth of some items; those with a number below `spelled` in capitals."""

    def call(spelled: int, size: int = N_ITEMS) -> Path:
        rows = [
            f"{number},label,{label(number).title() if number < spelled else label(number)}\n"
            for number in range(size)
        ]
        return write("labels.csv", "entity,attribute,value\n" + "".join(rows))

    return call


WORDS = (
    "value of 'label' occurs among its claims: 'Positive', 'Negative'. Did you mean 'positive'? "
    "--casefold ignores case.\n"
)


@pytest.mark.parametrize("memory", [(), ("--memory", "600MB")])
@pytest.mark.parametrize(("option", "what"), [("--known-truth", "known"), ("--truth", "true")])
def test_no_value_occurs(
    veracity: Command,
    claims: Path,
    truth: Callable[..., Path],
    tmp_path: Path,
    option: str,
    what: str,
    memory: tuple[str, ...],
) -> None:
    labels, out = truth(N_ITEMS, 20), tmp_path / "out"
    done = veracity("discover", claims, option, labels, "-o", out, *memory)
    assert (done.code, done.out, done.err) == (2, "", f"Error: No {what} {WORDS}")
    assert not out.exists()
    again = veracity("discover", claims, option, labels, "-o", out, "--casefold", *memory)
    assert again.code == 0, again.err
    assert "Check the" not in again.out


@pytest.mark.parametrize("memory", [(), ("--memory", "600MB")])
@pytest.mark.parametrize("option", ["--known-truth", "--truth"])
def test_some_values_do_not_occur(
    veracity: Command,
    claims: Path,
    truth: Callable[..., Path],
    tmp_path: Path,
    option: str,
    memory: tuple[str, ...],
) -> None:
    out = tmp_path / "out"
    done = veracity("discover", claims, option, truth(5, 20), "-o", out, *memory)
    assert done.code == 0, done.err
    first = done.out.partition("Notes\n- ")[2].partition("\n")[0]
    name, value = ("truth", "true") if option == "--truth" else ("known truth", "known")
    assert first.startswith(
        f"Check the {name}: 5 of the 20 {value} values of 'label' do not occur among its claims, "
        "such as 'Positive' of '1'. Did you mean 'positive'? --casefold ignores case. "
    )
    note = json.loads((out / "run.json").read_text())["notes"][0]
    short = f"the {name} may be spelled otherwise than the claims"
    assert note == {"subject": name, "text": first, "count": 5, "short": short}


def test_labels_that_are_values_of_the_domain_cause_no_alarm(
    veracity: Command, claims: Path, write: Write, tmp_path: Path
) -> None:
    labels = write("labels.csv", "entity,attribute,value\n1,label,negative\n2,label,positive\n")
    done = veracity("discover", claims, "--known-truth", labels, "-o", tmp_path / "out")
    assert done.code == 0
    assert "Nobody claims the value of 1 known truth, such as '1'" in done.out
    assert "Check the" not in done.out
    assert "Did you mean" not in done.out


@pytest.mark.parametrize(
    "command", [("compare", "--models", "vote", "--seeds", 1), ("tune", "--models", "vote")]
)
def test_models_are_not_measured_by_it(
    veracity: Command, claims: Path, truth: Callable[..., Path], command: tuple[object, ...]
) -> None:
    name, *options = command
    done = veracity(name, claims, "--truth", truth(N_ITEMS), *options)
    assert (done.code, done.err) == (2, f"Error: No true {WORDS}")
    some = veracity(name, claims, "--truth", truth(5), *options)
    assert some.code == 0, some.err
    assert "Check the truth: 5 of the 30 true values" in " ".join(some.out.split())


def test_the_scoreboard_gives_the_reason(
    veracity: Command, claims: Path, truth: Callable[..., Path], tmp_path: Path
) -> None:
    folder = tmp_path / "sets" / "one"
    folder.mkdir(parents=True)
    claims.rename(folder / "claims.csv")
    truth(N_ITEMS).rename(folder / "truth.csv")
    done = veracity("scoreboard", "--data", folder.parent, "--models", "vote", "--seeds", 1)
    assert "No true value of 'label' occurs among its claims" in " ".join(done.out.split())


def test_a_report_is_not_measured_by_it(
    veracity: Command, claims: Path, truth: Callable[..., Path], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert veracity("discover", claims, "-o", out, "--no-report").code == 0
    done = veracity("report", out, "--truth", truth(N_ITEMS))
    assert (done.code, done.err) == (2, f"Error: No true {WORDS}")
    assert veracity("report", out, "--truth", truth(5)).code == 0
    assert "Check the truth: 5 of the 30 true values" in (out / "report.html").read_text()


def test_a_label_about_an_item_that_nobody_claims_is_kept(
    veracity: Command, claims: Path, write: Write, tmp_path: Path
) -> None:
    labels = write("labels.csv", "entity,attribute,value\n1,label,positive\nmoon,label,positive\n")
    for memory in ((), ("--memory", "600MB")):
        out = tmp_path / f"out{len(memory)}"
        options = ("--known-truth", labels, "--format", "csv", *memory)
        done = veracity("discover", claims, "-o", out, *options)
        assert "1 known truth is about an item without claims, such as 'moon'" in done.out
        with (out / "truths.csv").open(newline="") as file:
            (row,) = [row for row in csv.DictReader(file) if row["entity"] == "moon"]
        assert (row["value"], float(row["plausibility"])) == ("positive", 1.0)


def test_labels_of_a_public_set_in_another_case(
    veracity: Command, data_folder: Path, write: Write, tmp_path: Path
) -> None:
    words = {"0": "negative", "1": "positive"}
    tables = {}
    for name in ("claims", "truth"):
        with gzip.open(data_folder / "bm_sentiment" / f"{name}.csv.gz", "rt") as file:
            rows = [{**row, "value": words[row["value"]]} for row in csv.DictReader(file)]
        tables[name] = [(*((row["source"],) if name == "claims" else ()), row["entity"],
                         row["value"]) for row in rows]  # fmt: skip
    header = "entity,value\n"
    said = write("claims.csv", "source," + header + "".join(map(_line, tables["claims"])))
    true = write("truth.csv", header + "".join(map(_line, tables["truth"])))
    some = [(entity, value.title()) for entity, value in tables["truth"][:50]]
    labels = write("labels.csv", header + "".join(map(_line, some)))
    command = ("discover", said, "--known-truth", labels, "--truth", true, "--no-report")
    done = veracity(*command, "-o", tmp_path / "out")
    assert done.code == 2
    assert "No known value of 'value' occurs among its claims" in done.err
    assert "--casefold ignores case." in done.err
    assert veracity(*command, "-o", tmp_path / "out", "--casefold").code == 0


def _line(cells: tuple[str, ...]) -> str:
    return ",".join(cells) + "\n"
