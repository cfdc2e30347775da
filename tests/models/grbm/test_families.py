"""Families that are declared, and sources that repeat themselves: what each claim weighs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.objectives import block_of, objective_of
from tests.worlds import CLOSED, OPEN, World, world

from veracity import GRBM, Attribute, Claims, MajorityVote
from veracity.errors import InvalidParameter
from veracity.models.grbm.families import family_weights
from veracity.models.grbm.parameters import ParameterVector


def with_families(drawn: World, families: dict[str, str | None], attribute: Attribute) -> Claims:
    """Read drawn claims with a column of families."""
    kin = [families.get(name, name) for name in drawn.columns["source"]]
    return Claims.from_frame({**drawn.columns, "source_kin": kin}, attributes={"*": attribute})


def test_members_weigh_less_the_more_of_them_speak_about_an_item() -> None:
    rows = {
        "source": ["a", "b", "c", "d", "a", "b", "a", "e"],
        "entity": ["x", "x", "x", "x", "y", "y", "z", "z"],
        "value": ["1", "1", "2", "1", "1", "2", "1", "1"],
        "source_kin": ["k", "k", "k", None, "k", "k", "k", None],
    }
    claims = Claims.from_frame(rows, attributes={"*": CLOSED})
    sources = np.array(claims.matrix.sources.to_pylist())[claims.matrix.source_index]
    entities = np.array(claims.matrix.entities.to_pylist())
    entity = entities[claims.matrix.entity_index[claims.matrix.item_of_claim]]
    weight = dict(
        zip(zip(entity, sources, strict=True), family_weights(claims, "source_kin"), strict=True)
    )
    assert [weight["x", one] for one in "abcd"] == pytest.approx([3**-0.5] * 3 + [1.0])
    assert [weight["y", one] for one in "ab"] == pytest.approx([2**-0.5] * 2)
    assert (weight["z", "a"], weight["z", "e"]) == (1.0, 1.0)
    assert family_weights(claims, None).tolist() == [1.0] * 8


@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["confusion", "lures"])
@pytest.mark.parametrize("label", ["own name", "none"])
def test_families_of_one_member_each_change_nothing(attribute: Attribute, label: str) -> None:
    drawn = world([0.9, 0.8, 0.7, 0.6, 0.5], 80, attribute=attribute)
    families: dict[str, str | None] = {}
    if label == "none":  # nobody has a family but one, which is alone in it
        families = {f"s{place:02d}": None for place in range(1, 5)}
    claims = with_families(drawn, families, attribute)
    plain = GRBM(features="never").fit(claims)
    model = GRBM(features="never", family="source_kin").fit(claims)
    assert np.array_equal(model.plausibility_, plain.plausibility_)
    assert model.sources_.to_pylist() == plain.sources_.to_pylist()


@pytest.mark.parametrize("seed", [0, 1])
def test_clones_that_are_declared_do_not_outvote_good_sources(seed: int) -> None:
    """Ten weak copies of one source against six good ones."""
    rates = [0.8] * 6 + [0.4] * 10
    copies = {place: (6, 0.98) for place in range(7, 16)}
    drawn = world(rates, 300, copies=copies, seed=seed)
    clones: dict[str, str | None] = {f"s{place:02d}": "clones" for place in range(6, 16)}
    claims = with_families(drawn, clones, CLOSED)
    fooled = GRBM(features="never").fit(claims)
    model = GRBM(features="never", family="source_kin").fit(claims)
    assert drawn.accuracy(MajorityVote().fit(claims)) < 0.7
    assert drawn.accuracy(fooled) < 0.7
    assert drawn.accuracy(model) >= 0.85


def test_a_column_of_families_that_does_not_exist_is_refused() -> None:
    drawn = world([0.8] * 4, 20)
    claims = with_families(drawn, {}, CLOSED)
    with pytest.raises(InvalidParameter, match=r"no feature column 'source_kind' .*source_kin"):
        GRBM(family="source_kind").fit(claims)
    with pytest.raises(InvalidParameter, match="The feature columns are: none"):
        GRBM(family="source_kin").fit(drawn.claims)


def test_families_count_in_claims_that_come_later() -> None:
    drawn = world([0.8] * 8, 80)
    families: dict[str, str | None] = {f"s{place:02d}": "k" for place in range(4)}
    model = GRBM(features="never", family="source_kin").fit(with_families(drawn, families, CLOSED))

    def plausibility(sources: list[str], kin: list[str]) -> float:
        n = len(sources)
        later = {"source": sources, "entity": ["new"] * n, "value": ["v1"] * n, "source_kin": kin}
        (row,) = model.predict(Claims.from_frame(later, attributes={"*": CLOSED})).to_pylist()
        return float(row["plausibility"])

    members = ["s00", "s01", "s02", "s03"]
    assert plausibility(members, ["k"] * 4) < plausibility(members, ["k", "l", "m", "n"]) - 0.02


# Repeats


def test_what_a_source_says_m_times_weighs_one_over_root_m_each() -> None:
    others = [(source, f"o{item}", "v0") for source in "ab" for item in range(20)]
    others += [("c", f"o{item}", "v1") for item in range(20)]
    four = [("a", "x", "v0")] * 4 + [("b", "x", "v1")]
    claims = Claims.from_triples(others + four, attributes={"*": CLOSED})
    names = np.array(claims.matrix.entities.to_pylist())
    here = names[claims.matrix.entity_index[claims.matrix.item_of_claim]] == "x"
    assert sorted(claims.matrix.claim_weight[here]) == pytest.approx([0.5] * 4 + [1.0])
    assert set(claims.matrix.claim_weight[~here]) == {1.0}
    # Together they are worth two claims: more than one, and less than four.
    once = [*others, ("a", "x", "v0"), ("b", "x", "v1")]
    columns: dict[str, list[Any]] = dict(
        zip(("source", "entity", "value"), map(list, zip(*once, strict=True)), strict=True)
    )
    columns["weight"] = [1.0] * len(others) + [2.0, 1.0]
    two = Claims.from_frame(columns, attributes={"*": CLOSED})
    block, same = block_of(objective_of(claims)), block_of(objective_of(two))
    noise = 0.5 + 0.3 * np.random.default_rng(0).normal(size=block.names.size)
    found = [one.posterior(ParameterVector(one.names, noise)).likelihood for one in (block, same)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)


@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["confusion", "lures"])
def test_a_source_that_contradicts_itself_is_heard_both_times(attribute: Attribute) -> None:
    drawn = world([0.8] * 6, 60, n_values=3, attribute=attribute)
    columns = {name: list(cells) for name, cells in drawn.columns.items()}
    for name, cell in zip(columns, ("s00", "e0000", "v9"), strict=True):
        columns[name].append(cell)
    claims = Claims.from_frame(columns, attributes={"*": attribute})
    model = GRBM(features="never").fit(claims)
    assert claims.matrix.n_claims == drawn.claims.matrix.n_claims + 1
    rows = {row["value"]: row for row in model.statements_.to_pylist() if row["entity"] == "e0000"}
    assert 0 < rows["v9"]["plausibility"] < 0.5


def test_what_families_and_weights_do_not_reach_is_said() -> None:
    columns = {
        "source": ["a", "b", "c", "a", "b", "c"],
        "entity": ["x"] * 3 + ["y"] * 3,
        "attribute": ["author"] * 6,
        "value": ["p", "q", "p", "r", "r", "s"],
        "weight": [1.0, 2.0, 1.0, 1.0, 2.0, 1.0],
        "source_family": ["f", "f", "g"] * 2,
    }
    claims = Claims.from_frame(columns, attributes={"author": Attribute("multiple")})
    told = GRBM(features="never", family="source_family").fit(claims).notes_
    texts = [note.text for note in told if note.subject == "weights"]
    assert len(texts) == 1
    assert texts[0].startswith("Families and weights have no effect on author")
    plain = {name: column for name, column in columns.items() if name != "weight"}
    claims = Claims.from_frame(plain, attributes={"author": Attribute("multiple")})
    assert all(note.subject != "weights" for note in GRBM(features="never").fit(claims).notes_)
