"""Marks that were acknowledged are there, whoever replaces the run meanwhile."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from veracity import Claims, discover
from veracity.data.output import exchange as exchanging
from veracity.workflow.marks import MarkBook, MarksUnavailable

#: The run is replaced this often at least, and until each reviewer has kept as many marks, ...
FEWEST = 10
#: ... but not for ever: a reviewer who never gets a turn is a failure.
MOST = 2000


@pytest.mark.parametrize("at_one_stroke", [True, False])
def test_no_mark_is_lost_while_the_run_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_one_stroke: bool
) -> None:
    if not at_one_stroke:
        monkeypatch.setattr(exchanging, "exchange", lambda one, other: False)
    claims = Claims.from_triples([("ann", "sky", "blue"), ("bob", "sky", "green")])
    run = discover(claims, model="vote")
    out = run.save(tmp_path / "out", report=False)
    kept: dict[str, list[str]] = {"eve": [], "kim": []}
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
                kept[name].append(entity)

    reviewers = [Thread(target=mark, args=(name,)) for name in kept]
    for reviewer in reviewers:
        reviewer.start()
    for number in range(MOST):
        run.save(out, overwrite=True, report=False)
        if number >= FEWEST and min(map(len, kept.values())) >= FEWEST:
            break
    done.append(True)
    for reviewer in reviewers:
        reviewer.join()
    found = {mark.entity for mark in MarkBook(out).read()}
    assert all(len(names) >= FEWEST for names in kept.values())
    assert {entity for names in kept.values() for entity in names} <= found
    if at_one_stroke:
        assert not refused
