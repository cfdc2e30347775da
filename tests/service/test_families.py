"""Families and hardness, in the JSON of an item and on its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.panels import panel
from tests.service.running import client_of, store_at
from tests.worlds import CLOSED

from veracity import discover
from veracity.service.schemas import ItemAnswer, ScoreAnswer, WhatIfAnswer, WhatIfRequest


@pytest.fixture(scope="module")
def panel_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run with declared families, once."""
    run = discover(panel(), parameters={"family": "source_family"}, attributes={"value": CLOSED})
    return run.save(tmp_path_factory.mktemp("panel") / "run", report=False)


def test_an_item_says_what_families_count_for_and_how_hard_it_is(panel_folder: Path) -> None:
    store = store_at(panel_folder)
    answer = store.item(0)
    assert answer["families"][0] == {"family": "gpt", "n_sources": 3, "counted": 3**0.5}
    weights = {term["source"]: term["weight"] for term in answer["evidence"][0]["terms"]}
    assert weights["j0"] == pytest.approx(3**-0.5)
    assert weights["j5"] == 1.0
    rows = {row["entity"]: row["hardness"] for row in store.saved.truths.to_pylist()}
    assert answer["hardness"] == pytest.approx(rows[answer["entity"]])
    easier = sum(hardness < answer["hardness"] for hardness in rows.values())
    assert answer["harder_than"] == pytest.approx(easier / len(rows))
    ItemAnswer.model_validate(answer)


def test_what_if_a_member_had_not_spoken(panel_folder: Path) -> None:
    store = store_at(panel_folder)
    claim = next(row["claim"] for row in store.item(0)["claims"] if row["source"] == "j0")
    answer = store.what_if(0, WhatIfRequest(off=[claim]))
    assert answer["families"][0]["n_sources"] == 2
    assert 0 <= answer["harder_than"] <= 1
    WhatIfAnswer.model_validate(answer)


def test_scores_of_new_claims_know_families_too(panel_folder: Path) -> None:
    rows = [
        {"source": source, "entity": "new", "value": "a", "source_family": "gpt"}
        for source in ("j0", "j1")
    ]
    answer = store_at(panel_folder).scorer.of_records(rows, explain=True).as_dict()
    ScoreAnswer.model_validate(answer)
    (explained,) = answer["explanations"]
    assert explained["families"] == [
        {"family": "gpt", "n_sources": 2, "counted": pytest.approx(2**0.5)}
    ]
    assert explained["evidence"][0]["terms"][0]["weight"] == pytest.approx(2**-0.5)
    assert answer["truths"][0]["hardness"] is not None


def test_the_page_of_an_item_shows_families_weights_and_hardness(panel_folder: Path) -> None:
    store = store_at(panel_folder)
    hardest = int(np.argmax(store.index.results.hardness))
    with client_of(panel_folder) as client:
        page = client.get(f"/items/{hardest}", headers={"accept": "text/html"}).text
        assert "3 sources of family <bdi>gpt</bdi>: counted as 1.7." in page
        assert "counts 0.58" in page
        assert "Harder than most items (98\N{NO-BREAK SPACE}% of them)" in page  # 59 of 60
        easiest = int(np.argmin(store.index.results.hardness))
        assert "Harder than" not in client.get(f"/items/{easiest}").text


def test_models_without_hardness_say_nothing_about_it(runs: Callable[[str], Path]) -> None:
    answer = store_at(runs("vote")).item(0)
    assert answer["hardness"] is None
    assert answer["harder_than"] is None
    assert answer["families"] == []
