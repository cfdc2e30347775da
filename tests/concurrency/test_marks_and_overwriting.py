"""Marks that were acknowledged are there, whoever replaces the run meanwhile."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from veracity import Claims, discover
from veracity.data.output import exchange as exchanging
from veracity.workflow.marks import MarkBook, MarksUnavailable


@pytest.mark.parametrize("at_one_stroke", [True, False])
def test_no_mark_is_lost_while_the_run_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_one_stroke: bool
) -> None:
    if not at_one_stroke:
        monkeypatch.setattr(exchanging, "exchange", lambda one, other: False)
    claims = Claims.from_triples([("ann", "sky", "blue"), ("bob", "sky", "green")])
    run = discover(claims, model="vote")
    out = run.save(tmp_path / "out", report=False)
    kept: list[str] = []
    refused: list[str] = []
    done: list[bool] = []

    def mark(name: str) -> None:
        book, number = MarkBook(out), 0
        while not done:
            number += 1
            entity = f"{name}-{number}"
            try:
                book.put(entity, "colour", ["blue"])
            except MarksUnavailable as error:
                refused.append(str(error))
            else:
                kept.append(entity)

    reviewers = [Thread(target=mark, args=(name,)) for name in ("eve", "kim")]
    for reviewer in reviewers:
        reviewer.start()
    for _ in range(10):
        run.save(out, overwrite=True, report=False)
    done.append(True)
    for reviewer in reviewers:
        reviewer.join()
    found = {mark.entity for mark in MarkBook(out).read()}
    assert len(kept) > 10
    assert set(kept) <= found
    if at_one_stroke:
        assert not refused
