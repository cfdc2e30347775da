"""Runs of the scoreboard: in processes of their own, stopped in time, and taken up again."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.conftest import draw_set

from veracity.data.claims import Claims
from veracity.datasets import folder
from veracity.errors import InputError, InvalidParameter, MissingDependency, OutputError
from veracity.evaluation.metrics import evaluate
from veracity.models import make_model
from veracity.scoreboard import peers, processes
from veracity.scoreboard.cells import Cell
from veracity.scoreboard.scoreboard import Scoreboard, run_scoreboard

KEYS = [
    *("dataset", "model", "seed", "accuracy", "f1", "log_loss", "brier", "ece"),
    *("seconds", "peak_mb", "n_claims", "n_truth_items", "error"),
]


def by_key(board: Scoreboard) -> dict[tuple[str, str, int], Cell]:
    return {cell.key: cell for cell in board.cells}


def test_figures_are_those_of_the_model(data: Path) -> None:
    board = run_scoreboard(data, models=["vote", "default"], seeds=2, jobs=2)
    cells = by_key(board)
    assert len(cells) == 8
    for name in ("first", "second"):
        dataset = folder.load(data / name)
        assert dataset.truth is not None
        for model in ("vote", "default"):
            for seed in (0, 1):
                fitted = make_model(model, random_state=seed).fit(dataset.claims)
                expected = evaluate(fitted.truths_, dataset.truth, dataset.claims)
                cell = cells[name, model, seed]
                assert cell.accuracy == expected.accuracy
                assert (cell.n_items, cell.n_truth_items) == (100, expected.n_truth_items)
                assert cell.n_claims == dataset.claims.matrix.n_claims


def test_rows_have_the_promised_keys_first(data: Path) -> None:
    board = run_scoreboard(data / "first", models=["vote"], seeds=1)
    (row,) = board.rows
    assert list(row)[: len(KEYS)] == KEYS
    assert json.loads(board.to_json()) == board.rows
    assert row["dataset"] == "first"
    assert row["error"] is None
    assert row["f1"] is None
    assert all(math.isfinite(row[key]) for key in ("log_loss", "brier", "ece"))
    assert 0 <= row["seconds"] < 60
    assert 20 < row["peak_mb"] < 5_000


def test_ceiling_and_oracle_of_drawn_data(data: Path) -> None:
    summary = run_scoreboard(data / "first", models=["vote"], seeds=1).summary()
    (found,) = summary.sets
    assert found.oracle is not None
    assert found.ceiling is not None
    assert found.best is not None
    assert 0.5 < found.oracle <= found.ceiling <= 1
    assert found.best <= found.ceiling


def test_several_true_values_have_precision_and_recall(tmp_path: Path) -> None:
    from veracity.datasets.synthetic import AttributeSpec

    place = draw_set(tmp_path / "set", attributes=[AttributeSpec("a", "multiple")])
    board = run_scoreboard(place, models=["vote"], seeds=1, peers=True)
    ours, *others = board.cells
    assert ours.f1 is not None
    assert ours.precision is not None
    assert ours.oracle is None  # its decisions are about statements
    assert {cell.error for cell in others} == {
        "crowd-kit's methods suppose one true label per task, not several."
    }
    assert "## F1" in board.to_markdown()


# What goes wrong


def test_a_model_over_the_limit_says_so(data: Path) -> None:
    board = run_scoreboard(
        data, models=["sleeper", "vote"], sets=["first"], seeds=2, time_limit=2.0
    )
    cells = by_key(board)
    for seed in (0, 1):
        late = cells["first", "sleeper", seed]
        assert (late.error, late.outcome) == ("over the time limit of 2 s", "timeout")
        assert (late.accuracy, late.n_items) == (None, 100)
        assert cells["first", "vote", seed].error is None
    assert "> 2 s" in board.to_markdown()


def test_a_warm_up_over_the_limit_is_stopped_too(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "START_SECONDS", 0.0)
    (cell,) = run_scoreboard(data, models=["vote"], sets=["first"], seeds=1, time_limit=1e-3).cells
    assert cell.outcome == "timeout"


def test_a_model_that_fails_gives_its_reason(data: Path) -> None:
    board = run_scoreboard(data, models=["faulty", "talker"], sets=["first"], seeds=1)
    faulty, talker = board.cells
    assert (faulty.error, faulty.outcome) == ("ZeroDivisionError: division by nothing", "failed")
    assert talker.error is None  # what it prints is no part of the report


def test_a_process_that_dies_gives_its_reason(data: Path) -> None:
    first, second, third = run_scoreboard(data, models=["crasher"], sets=["first"], seeds=3).cells
    assert first.error is None
    assert second.error == third.error == "the process was stopped by SIGABRT"


def test_a_set_that_cannot_be_read_gives_its_reason(data: Path) -> None:
    (data / "second" / "claims.csv").write_text("source,entity\n1,2\n")
    board = run_scoreboard(data, models=["vote"], seeds=1)
    good, bad = board.cells
    assert good.error is None
    assert bad.error is not None
    assert "value" in bad.error
    assert bad.n_claims is None


def test_truth_about_other_things_gives_its_reason(data: Path) -> None:
    (data / "second" / "truth.csv").write_text("entity,attribute,value\nmoon,a0,1\n")
    bad = run_scoreboard(data, models=["vote"], seeds=1).cells[1]
    assert bad.error is not None
    assert bad.error.startswith("The truth shares no item with the claims: it is about 'moon'")


# Taking up a run


def run(data: Path, file: Path, *models: str, **options: Any) -> list[str]:
    """Run with a file; return what was run this time."""
    ran: list[str] = []
    options = {"seeds": 1, "models": list(models), "json": file, **options}
    run_scoreboard(data, progress=lambda done, total, last: ran.append(last), **options)
    return [name for name in ran if name]


def test_finished_cells_are_kept_when_a_run_is_stopped(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "board.json"

    def stop(done: int, total: int, last: str) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_scoreboard(data, models=["vote", "sums"], seeds=1, json=file, progress=stop)
    (kept,) = json.loads(file.read_text())
    assert run(data, file, "vote", "sums") == ["first: sums", "second: vote", "second: sums"]
    rows = json.loads(file.read_text())
    assert kept in rows
    assert len(rows) == 4
    assert run(data, file, "vote", "sums") == []
    assert json.loads(file.read_text()) == rows
    assert list(tmp_path.glob(".board*")) == []


def test_changed_data_are_run_again(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "board.json"
    run(data, file, "vote")
    draw_set(data / "second", 3)
    assert run(data, file, "vote") == ["second: vote"]


def test_other_models_in_the_file_stay(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "board.json"
    run(data, file, "vote")
    assert run(data, file, "sums", sets=["first"]) == ["first: sums"]
    assert len(Scoreboard.read(file).cells) == 3


def test_only_a_longer_limit_is_tried_again(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "board.json"
    assert run(data, file, "sleeper", sets=["first"], time_limit=1) == ["first: sleeper"]
    assert run(data, file, "sleeper", sets=["first"], time_limit=1) == []
    assert run(data, file, "sleeper", sets=["first"], time_limit=0.5) == []
    assert run(data, file, "sleeper", sets=["first"], time_limit=1.5) == ["first: sleeper"]


@pytest.mark.parametrize(
    ("changes", "limit", "holds"),
    [
        ({}, None, True),
        ({}, 5.0, True),
        ({}, 3.0, False),  # it took four seconds
        ({"fingerprint": "other"}, None, False),
        ({"version": "0"}, None, False),
        ({"outcome": "failed"}, None, False),
        ({"outcome": "refused", "wall_seconds": None}, 1.0, True),
        ({"outcome": "timeout", "time_limit": 9.0}, 9.0, True),
        ({"outcome": "timeout", "time_limit": 9.0}, 10.0, False),
        ({"outcome": "timeout", "time_limit": 9.0}, None, False),
    ],
)
def test_which_cells_hold(changes: dict[str, Any], limit: float | None, holds: bool) -> None:
    fields = {"fingerprint": "f", "version": "1", "wall_seconds": 4.0, **changes}
    assert Cell("s", "m", 0, **fields).holds("f", "1", limit) is holds


def test_a_file_that_is_none_of_ours_stays(data: Path, tmp_path: Path) -> None:
    for content in ("my thesis", '{"a": 1}', '[{"b": 2}]'):
        file = tmp_path / "thesis.json"
        file.write_text(content)
        with pytest.raises(OutputError, match="not the JSON file of an earlier run"):
            run_scoreboard(data, models=["vote"], seeds=1, json=file)
        assert file.read_text() == content
    with pytest.raises(OutputError, match="is a folder"):
        run_scoreboard(data, models=["vote"], seeds=1, json=tmp_path)
    with pytest.raises(OutputError, match="there is no folder"):
        run_scoreboard(data, models=["vote"], seeds=1, json=tmp_path / "no" / "f.json")


# What may be asked for


def test_sets_without_truth_are_left_out_with_a_note(data: Path) -> None:
    (data / "first" / "truth.csv").unlink()
    board = run_scoreboard(data, models=["vote"], seeds=1)
    assert [cell.dataset for cell in board.cells] == ["second"]
    assert len(board.notes) == 1
    assert "truth.csv" in board.notes[0]
    assert "first" in board.notes[0]
    (data / "second" / "truth.csv").unlink()
    with pytest.raises(InputError, match=r"looked for truth\.csv\.gz.* in first, second"):
        run_scoreboard(data, models=["vote"])


def test_folders_without_sets(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no data sets.*claims\.csv\.gz"):
        run_scoreboard(tmp_path)
    with pytest.raises(InputError, match="no folder"):
        run_scoreboard(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"models": ["vot"]}, "Did you mean 'vote'"),
        ({"sets": ["frist"]}, "Did you mean 'first'"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"seeds": [-1]}, "whole numbers from 0"),
        ({"jobs": 0}, "jobs must be at least 1"),
        ({"time_limit": 0}, "more than 0 seconds"),
    ],
)
def test_wrong_requests_are_refused(data: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        run_scoreboard(data, **options)


# Peers


def test_peers_run_on_the_same_claims(tmp_path: Path) -> None:
    from veracity.datasets.synthetic import AttributeSpec

    closed = [AttributeSpec("a", domain="closed", n_values=3)]
    place = draw_set(tmp_path / "set", attributes=closed)
    board = run_scoreboard(place, models=["vote"], seeds=1, peers=True)
    assert [cell.model for cell in board.cells] == ["vote", *peers.PEERS]
    assert [cell.error for cell in board.cells] == [None] * 6
    vote, theirs = board.cells[0].accuracy, board.cells[1].accuracy
    assert vote is not None
    assert theirs == pytest.approx(vote, abs=0.05)  # but for ties
    assert all(cell.accuracy is not None and cell.accuracy > 0.8 for cell in board.cells)


def test_peers_on_boolean_claims() -> None:
    claims = Claims.from_triples(
        [("a", "x", "yes"), ("b", "x", "no"), ("c", "x", "no"), ("a", "y", "yes")]
    )
    peer = peers.Peer("crowd-kit:MajorityVote", claims, 0)
    peer.fit()
    found = peer.truths().to_pylist()
    assert [(row["entity"], row["value"]) for row in found] == [("x", "no"), ("y", "yes")]
    assert found[0]["plausibility"] == pytest.approx(2 / 3)


def test_peers_break_ties_by_the_seed() -> None:
    claims = Claims.from_triples([("a", f"e{i}", "1") for i in range(8)] + [
        ("b", f"e{i}", "2") for i in range(8)
    ])  # fmt: skip
    chosen = []
    for seed in range(3):
        peer = peers.Peer("crowd-kit:MajorityVote", claims, seed)
        peer.fit()
        chosen.append(peer.truths()["value"].to_pylist())
    assert chosen[0] != chosen[1] or chosen[1] != chosen[2]
    assert {value for row in chosen for value in row} == {"1", "2"}


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"asserts": [1, 0]}, "no denials"),
        ({"weight": [1.0, 2.0]}, "no weights"),
    ],
)
def test_peers_say_where_they_do_not_apply(frame: dict[str, list[Any]], said: str) -> None:
    table = {"source": ["s", "t"], "entity": ["x", "x"], "value": ["1", "2"], **frame}
    with pytest.raises(InputError, match=said):
        peers.Peer("crowd-kit:GLAD", Claims.from_frame(table), 0)


def test_peers_that_would_not_fit_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "MOST_BYTES", 1e3)
    claims = Claims.from_triples([("a", f"e{i}", f"v{i}") for i in range(20)])
    with pytest.raises(InputError, match="20 answers by 20 labels"):
        peers.Peer("crowd-kit:DawidSkene", claims, 0)


def test_peers_that_are_not_installed(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install 'veracity\[peers\]'"):
        run_scoreboard(data, peers=True)
