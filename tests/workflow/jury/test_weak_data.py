"""Where the data do not carry a finding, the jury says so."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from veracity import jury
from veracity.datasets.synthetic import JudgeSpec, draw_jury
from veracity.errors import InvalidParameter, MissingColumn
from veracity.workflow.jury import Jury

ROWS = [("q1", "ann", "yes"), ("q1", "bob", "no"), ("q2", "ann", "yes"), ("q2", "bob", "yes")]


def table(rows: list[tuple[str, str, str]], *names: str) -> pa.Table:
    columns = zip(*rows, strict=True)
    return pa.table(dict(zip(names or ("question", "judge", "verdict"), columns, strict=True)))


def said(found: Jury, *words: str) -> bool:
    text = " ".join(found.findings)
    return all(word in text for word in words)


def test_twenty_questions_are_too_few_to_drop_a_judge() -> None:
    found = jury(draw_jury([JudgeSpec("a"), JudgeSpec("b"), JudgeSpec("c", 0.5)], 20).verdicts)
    assert found.adds_nothing == []
    assert found.biases.found == []
    assert said(found, "too few to tell whether a judge adds nothing", "3 judges are too few")


def test_one_judge_only() -> None:
    found = jury(table([("q1", "ann", "yes"), ("q2", "ann", "no")]))
    assert said(found, "Only one judge")
    assert found.judges["adds_nothing"].to_pylist() == [None]
    assert found.agreement.krippendorff_alpha is None
    assert found.agreement.cohen_kappa == []


def test_judges_that_all_agree(tmp_path: Any) -> None:
    rows = [(f"q{n}", judge, "yes") for n in range(40) for judge in ("ann", "bob", "cat")]
    found = jury(table(rows))
    assert said(found, "All 3 judges agree on 40 questions", "err together")
    assert found.agreement.fleiss_kappa is None
    found.save(tmp_path / "out", report=False)
    assert (tmp_path / "out" / "jury.html").exists()


def test_judges_without_a_common_question() -> None:
    rows = [(f"q{n}", "ann" if n % 2 else "bob", "yes" if n % 3 else "no") for n in range(60)]
    found = jury(table(rows))
    assert found.adds_nothing == []
    assert found.biases.found == []
    assert found.agreement.krippendorff_alpha is None


def test_two_judges() -> None:
    found = jury(draw_jury([JudgeSpec("a", 0.9), JudgeSpec("b", 0.7)], 200).verdicts)
    assert found.panels == []
    assert len(found.agreement.cohen_kappa) == 1


def test_free_text_has_no_bias_and_no_crash() -> None:
    rows = [(f"q{n}", judge, f"text {n % 7}") for n in range(50) for judge in ("a", "b", "c")]
    found = jury(table(rows))
    assert set(found.biases.not_seen) == {"position", "verbosity", "yes"}


def test_columns_are_found_by_other_names() -> None:
    found = jury(table(ROWS, "task_id", "model", "label"))
    assert found.roles == {"question": "task_id", "judge": "model", "verdict": "label"}


def test_columns_can_be_named() -> None:
    found = jury(table(ROWS, "a", "b", "c"), question="a", judge="b", verdict="c")
    assert found.panel.judges == ("ann", "bob")


def test_a_missing_column_is_named() -> None:
    with pytest.raises(MissingColumn, match=r"No judge column was found.*--judge COLUMN"):
        jury(table(ROWS, "question", "who", "verdict"))
    with pytest.raises(MissingColumn, match="no such column"):
        jury(table(ROWS), judge="jugde")


def test_a_tolerance_must_be_a_share() -> None:
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        jury(table(ROWS), tolerance=2.0)


def test_known_truth_is_learned_from_and_does_not_count_as_kept_accuracy() -> None:
    drawn = draw_jury([JudgeSpec("a", 0.9), JudgeSpec("b", 0.7), JudgeSpec("c", 0.7)], 200)
    found = jury(drawn.verdicts, known_truth=drawn.truth.slice(0, 60), truth=drawn.truth)
    assert found.measured is not None
    assert found.measured.n_questions == 140
    assert all(drop.n_changed <= 140 for drop in found.drops.values())


def test_scores_that_are_no_probabilities_have_a_slope_only() -> None:
    drawn = draw_jury(
        [JudgeSpec("a", 0.8, confidence=(0.0, 1.0)), JudgeSpec("b", 0.8), JudgeSpec("c", 0.8)], 300
    )
    stated = [
        None if one is None else 50 * one - 30 for one in drawn.verdicts["confidence"].to_pylist()
    ]
    verdicts = drawn.verdicts.drop_columns(["confidence"]).append_column("score", pa.array(stated))
    found = jury(verdicts).confidence
    assert found is not None
    assert found.scale == "score"
    assert found.judges[0].worth is None
    assert found.judges[0].slope > 0
