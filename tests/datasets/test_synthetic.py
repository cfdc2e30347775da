"""What is drawn has the statistics that were asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from veracity.data.arrays import Array
from veracity.data.claims import Claims
from veracity.data.truth.ground_truth import GroundTruth
from veracity.datasets.synthetic import (
    AttributeSpec,
    Beta,
    SourceSpec,
    SyntheticTables,
    category,
    draw,
    draw_tables,
    normal,
    uniform,
    whole,
)

Judge = Callable[[SyntheticTables], Any]

CLOSED = AttributeSpec("colour", domain="closed", n_values=4)
SEVERAL = AttributeSpec("authors", kind="multiple", n_values=6, true_share=0.3)
BOOLEAN = AttributeSpec("alive", kind="boolean")


def with_roles(claims: Any, drawn: SyntheticTables) -> Any:
    return claims.merge(drawn.oracle.sources.to_pandas(), on="source")


def same(one: SyntheticTables, other: SyntheticTables) -> bool:
    return bool(
        one.claims.equals(other.claims)
        and one.truth.equals(other.truth)
        and one.oracle.sources.equals(other.oracle.sources)
    )


def test_plain_call_returns_claims_and_truth() -> None:
    drawn = draw(n_sources=40, n_entities=500, random_state=0)
    assert isinstance(drawn.claims, Claims)
    assert isinstance(drawn.truth, GroundTruth)
    assert len(drawn.truth) == 500
    assert len(drawn.claims) == pytest.approx(4000, rel=0.02)
    assert drawn.oracle.sources.num_rows == 40
    assert drawn.oracle.claims.num_rows == len(drawn.claims)


def test_kinds_are_told_to_the_claims() -> None:
    drawn = draw(20, 100, [CLOSED, SEVERAL, BOOLEAN, AttributeSpec("name")])
    profiles = {profile.name: (profile.kind, profile.domain) for profile in drawn.claims.attributes}
    assert profiles == {
        "colour": ("single", "closed"),
        "authors": ("multiple", "open"),
        "alive": ("boolean", "closed"),
        "name": ("single", "open"),
    }


def test_same_seed_same_claims() -> None:
    spec = SourceSpec(copiers=0.2, denials=0.1, tail=1.0)

    def drawn(seed: int) -> SyntheticTables:
        attributes = [CLOSED, SEVERAL]
        features = {"claim_x": normal()}
        return draw_tables(30, 50, attributes, sources=spec, features=features, random_state=seed)

    assert same(drawn(3), drawn(3))
    assert not same(drawn(3), drawn(4))


def test_sources_are_as_reliable_as_asked(judged: Judge) -> None:
    wanted = np.linspace(0.3, 0.95, 12)
    spec = SourceSpec(reliability=wanted, items_per_source=3000)
    drawn = draw_tables(12, 4000, sources=spec)
    right = judged(drawn).groupby("source")["is_true"].mean()
    assert right.to_numpy() == pytest.approx(wanted, abs=0.035)  # four standard errors
    assert drawn.oracle.sources["reliability"].to_numpy() == pytest.approx(wanted)
    assert drawn.oracle.sources["fpr"].to_numpy() == pytest.approx((1 - wanted) / 4)


def test_beta_reliabilities() -> None:
    drawn = draw_tables(4000, 50, sources=SourceSpec(reliability=Beta(6, 2)))
    reliability = drawn.oracle.sources["reliability"].to_numpy()
    assert reliability.mean() == pytest.approx(0.75, abs=0.01)
    assert reliability.std() == pytest.approx(np.sqrt(0.75 * 0.25 / 9), abs=0.01)


def test_open_values_belong_to_one_item() -> None:
    claims = draw_tables(30, 80, attributes=2).claims.to_pandas()
    assert claims["attribute"].nunique() == 2
    items = claims.drop_duplicates(["entity", "attribute", "value"])
    assert items["value"].is_unique


def test_closed_values_are_shared_and_follow_their_prior(judged: Judge) -> None:
    prior = (0.6, 0.3, 0.1)
    spec = AttributeSpec(
        "size", domain="closed", n_values=3, prior=prior, labels=("small", "medium", "large")
    )
    drawn = draw_tables(10, 5000, [spec])
    share = drawn.truth.to_pandas()["value"].value_counts(normalize=True)
    assert share[["small", "medium", "large"]].to_numpy() == pytest.approx(prior, abs=0.03)
    assert set(judged(drawn)["value"]) == {"small", "medium", "large"}


def test_boolean_rates(judged: Judge) -> None:
    spec = AttributeSpec("alive", kind="boolean", prior=(0.2, 0.8))
    sources = SourceSpec(reliability=0.9, fpr=0.3)
    drawn = draw_tables(20, 8000, [spec], sources=sources)
    claims = judged(drawn)
    says_true = claims["value"] == "true"
    is_true = claims["is_true"] == says_true
    assert says_true[is_true].mean() == pytest.approx(0.9, abs=0.02)
    assert says_true[~is_true].mean() == pytest.approx(0.3, abs=0.02)
    assert is_true.mean() == pytest.approx(0.2, abs=0.02)
    reliability = drawn.oracle.sources["reliability"].to_numpy()
    assert reliability == pytest.approx(0.2 * 0.9 + 0.8 * 0.7)


def test_several_true_values(judged: Judge) -> None:
    sources = SourceSpec(reliability=0.8, fpr=0.1, items_per_source=500)
    drawn = draw_tables(40, 3000, [SEVERAL], sources=sources)
    n_true = drawn.truth.to_pandas().groupby("entity").size()
    assert len(n_true) == 3000
    expected = 6 * 0.3 / (1 - 0.7**6)  # at least one
    assert n_true.mean() == pytest.approx(expected, abs=0.06)

    claims = judged(drawn).merge(n_true.rename("n_true"), on="entity")
    visited = 40 * 500  # those who named nothing included
    named_true = claims["is_true"].sum() / (visited * expected)
    named_false = (~claims["is_true"]).sum() / (visited * (6 - expected))
    assert named_true == pytest.approx(0.8, abs=0.03)
    assert named_false == pytest.approx(0.1, abs=0.01)
    assert not claims.duplicated(["source", "entity", "value"]).any()


def test_long_tail() -> None:
    spec = SourceSpec(tail=1.0, items_per_source=50)
    counts = draw_tables(400, 5000, sources=spec).claims.to_pandas()["source"].value_counts()
    assert counts.mean() == pytest.approx(50, abs=1)
    # The r-th of n sources has 1/r of the first one's claims.
    ranks = np.arange(1, 41)
    slope = np.polyfit(np.log(ranks), np.log(counts.to_numpy()[:40]), 1)[0]
    assert slope == pytest.approx(-1, abs=0.05)


def test_sources_with_one_claim() -> None:
    spec = SourceSpec(one_claim_share=0.6, items_per_source=40)
    counts = draw_tables(200, 300, sources=spec).claims.to_pandas()["source"].value_counts()
    assert (counts == 1).sum() == 120
    assert counts[counts > 1].mean() == pytest.approx(40, abs=0.5)


def test_adversaries_are_below_chance(judged: Judge) -> None:
    sources = SourceSpec(reliability=0.8, adversaries=0.25, items_per_source=800)
    drawn = draw_tables(20, 1000, [CLOSED], sources=sources)
    right = with_roles(judged(drawn), drawn).groupby("role")["is_true"].mean()
    assert right["honest"] == pytest.approx(0.8, abs=0.02)
    assert right["adversary"] == pytest.approx(0.2 / 3, abs=0.02)
    assert drawn.oracle.sources["role"].to_pylist().count("adversary") == 5


def test_spammers_answer_evenly(judged: Judge) -> None:
    skewed = AttributeSpec(
        "colour", domain="closed", n_values=4, prior=(0.7, 0.1, 0.1, 0.1), clustering=2.0
    )
    sources = SourceSpec(reliability=0.9, spammers=0.5, items_per_source=900)
    drawn = draw_tables(20, 1000, [skewed], sources=sources)
    claims = with_roles(judged(drawn), drawn)
    spam = claims[claims["role"] == "spammer"]
    shares = spam["value"].value_counts(normalize=True)
    assert shares.to_numpy() == pytest.approx([0.25] * 4, abs=0.02)
    assert spam["is_true"].mean() == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("attribute", [AttributeSpec("a"), SEVERAL], ids=["single", "multiple"])
def test_copiers_copy_mistakes(judged: Judge, attribute: AttributeSpec) -> None:
    sources = SourceSpec(reliability=0.6, copiers=0.5, copy_probability=0.75, items_per_source=1500)
    drawn = draw_tables(8, 2000, [attribute], sources=sources)
    claims = with_roles(judged(drawn), drawn)
    (original,) = claims["copies"].dropna().unique()
    assert (claims["role"] == "copier").any()
    mistakes = claims[(claims["source"] == original) & ~claims["is_true"]]
    mistakes = set(zip(mistakes["entity"], mistakes["value"], strict=True))

    def repeated(role: str) -> float:
        others = claims[(claims["role"] == role) & (claims["source"] != original)]
        made = set(zip(others["source"], others["entity"], others["value"], strict=True))
        sources = others["source"].unique()
        pairs = [(source, *mistake) in made for source in sources for mistake in mistakes]
        return float(np.mean(pairs))

    # A quarter of the time a copier answers by itself, and then may err in the same way.
    alone = (1 - 0.6) / (attribute.size - 1)
    assert repeated("copier") == pytest.approx(0.75 + 0.25 * alone, abs=0.03)
    assert repeated("honest") == pytest.approx(alone * 0.75, abs=0.03)  # 1500 of 2000 items


@pytest.mark.parametrize("attribute", [CLOSED, SEVERAL], ids=["single", "multiple"])
def test_faithful_copiers_say_all_that_their_original_says(attribute: AttributeSpec) -> None:
    sources = SourceSpec(copiers=0.5, copy_probability=1.0, items_per_source=200, denials=0.3)
    drawn = draw_tables(6, 200, [attribute], sources=sources)
    claims = drawn.claims.to_pandas()
    said = {
        source: set(zip(own["entity"], own["value"], own["asserts"], strict=True))
        for source, own in claims.groupby("source")
    }
    by_source = drawn.oracle.sources.to_pandas().set_index("source")
    copiers = by_source[by_source["role"] == "copier"]
    assert len(copiers) == 3
    for copier, original in copiers["copies"].items():
        assert said[copier] == said[original]
        assert by_source["tpr"][copier] == pytest.approx(by_source["tpr"][original])
        assert by_source["fpr"][copier] == pytest.approx(by_source["fpr"][original])


def test_denials_of_single_values(judged: Judge) -> None:
    sources = SourceSpec(reliability=0.7, denials=0.3)
    claims = judged(draw_tables(40, 4000, [CLOSED], sources=sources))
    denied = claims["asserts"] == 0
    assert denied.mean() == pytest.approx(0.3, abs=0.01)
    assert claims["is_true"][~denied].mean() == pytest.approx(0.7, abs=0.02)
    # It denies one of the values that it does not believe: the true one if it errs, one in three.
    assert claims["is_true"][denied].mean() == pytest.approx(0.3 / 3, abs=0.015)


def test_denials_among_several_values(judged: Judge) -> None:
    sources = SourceSpec(reliability=0.8, fpr=0.1, denials=0.25)
    claims = judged(draw_tables(40, 2000, [SEVERAL], sources=sources))
    denied = claims["asserts"] == 0
    assert denied.mean() == pytest.approx(0.25, abs=0.01)
    assert claims["is_true"][denied].mean() < claims["is_true"][~denied].mean() - 0.5
    assert not claims.duplicated(["source", "entity", "value"]).any()


def test_without_denials_there_is_no_such_column() -> None:
    assert draw_tables(5, 5).claims.column_names == ["source", "entity", "attribute", "value"]


@pytest.mark.parametrize(("clustering", "agreement"), [(0.0, 1 / 9), (2.0, 0.65)])
def test_wrong_values_cluster(judged: Judge, clustering: float, agreement: float) -> None:
    attribute = AttributeSpec("a", n_values=10, clustering=clustering)
    sources = SourceSpec(reliability=0.2, items_per_source=300)
    claims = judged(draw_tables(300, 300, [attribute], sources=sources))
    wrong = claims[~claims["is_true"]].groupby("entity")["value"]
    commonest = wrong.agg(lambda values: values.value_counts(normalize=True).iloc[0])
    assert commonest.median() == pytest.approx(agreement, abs=0.05)


def test_reliability_is_a_function_of_features(judged: Judge) -> None:
    def reliability(seen: Mapping[str, Array]) -> Array:
        expert = np.where(seen["source_kind"] == "expert", 0.3, 0.0)
        return np.asarray(0.35 + expert + 0.2 * seen["claim_sure"] + 0.1 * (seen["entity_n"] > 5))

    features = {
        "source_kind": category("expert", "layman", shares=(0.3, 0.7)),
        "claim_sure": uniform(),
        "entity_n": whole(1, 10),
    }
    sources = SourceSpec(reliability=reliability, items_per_source=400)
    drawn = draw_tables(100, 800, sources=sources, features=features)
    claims = judged(drawn)
    by_source = claims.groupby("source")["source_kind"].nunique()
    assert (by_source == 1).all()
    assert (claims.groupby("entity")["entity_n"].nunique() == 1).all()
    assert set(claims["entity_n"]) == set(range(1, 11))

    wanted = reliability({name: claims[name].to_numpy() for name in features})
    assert drawn.oracle.claims["reliability"].to_numpy() == pytest.approx(wanted)
    right = claims.groupby(["source_kind", claims["claim_sure"] > 0.5, claims["entity_n"] > 5])
    for (kind, sure, many), group in right:
        expected = 0.35 + 0.3 * (kind == "expert") + (0.15 if sure else 0.05) + 0.1 * many
        assert group["is_true"].mean() == pytest.approx(expected, abs=0.04)


def test_hard_entities_mislead_more(judged: Judge) -> None:
    def spread(difficulty: float) -> float:
        sources = SourceSpec(reliability=0.75, items_per_source=300)
        drawn = draw_tables(200, 300, sources=sources, difficulty=difficulty)
        return float(judged(drawn).groupby("entity")["is_true"].mean().std())

    assert spread(0.0) < 0.05
    assert spread(1.5) > 0.15


def test_time_is_in_range_and_copies_are_late() -> None:
    sources = SourceSpec(copiers=0.5, copy_probability=1.0, items_per_source=100)
    days = ("2021-03-01", "2021-03-31")
    drawn = draw_tables(10, 100, [CLOSED], sources=sources, time=days)
    assert drawn.claims["time"].type == pa.date32()
    claims = with_roles(drawn.claims.to_pandas(), drawn)
    assert claims["time"].min().isoformat() == days[0]
    assert claims["time"].max().isoformat() == days[1]
    made = claims[["source", "entity", "time"]]
    pairs = claims.merge(made, left_on=["copies", "entity"], right_on=["source", "entity"])
    assert len(pairs) == 500
    assert (pairs["time_x"] >= pairs["time_y"]).all()
    assert (pairs["time_x"] > pairs["time_y"]).mean() > 0.5
