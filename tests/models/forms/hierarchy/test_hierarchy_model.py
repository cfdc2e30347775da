"""Hierarchies: exact posteriors, levels, coarse sources, blocks, and what a flat one gives."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.engines.worlds import in_place

from veracity import GRBM, Attribute, Claims, GroundTruth, OneCoin, load
from veracity.data.blocks import ClaimBlock
from veracity.data.output.results import decide, deniers
from veracity.datasets.synthetic.places import PlaceSource, draw_places
from veracity.engines.local import in_one_block
from veracity.models.forms.hierarchy.model import PRIOR_TURNS, HierarchyModel, Rates
from veracity.models.forms.hierarchy.trees import Trees

PLACES = {"Bern": "Switzerland", "Zurich": "Switzerland", "Paris": "France", "Old Town": "Bern"}
SOURCES = [
    PlaceSource("careful", 0.95),
    PlaceSource("usual", 0.85),
    PlaceSource("careless", 0.6),
    PlaceSource("wide", 0.95, 0.95),
    PlaceSource("wider", 0.85, 0.9),
    PlaceSource("widest", 0.9, 0.95),
    PlaceSource("widest too", 0.9, 0.95),
]


def about(values: dict[str, str], **options: Any) -> Claims:
    """Claims about one item, by source."""
    table = {"source": list(values), "entity": ["x"] * len(values), "value": list(values.values())}
    attribute = Attribute(hierarchy=options.pop("hierarchy", PLACES), **options)
    return Claims.from_frame(table, attributes={"value": attribute})


def only_block(claims: Claims) -> ClaimBlock:
    """Claims in memory as one block."""
    return ClaimBlock(claims, np.arange(claims.matrix.n_sources))


def judged(values: dict[str, str], rate: float = 0.8) -> dict[str, float]:
    """The plausibility of each value of an item, where all sources turn right as often."""
    claims = about(values)
    trees = Trees.of(only_block(claims))
    found = trees.beliefs(np.full(len(values), rate))
    labels = claims.matrix.lineages.labels  # type: ignore[union-attr]
    return {labels[name]: p for name, p in zip(trees.name, found.inside, strict=True)}


# The posterior by brute force, written from the formula


def by_hand(values: dict[str, str], rates: np.ndarray) -> dict[str, float]:
    """Try every truth: a node, or a place below a node, or at the top, that nobody names."""
    paths = {value: way(value) for value in values.values()}
    kept = set(values.values())
    for one, other in itertools.combinations(paths.values(), 2):
        shared = [a for a, b in zip(one, other, strict=False) if a == b]
        kept |= {shared[-1]} if shared else set()
    ways = {node: [one for one in way(node) if one in kept] for node in kept}
    below: dict[tuple[str, ...], set[str]] = {}
    for own in ways.values():
        for place, node in enumerate(own):
            below.setdefault(tuple(own[:place]), set()).add(node)
    truths = [(*own, "another") for own in ways.values()] + [("another",)]
    truths += [tuple(own) for own in ways.values() if tuple(own) not in below]
    truths = [truth for truth in truths if truth[:-1] in below]
    weight = {}
    for truth in truths:
        p = math.prod(1 / (len(below[truth[:place]]) + 1) for place in range(len(truth)))
        for source, value in enumerate(values.values()):
            p *= likelihood(ways[value], truth, below, rates[source])
        weight[truth] = p
    total = sum(weight.values())
    return {node: sum(p for t, p in weight.items() if node in t) / total for node in kept}


def likelihood(
    claim: list[str], truth: tuple[str, ...], below: dict[tuple[str, ...], set[str]], right: float
) -> float:
    p = 1.0
    for place, node in enumerate(claim):
        at = tuple(claim[:place])
        n = len(below[at])
        if at != truth[:place]:
            p *= 1 / (n + 1)
        elif len(truth) > place and truth[place] == node:
            p *= right
        else:
            p *= (1 - right) / n
    return p


def way(value: str) -> list[str]:
    found = [value]
    while found[0] in PLACES:
        found.insert(0, PLACES[found[0]])
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_posterior_is_exact(seed: int) -> None:
    random = np.random.default_rng(seed)
    every = sorted({*PLACES, *PLACES.values(), "Tokyo"})
    values = {f"s{n}": str(random.choice(every)) for n in range(random.integers(1, 6))}
    rates = random.uniform(0.3, 0.95, len(values))
    claims = about(values)
    trees = Trees.of(only_block(claims))
    order = [list(values).index(name) for name in claims.matrix.sources.to_pylist()]
    found = trees.beliefs(rates[order])
    labels = claims.matrix.lineages.labels  # type: ignore[union-attr]
    exact = by_hand(values, rates)
    assert {labels[name] for name in trees.name} == set(exact)
    for name, p in zip(trees.name, found.inside, strict=True):
        assert p == pytest.approx(exact[labels[name]], abs=1e-12)


# What claims mean


def test_a_country_denies_cities_elsewhere_and_says_nothing_about_its_own() -> None:
    alone = judged({"a": "Bern", "b": "Zurich"})
    with_country = judged({"a": "Bern", "b": "Zurich", "c": "Switzerland"})
    share = alone["Bern"] / alone["Switzerland"]
    assert with_country["Bern"] / with_country["Switzerland"] == pytest.approx(share)
    rivals = judged({"a": "Bern", "b": "Paris"})
    with_country = judged({"a": "Bern", "b": "Paris", "c": "Switzerland"})
    assert with_country["Bern"] > rivals["Bern"] > 0.3
    assert with_country["Paris"] < rivals["Paris"]


def test_cities_support_their_country() -> None:
    found = judged({"a": "Bern", "b": "Zurich", "c": "Paris"})
    assert found["Switzerland"] > 0.5 > found["Paris"]
    assert found["Bern"] == pytest.approx(found["Zurich"])


def test_the_most_specific_value_that_is_plausible_enough_is_believed() -> None:
    believed = GRBM().fit(about({"a": "Bern", "b": "Switzerland", "c": "Switzerland"}))
    assert believed.truths_["value"].to_pylist() == ["Bern"]
    torn = GRBM().fit(about({"a": "Bern", "b": "Zurich", "c": "Switzerland"}))
    assert torn.truths_["value"].to_pylist() == ["Switzerland"]
    assert torn.truths_["tie"].to_pylist() == [False]


def test_plausibility_falls_on_the_way_down() -> None:
    drawn = draw_places(SOURCES, 60)
    claims = Claims.from_frame(
        drawn.claims, attributes={"value": Attribute(hierarchy=drawn.parents)}
    )
    levels = GRBM().fit(claims).tables_["levels"].to_pandas()
    above = levels.merge(
        levels, left_on=["entity", "within"], right_on=["entity", "value"], suffixes=("", "_above")
    )
    assert len(above) > 50
    assert (above.plausibility_above >= above.plausibility - 1e-12).all()
    assert levels.plausibility.between(0, 1).all()


def test_margin_and_deniers_leave_out_values_that_do_not_exclude_one_another() -> None:
    claims = about({"a": "Bern", "b": "Switzerland", "c": "Paris", "d": "Bern"})
    matrix, model = claims.matrix, HierarchyModel()
    model.fit(in_one_block(claims))
    found = model.judge(only_block(claims))
    verdict = decide(matrix, found.plausibility, 0, found.score)
    p = dict(zip(matrix.values.to_pylist(), found.plausibility, strict=True))
    assert verdict.margin[0] == pytest.approx(p["Bern"] - p["Paris"])
    against = dict(zip(matrix.values.to_pylist(), deniers(matrix).tolist(), strict=True))
    assert against == {"Bern": 1, "Switzerland": 1, "Paris": 3}


# Sources


def test_a_coarse_source_is_not_called_unreliable_nor_a_copier() -> None:
    drawn = draw_places(SOURCES, 400, random_state=3)
    claims = Claims.from_frame(
        drawn.claims, attributes={"value": Attribute(hierarchy=drawn.parents)}
    )
    model = GRBM().fit(claims)
    sources = model.sources_.to_pandas().set_index("source")
    assert sources.reliability["wide"] > 0.9
    assert sources.reliability["careless"] < 0.5
    assert sources.coarse["wide"] > 0.5
    assert sources.coarse["careful"] == 0
    assert sources.agreement["wide"] > 0.9
    assert sources.pattern.isna().all()
    assert not [note for note in model.notes_ if note.subject == "copying"]
    truths = model.truths_.to_pandas()
    right = [drawn.truth[row.entity] == row.value for row in truths.itertuples()]
    flat = GRBM().fit(Claims.from_frame(drawn.claims)).truths_.to_pandas()
    flat_right = [drawn.truth[row.entity] == row.value for row in flat.itertuples()]
    assert np.mean(right) > np.mean(flat_right) + 0.3


def test_a_flat_hierarchy_gives_the_one_coin_answer() -> None:
    drawn = draw_places(SOURCES[:3], 150, branches=(6,), coverage=0.8)
    flat = Attribute(hierarchy={"no such": "place"}, domain="open")
    whole = Claims.from_frame(drawn.claims, attributes={"value": flat})
    model = HierarchyModel()
    model.fit(in_one_block(whole))
    average = model.rates_.average
    prior = (PRIOR_TURNS * average, PRIOR_TURNS * (1 - average))
    plain = Claims.from_frame(drawn.claims, attributes={"value": Attribute(domain="open")})
    coin = OneCoin(prior=prior, tol=1e-9, max_iter=5000).fit(plain)
    found = model.judge(only_block(whole)).plausibility
    assert found == pytest.approx(coin.plausibility_, abs=1e-5)


def test_values_without_a_place_in_the_table_are_counted() -> None:
    model = GRBM().fit(about({"a": "Bern", "b": "Tokyo", "c": "Lima"}))
    notes = [note for note in model.notes_ if note.subject == "hierarchy"]
    assert [note.count for note in notes] == [2]
    assert "'Lima', 'Tokyo'" in notes[0].text


def test_denials_count_against_a_place_and_all_within() -> None:
    table = {
        "source": ["a", "b", "c", "d"],
        "entity": ["x"] * 4,
        "value": ["Bern", "Paris", "Switzerland", "Switzerland"],
        "asserts": [1, 1, 0, 0],
    }
    claims = Claims.from_frame(table, attributes={"value": Attribute(hierarchy=PLACES)})
    found = GRBM().fit(claims).statements_.to_pandas().set_index("value").plausibility
    assert found["Paris"] > 0.5 > found["Switzerland"] > found["Bern"]


# Known truth


def test_known_truth_settles_the_way_to_it() -> None:
    claims = about({"a": "Bern", "b": "Switzerland", "c": "Paris", "d": "Paris", "e": "Old Town"})
    truth = GroundTruth.of({"entity": ["x"], "attribute": ["value"], "value": ["Bern"]})
    model = GRBM().fit(claims, known_truth=truth)
    found = model.statements_.to_pandas().set_index("value").plausibility
    assert found.to_dict() == {"Bern": 1, "Switzerland": 1, "Paris": 0, "Old Town": 0}
    assert model.truths_["value"].to_pylist() == ["Bern"]
    assert model.truths_["tie"].to_pylist() == [False]


def test_known_truth_that_nobody_claims_settles_what_it_lies_within() -> None:
    claims = about({"a": "Bern", "b": "Switzerland", "c": "Paris"})
    truth = GroundTruth.of({"entity": ["x"], "attribute": ["value"], "value": ["Zurich"]})
    found = GRBM().fit(claims, known_truth=truth).statements_.to_pandas().set_index("value")
    assert found.plausibility.to_dict() == {"Bern": 0, "Switzerland": 1, "Paris": 0}


# Blocks, keeping, predicting


@pytest.fixture
def drawn_file(tmp_path: Path) -> tuple[Path, dict[str, Attribute]]:
    drawn = draw_places(SOURCES, 120, random_state=5)
    path = tmp_path / "claims.csv"
    pd.DataFrame(drawn.claims).to_csv(path, index=False)
    return path, {"value": Attribute(hierarchy=drawn.parents)}


def test_blocks_and_memory_agree(drawn_file: tuple[Path, dict[str, Attribute]]) -> None:
    path, attributes = drawn_file
    whole = GRBM().fit(Claims.read(path, attributes=attributes))
    parts = GRBM().fit(in_place(path, "blocks on disk", 100, attributes=attributes))
    keys = ["entity", "value"]
    for table in ("statements_", "truths_"):
        one, other = (
            getattr(model, table).to_pandas().sort_values(keys).reset_index(drop=True)
            for model in (whole, parts)
        )
        pd.testing.assert_frame_equal(one, other, atol=1e-6)
    one, other = (
        model.tables_["levels"].to_pandas().sort_values(keys).plausibility.to_numpy()
        for model in (whole, parts)
    )
    assert one == pytest.approx(other, abs=1e-6)


def test_a_saved_model_judges_alike(
    drawn_file: tuple[Path, dict[str, Attribute]], tmp_path: Path
) -> None:
    path, attributes = drawn_file
    claims = Claims.read(path, attributes=attributes)
    model = GRBM().fit(claims)
    again = load(model.save(tmp_path / "model"))
    one, other = (m.predict_plausibility(claims).to_pandas() for m in (model, again))
    pd.testing.assert_frame_equal(one, other)
    assert one.plausibility.to_numpy() == pytest.approx(model.plausibility_)


def test_a_source_that_is_new_counts_as_the_average() -> None:
    assert Rates(np.array([0.9]), 0.7).at(np.array([0, -1])).tolist() == [0.9, 0.7]


def test_an_explanation_adds_up_to_the_plausibility() -> None:
    model = GRBM().fit(about({"a": "Bern", "b": "Switzerland", "c": "Paris", "d": "Zurich"}))
    for evidence in model.explain("x").statements:
        p = evidence.plausibility
        assert evidence.log_odds == pytest.approx(math.log(p / (1 - p)), abs=1e-6)
    assert len(model.explain("x").statements) == 4
