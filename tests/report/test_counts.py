"""Counts agree with one another: items, statements and verdicts are told apart everywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests import subjects
from tests.report.html import Element, parse

from veracity import Attribute, Claims, discover
from veracity.cli.console import Page
from veracity.cli.discover import show_run
from veracity.datasets import example
from veracity.report.files import Report
from veracity.service.pages.overview import overview_context
from veracity.service.settings import ServiceSettings
from veracity.service.store import RunStore
from veracity.workflow import Run, open_run

SEVERAL = {"*": Attribute("multiple")}


def runs() -> dict[str, Run]:
    rows = [("ann", "b1", "x"), ("ann", "b1", "y"), ("bob", "b1", "x"), ("cat", "b1", "z")]
    rows += [(name, f"b{i}", "xyz"[i % 3]) for name in ("ann", "bob", "cat") for i in range(2, 20)]
    return {
        "example": discover(example.path()),
        "several": discover(Claims.from_triples(rows, attributes=SEVERAL)),
        "vote": discover(Claims.from_triples(rows[4:]), model="vote"),
    }


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, Path]]:
    place = tmp_path_factory.mktemp("runs")
    return {name: (run, run.save(place / name, report=False)) for name, run in runs().items()}


KINDS = ("example", "several", "vote")


def numbers(text: str, pattern: str) -> set[int]:
    """Return the numbers that stand where a pattern has its group, wherever it is found."""
    return {int(found.replace(",", "")) for found in re.findall(pattern, text)}


def facts(root: Element, name: str) -> dict[str, str]:
    section = next(one for one in root.find("section") if one.attributes["id"] == name)
    return {
        fact.find("dt")[0].text: fact.find("dd")[0].text
        for fact in section.find("dl")[0].find("div")
    }


def shown_page(folder: Path) -> Element:
    return parse(Report(open_run(folder).subject()).page)


@pytest.mark.parametrize("kind", KINDS)
def test_decisions_add_up_in_report_explorer_and_summary(
    saved: dict[str, tuple[Run, Path]], kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run, folder = saved[kind]
    truths = run.model.truths_.to_pylist()
    n_accepted = sum(row["decision"] == "accept" for row in truths)
    told = facts(shown_page(folder), "decisions")
    assert told["verdicts"] == f"{len(truths):,}"
    assert told["to accept"] == f"{n_accepted:,}"
    assert told["items"] == f"{run.summary.n_items:,}"
    context = overview_context(RunStore.open(folder, ServiceSettings()))
    by_word = {row["word"]: row for row in context["decisions"]}
    assert by_word["accept"]["n_verdicts"] == n_accepted
    assert sum(row["n_verdicts"] for row in by_word.values()) == len(truths)
    assert sum(row["n_items"] for row in by_word.values()) == run.summary.n_items
    assert context["several"] == (len(truths) != run.summary.n_items)
    show_run(Page(), run, folder)
    printed = capsys.readouterr().out
    assert numbers(printed, r"([\d,]+) verdicts") <= {len(truths), n_accepted}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_three_sentences_stand_everywhere(
    saved: dict[str, tuple[Run, Path]], kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run, folder = saved[kind]
    said = list(run.findings.sentences)
    described = json.loads((folder / "run.json").read_text(encoding="utf-8"))["findings"]
    assert list(described.values()) == said
    head = shown_page(folder).find("dl", "findings")[0]
    assert [one.text for one in head.find("dd")] == said
    store = RunStore.open(folder, ServiceSettings())
    assert list(overview_context(store)["findings"].sentences) == said
    show_run(Page(), run, folder)
    assert capsys.readouterr().out.splitlines()[:3] == said


@pytest.mark.parametrize("kind", KINDS)
def test_items_and_contested_items_are_one_number(
    saved: dict[str, tuple[Run, Path]], kind: str
) -> None:
    run, folder = saved[kind]
    counts, page = run.summary, shown_page(folder)
    text = page.text
    told: dict[str, Any] = facts(page, "input")
    assert told["items"] == f"{counts.n_items:,}"
    assert told["statements"] == f"{counts.n_statements:,}"
    assert told["contested items"] == f"{counts.n_contested:,}"
    contested = {
        (row["entity"], row["attribute"])
        for row in run.model.truths_.to_pylist()
        if row["n_values"] > 1
    }
    assert len(contested) == counts.n_contested
    assert numbers(text, r"([\d,]+) items? (?:is|are) contested") <= {counts.n_contested}
    of_notes = " ".join(str(note) for note in run.notes)
    assert numbers(of_notes, r"On [\d,]+ of ([\d,]+) contested items") <= {counts.n_contested}


def test_an_item_with_several_values_has_several_verdicts() -> None:
    found = subjects.subject_of(runs()["several"])
    assert len(found.truths) >= found.description["counts"]["n_items"]
