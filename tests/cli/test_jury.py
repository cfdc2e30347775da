"""``veracity jury``, from a file to a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from veracity.cli.app import run
from veracity.data.output.write import write_table
from veracity.datasets.synthetic import JudgeSpec, draw_jury
from veracity.workflow import open_run

JUDGES = (
    JudgeSpec("good", 0.88, confidence=(0.0, 1.0), cost=3.0),
    JudgeSpec("fair", 0.8, first=0.8, confidence=(1.5, 0.5), cost=1.0),
    JudgeSpec("weak", 0.7, cost=1.0),
    JudgeSpec("coin", 0.5, cost=2.0),
    JudgeSpec("other", 0.8, cost=1.0),
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    drawn = draw_jury(JUDGES, 200, both_orders=True)
    verdicts, truth = tmp_path / "verdicts.jsonl", tmp_path / "truth.csv"
    write_table(drawn.verdicts, verdicts, "jsonl")
    write_table(drawn.truth, truth, "csv")
    return verdicts, truth


def test_findings_come_first_and_the_folder_is_a_run(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts, truth = files
    out = tmp_path / "out"
    assert run(["jury", str(verdicts), "-o", str(out), "--truth", str(truth)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("5 judges gave 2,000 verdicts on 200 questions")
    assert any("costs least" in line for line in printed)
    assert any("Against the truth of 200 questions" in line for line in printed)
    described = json.loads((out / "jury.json").read_text(encoding="utf-8"))
    assert 3 <= len(described["findings"]) <= 8
    assert [row["judge"] for row in described["judges"]] == sorted(one.name for one in JUDGES)
    assert described["agreement"]["krippendorff_alpha"] is not None
    assert len(open_run(out).claims) == 2000
    assert run(["jury", str(verdicts), "-o", str(out)]) == 2  # it is there already
    assert run(["jury", str(verdicts), "-o", str(out), "--overwrite", "--quiet"]) == 0


def test_a_wrong_column_is_an_error_in_words(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["jury", str(files[0]), "-o", str(out), "--judge", "jduge"]) == 2
    assert "Did you mean 'judge'" in capsys.readouterr().err
    assert not out.exists()


def test_json_is_all_that_is_printed(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["jury", str(files[0]), "-o", str(tmp_path / "out"), "--json", "--no-report"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["counts"] == {"n_verdicts": 2000, "n_judges": 5, "n_questions": 200}
