"""Domains: specialists are found, and what nobody knows about falls back to the source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.grbm.term_worlds import drawn, specialists
from tests.worlds import CLOSED, world

import veracity
from veracity import GRBM, Claims, MajorityVote
from veracity.errors import InvalidParameter
from veracity.models.grbm.terms.domains import MAX_DOMAINS


def with_topics(topics: Any, n_items: int = 60) -> Claims:
    """Return made claims with a topic for each item."""
    made = world([0.9, 0.8, 0.7, 0.6, 0.55], n_items)
    of_entity = dict(zip(sorted(made.truth), topics, strict=True))
    columns = {**made.columns, "entity_topic": [of_entity[e] for e in made.columns["entity"]]}
    return Claims.from_frame(columns, attributes={"*": CLOSED})


@pytest.mark.parametrize("seed", [0, 1])
def test_specialists_are_found(seed: int) -> None:
    made = specialists(seed=seed)
    vote = MajorityVote().fit(made.claims)
    plain = GRBM(features="never").fit(made.claims)
    model = GRBM(features="never", domain="entity_topic").fit(made.claims)
    assert made.accuracy(model) > made.accuracy(plain) + 0.1
    assert made.accuracy(model) > made.accuracy(vote) + 0.12
    table = model.reliability_by_domain_
    assert table is not None
    rates = {(row["source"], row["domain"]): row["reliability"] for row in table.to_pylist()}
    assert len(rates) == 8 * 3
    for place in range(3):
        known = min(rates[f"s{2 * place + one:02d}", f"topic {place}"] for one in (0, 1))
        others = [rates[f"s{2 * place + one:02d}", f"topic {(place + 1) % 3}"] for one in (0, 1)]
        assert known > 0.75
        assert max(others) < 0.6
    assert {row["n_claims"] for row in table.to_pylist()} == {150}


def test_unseen_pairs_fall_back_to_the_source_and_to_the_domain() -> None:
    made = specialists()
    model = GRBM(features="never", domain="entity_topic").fit(made.claims)
    parameters = model.fitted_model.parameters
    new = {
        "source": ["s00", "nobody", "nobody", "s00"],
        "entity": ["a", "a", "b", "c"],
        "value": ["v0", "v1", "v0", "v0"],
        "entity_topic": ["geology", "topic 1", "geology", None],
    }
    shown = model.parameters(Claims.from_frame(new, attributes={"*": CLOSED})).to_pylist()
    eta = {(row["source"], row["entity"]): row["eta"] for row in shown}
    m, own = float(parameters["m"]), float(parameters["source"][0])
    assert eta["s00", "a"] == pytest.approx(m + own)
    assert eta["s00", "c"] == pytest.approx(m + own)
    assert eta["nobody", "b"] == pytest.approx(m)
    assert eta["nobody", "a"] == pytest.approx(m)  # a column of items has no common slope
    assert eta["s00", "a"] != pytest.approx(m)


def test_a_domain_of_claims_has_a_reliability_that_new_sources_share() -> None:
    right = np.where(np.arange(300)[:, None] % 2 == np.arange(6) % 2, 0.9, 0.4)
    way = np.where(right > 0.5, "seen", "heard")
    made = drawn(right, {"claim_way": way})
    model = GRBM(features="never", domain="claim_way").fit(made.claims)
    heard, seen = model.fitted_model.parameters["slope"]
    assert seen > heard + 1.0
    assert made.accuracy(model) > made.accuracy(GRBM(features="never").fit(made.claims)) + 0.05


def test_topics_that_tell_the_classes_do_no_harm() -> None:
    """In every other topic only two of four classes are true; nobody is a specialist."""
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(2_000), 5)
    source = (100 * rng.random(len(item)) ** 2).astype(int)
    said = np.where(rng.random(len(item)) < 0.65, item % 4, rng.integers(0, 4, len(item)))
    columns = {
        "source": [f"s{number}" for number in source],
        "entity": [f"e{number:04d}" for number in item],
        "value": [f"v{number}" for number in said],
        "entity_topic": [f"t{number % 10}" for number in item],
    }
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    truth = {f"e{number:04d}": f"v{number % 4}" for number in range(2_000)}
    share = [
        np.mean([row["value"] == truth[row["entity"]] for row in model.truths_.to_pylist()])
        for model in (
            GRBM(features="never").fit(claims),
            GRBM(features="never", domain="entity_topic").fit(claims),
        )
    ]
    assert share[1] > share[0] - 0.02


def test_a_domain_that_a_source_never_spoke_about_is_judged_by_the_others() -> None:
    made = specialists()
    keep = [
        not (source == "s06" and topic == "topic 0")
        for source, topic in zip(made.columns["source"], made.columns["entity_topic"], strict=True)
    ]
    columns = {
        name: [cell for cell, kept in zip(cells, keep, strict=True) if kept]
        for name, cells in made.columns.items()
    }
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    model = GRBM(features="never", domain="entity_topic").fit(claims)
    assert model.fitted_model.parameters["own_slope"][6, 0] == pytest.approx(0.0, abs=1e-9)
    assert model.reliability_by_domain_ is not None
    pairs = {(row["source"], row["domain"]) for row in model.reliability_by_domain_.to_pylist()}
    assert ("s06", "topic 0") not in pairs


@pytest.mark.parametrize("topics", [["one"] * 60, [None] * 60, ["one"] * 30 + [None] * 30])
def test_one_domain_changes_nothing_to_the_bit_and_says_so(topics: list[str | None]) -> None:
    claims = with_topics(topics)
    if topics[0] is None:  # a column without cells is a number
        assert claims.feature_types["entity_topic"] in ("number", "category")
    plain = GRBM(features="never").fit(claims)
    model = GRBM(features="never", domain="entity_topic").fit(claims)
    assert np.array_equal(model.plausibility_, plain.plausibility_)
    assert model.sources_.to_pylist() == plain.sources_.to_pylist()
    assert model.reliability_by_domain_ is None
    assert any("domains change nothing" in note.text for note in model.notes_)


def test_empty_cells_are_counted() -> None:
    topics = [None if n % 3 else "ab"[n % 2] for n in range(60)]
    model = GRBM(features="never", domain="entity_topic").fit(with_topics(topics))
    (note,) = [note for note in model.notes_ if note.subject == "domains"]
    assert "200 claims of 300 have no domain (entity_topic)" in note.text


def test_numbers_and_many_domains() -> None:
    topics = [n % 60 for n in range(240)]
    model = GRBM(features="never", domain="entity_topic").fit(with_topics(topics, 240))
    (term,) = model.fitted_model.terms
    assert len(term.names) == MAX_DOMAINS
    assert any("commonest of 60 domains" in note.text for note in model.notes_)


def test_the_table_is_saved(tmp_path: Any) -> None:
    model = GRBM(features="never", domain="entity_topic").fit(specialists(90).claims)
    model.save(tmp_path / "model")
    again = veracity.load(tmp_path / "model")
    assert isinstance(again, GRBM)
    assert again.reliability_by_domain_ is not None
    assert model.reliability_by_domain_ is not None
    assert again.reliability_by_domain_.to_pylist() == model.reliability_by_domain_.to_pylist()


def test_bad_input() -> None:
    claims = with_topics(["ab"[n % 2] for n in range(60)])
    with pytest.raises(InvalidParameter, match=r"'entity_topics' to take domains.*'entity_topic'"):
        GRBM(domain="entity_topics").fit(claims)
    with pytest.raises(InvalidParameter, match="domain must be the name of a feature column"):
        GRBM(domain=["entity_topic"]).fit(claims)  # type: ignore[arg-type]
    made = world([0.9, 0.8, 0.7], 40)
    columns = {**made.columns, "claim_id": [f"c{n}" for n in range(120)]}
    with pytest.raises(InvalidParameter, match="it names claims or entities, not domains"):
        GRBM(domain="claim_id").fit(Claims.from_frame(columns, attributes={"*": CLOSED}))


def test_the_attribute_is_a_domain_of_its_own_name() -> None:
    made = specialists(n_items=150)
    attribute = dict(zip(made.columns["entity"], made.columns["entity_topic"], strict=True))
    rows = {name: made.columns[name] for name in ("source", "entity", "value")}
    rows["attribute"] = made.columns["entity_topic"]
    claims = Claims.from_frame(rows, attributes={"*": CLOSED})
    beside = Claims.from_frame(
        rows | {"entity_topic": made.columns["entity_topic"]}, attributes={"*": CLOSED}
    )
    model = GRBM(features="never", domain="attribute").fit(claims)
    same = GRBM(features="never", domain="entity_topic").fit(beside)
    assert model.plausibility_ == pytest.approx(same.plausibility_)
    assert model.reliability_by_domain_ is not None
    assert set(model.reliability_by_domain_["domain"].to_pylist()) == set(attribute.values())


def test_one_attribute_is_no_domain() -> None:
    made = world([0.9, 0.8, 0.7], 30)
    model = GRBM(domain="attribute").fit(made.claims)
    assert model.reliability_by_domain_ is None
    assert any("only one domain" in note.text for note in model.notes_)
