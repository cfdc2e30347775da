"""AccuCopy: who copies whom, and what is true in spite of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import veracity
from veracity import Accu, AccuCopy, Attribute, Claims, MajorityVote
from veracity.data.read.settings import Kind
from veracity.datasets import synthetic
from veracity.datasets.synthetic import AttributeSpec, Beta, SourceSpec, Synthetic
from veracity.errors import InvalidParameter
from veracity.evaluation.metrics import evaluate
from veracity.models.base import TruthModel

#: Where five researchers work, as five sources have it: the example of the paper's introduction.
#: S1 is right about all. S4 and S5 copy from S3, and S5 makes a mistake of its own.
AFFILIATIONS = {
    "Stonebraker": ["MIT", "Berkeley", "MIT", "MIT", "MS"],
    "Dewitt": ["MSR", "MSR", "UWisc", "UWisc", "UWisc"],
    "Bernstein": ["MSR", "MSR", "MSR", "MSR", "MSR"],
    "Carey": ["UCI", "AT&T", "BEA", "BEA", "BEA"],
    "Halevy": ["Google", "Google", "UW", "UW", "UW"],
}
TRUE = {name: values[0] for name, values in AFFILIATIONS.items()}


def columns(rows: list[tuple[str, str, str]]) -> dict[str, list[str]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(("source", "entity", "value"))}


def affiliations() -> dict[str, list[str]]:
    return columns(
        [
            (f"S{number}", name, value)
            for name, values in AFFILIATIONS.items()
            for number, value in enumerate(values, 1)
        ]
    )


def truths(model: TruthModel) -> dict[str, str]:
    table = model.truths_
    return dict(zip(table["entity"].to_pylist(), table["value"].to_pylist(), strict=True))


def dependent(model: AccuCopy, at_least: float = 0.5) -> dict[frozenset[str], float]:
    """Return the pairs that probably depend on each other."""
    return {
        frozenset((row["source"], row["copies_from"])): row["either_way"]
        for row in model.copying_.to_pylist()
        if row["either_way"] >= at_least
    }


def accuracy(model: TruthModel, drawn: Synthetic) -> float:
    fitted = model.fit(drawn.claims)
    return evaluate(fitted.truths_, drawn.truth, drawn.claims).accuracy


# The example of the paper


def test_the_copied_majority_of_the_paper_does_not_win() -> None:
    claims = affiliations()
    assert sum(truths(MajorityVote().fit(claims))[name] == TRUE[name] for name in TRUE) == 2
    assert sum(truths(Accu().fit(claims))[name] == TRUE[name] for name in TRUE) == 2
    # Five wrong values and an accuracy of one half to begin with: at 0.8, the first round is as
    # sure of the majority as to take S1 and S2 for those who share mistakes.
    model = AccuCopy(n_false=5, initial_accuracy=0.5).fit(claims)
    assert truths(model) == TRUE
    assert set(dependent(model, 0.9)) == {
        frozenset({"S3", "S4"}), frozenset({"S3", "S5"}), frozenset({"S4", "S5"})
    }  # fmt: skip
    assert dependent(model, 0.0)[frozenset({"S1", "S2"})] < 0.1
    # S2 is right three times of five, S3 and S4 twice, S5 once.
    learned = model.learned_.of_source["accuracy"]
    assert learned.tolist() == pytest.approx([0.99, 0.6, 0.4, 0.4, 0.2], abs=0.01)


def test_wrong_answers_that_are_shared_are_counted() -> None:
    model = AccuCopy(n_false=5, initial_accuracy=0.5).fit(affiliations())
    rows = {frozenset((r["source"], r["copies_from"])): r for r in model.copying_.to_pylist()}
    # S3 and S4 share UWisc, BEA and UW; S1 and S2 nothing that is wrong.
    assert rows[frozenset({"S3", "S4"})]["n_shared_false"] == pytest.approx(3, abs=0.05)
    assert rows[frozenset({"S1", "S2"})]["n_shared_false"] == pytest.approx(0, abs=0.05)
    assert {row["n_shared"] for row in rows.values()} == {5}


# Copiers that were planted


def with_copiers(seed: int, **changes: Any) -> Synthetic:
    spec: dict[str, Any] = {"copiers": 0.4, "n_originals": 2, "reliability": Beta(6, 4)}
    values = [AttributeSpec("a", n_values=20)]
    return synthetic.draw(
        30,
        200,
        values,
        sources=SourceSpec(items_per_source=60, **spec | changes),
        random_state=seed,
    )


def families(drawn: Synthetic) -> dict[str, str]:
    """Return whom each source copies, or its own name."""
    table = drawn.oracle.sources
    copies = zip(table["source"].to_pylist(), table["copies"].to_pylist(), strict=True)
    return {source: original or source for source, original in copies}


def test_planted_copiers_are_found_and_do_not_win() -> None:
    n_found, n_right, n_planted, n_recalled = 0, 0, 0, 0
    own, independent, voted = [], [], []
    for seed in range(5):
        drawn = with_copiers(seed)
        model = AccuCopy(n_false=20)
        own.append(accuracy(model, drawn))
        independent.append(accuracy(Accu(n_false=20), drawn))
        voted.append(accuracy(MajorityVote(), drawn))
        family, found = families(drawn), dependent(model)
        planted = {frozenset(pair) for pair in family.items() if pair[0] != pair[1]}
        n_found += len(found)
        # Two copiers of the same original depend on each other as well.
        n_right += sum(len({family[name] for name in pair}) == 1 for pair in found)
        n_planted += len(planted)
        n_recalled += len(planted & found.keys())
    assert n_planted == 5 * 12
    assert n_right / n_found > 0.95
    assert n_recalled / n_planted > 0.85
    assert np.mean(own) > np.mean(independent) + 0.05
    assert np.mean(own) > np.mean(voted) + 0.05


def test_a_copier_that_is_worse_on_its_own_is_told_from_its_original() -> None:
    # The copier says as much again that is not in the original, and is mostly wrong there; what
    # they share is as good as the rest of the original.
    rng = np.random.default_rng(0)
    rows: list[tuple[str, str, str]] = []
    for item in range(400):
        entity = f"{item:03}"
        wrong = [f"w{rng.integers(10)}" for _ in range(6)]
        right = rng.uniform(size=6) < 0.75
        rows += [(f"s{i}", entity, "t" if right[i] else wrong[i]) for i in range(4)]
        if item < 200:
            original = "t" if right[4] else wrong[4]
            rows += [("original", entity, original), ("copier", entity, original)]
        else:
            rows.append(("copier", entity, "t" if rng.uniform() < 0.3 else wrong[5]))
    model = AccuCopy(n_false=10).fit(columns(rows))
    first = model.copying_.to_pylist()[0]
    assert (first["source"], first["copies_from"]) == ("copier", "original")
    assert first["probability"] > 0.95
    assert first["n_shared"] == 200


def test_independent_sources_are_not_taken_for_copiers() -> None:
    n_reported, n_pairs, own, independent = 0, 0, [], []
    for seed in range(5):
        drawn = with_copiers(seed, copiers=0.0, reliability=Beta(9, 2))
        model = AccuCopy()
        own.append(accuracy(model, drawn))
        independent.append(accuracy(Accu(), drawn))
        n_reported += len(dependent(model))
        n_pairs += 30 * 29 // 2
    assert n_reported / n_pairs < 0.02
    assert np.mean(own) > np.mean(independent) - 0.01


def test_with_no_pair_to_compare_it_is_accu() -> None:
    drawn = with_copiers(0)
    copy, plain = AccuCopy(min_shared=10_000, tol=1e-6), Accu(tol=1e-6)
    assert copy.fit(drawn.claims).plausibility_ == pytest.approx(
        plain.fit(drawn.claims).plausibility_, abs=1e-4
    )
    assert len(copy.copying_) == 0


# What it gets wrong, and what helps


def experts() -> list[tuple[str, str, str]]:
    """Two experts say t throughout; of seven others, six err alike on a third of the items."""
    rows = [(name, f"{i:03}", "t") for name in ("expert1", "expert2") for i in range(60)]
    for number in range(7):
        for item in range(60):
            common = item % 3 == 0 and number < 6
            rare = (item + 7 * number) % 11 == 0
            said = "myth" if common else f"slip{number}" if rare else "t"
            rows.append((f"lay{number}", f"{item:03}", said))
    return rows


def test_sources_that_are_right_against_the_vote_look_like_copiers() -> None:
    model = AccuCopy(n_false=20).fit(columns(experts()))
    assert dependent(model)[frozenset({"expert1", "expert2"})] > 0.95
    assert truths(model)["000"] == "myth"


def test_known_truth_holds_and_clears_them() -> None:
    known = {"entity": [f"{i:03}" for i in range(0, 45, 3)], "value": ["t"] * 15}
    model = AccuCopy(n_false=20).fit(columns(experts()), known_truth=known)
    assert frozenset({"expert1", "expert2"}) not in dependent(model)
    assert frozenset({"lay0", "lay1"}) in dependent(model)
    assert set(truths(model).values()) == {"t"}
    statements = model.statements_.to_pylist()
    given = {(r["entity"], r["value"]): r["plausibility"] for r in statements}
    assert (given["003", "t"], given["003", "myth"]) == (1.0, 0.0)
    assert given["057", "myth"] < 0.5


# What it shares with all models


def test_names_and_order_of_sources_do_not_matter() -> None:
    rows = experts()[::-1]
    renamed = [(source[::-1], entity, value) for source, entity, value in rows]
    models = [AccuCopy(n_false=20).fit(columns(part)) for part in (experts(), rows, renamed)]
    for other in models[1:]:
        assert other.plausibility_ == pytest.approx(models[0].plausibility_, abs=1e-9)
    names = {frozenset(name[::-1] for name in pair): p for pair, p in dependent(models[2]).items()}
    assert names == pytest.approx(dependent(models[0]))


@pytest.mark.parametrize("kind", ["single", "multiple", "boolean"])
@pytest.mark.parametrize("seed", range(8))
def test_names_do_not_matter_even_where_sources_are_equal(seed: int, kind: Kind) -> None:
    # Few sources and values, so that many are equally accurate.
    rng = np.random.default_rng(seed)
    values = ["yes", "no"] if kind == "boolean" else ["1", "2", "3", "4"]
    said = {
        (f"s{rng.integers(7)}", f"e{rng.integers(8)}"): str(rng.choice(values)) for _ in range(60)
    }
    rows = [(source, entity, value) for (source, entity), value in said.items()]
    new_name = {f"s{old}": f"n{new}" for old, new in enumerate(rng.permutation(7))}
    renamed = [(new_name[source], entity, value) for source, entity, value in rows[::-1]]
    one, other = (
        AccuCopy(min_shared=1).fit(
            Claims.from_frame(columns(part), attributes={"*": Attribute(kind)})
        )
        for part in (rows, renamed)
    )
    assert other.plausibility_ == pytest.approx(one.plausibility_, abs=1e-6)


def test_a_saved_model_keeps_its_pairs(tmp_path: Path) -> None:
    drawn = with_copiers(1)
    model = AccuCopy(n_false=20).fit(drawn.claims)
    loaded = veracity.load(model.save(tmp_path / "model"))
    assert isinstance(loaded, AccuCopy)
    assert len(model.copying_) > 12
    assert loaded.copying_.to_arrow().equals(model.copying_.to_arrow())
    mine, theirs = (m.predict_plausibility(drawn.claims).to_arrow() for m in (model, loaded))
    assert theirs.equals(mine)
    assert mine["plausibility"].to_numpy() == pytest.approx(model.plausibility_)


def test_known_copies_are_discounted_in_new_claims_too() -> None:
    # S3, S4 and S5 against S1 and S2 about somebody new, and against two that were never seen.
    model = AccuCopy(n_false=5, initial_accuracy=0.5).fit(affiliations())
    rows = [("S5", "x", "a"), ("S4", "x", "a"), ("S3", "x", "a"), ("S1", "x", "b")]
    new = [("n1", "y", "b"), ("n2", "y", "b")] + [(s, "y", v) for s, _, v in rows[:3]]
    found = model.predict(Claims.from_frame(columns(rows + new)))
    assert found["value"].to_pylist() == ["b", "b"]


def test_what_was_left_out_is_noted() -> None:
    claims = columns(experts())
    model = AccuCopy(max_supporters=4, max_pairs=2, min_shared=1).fit(claims)
    said = [note for note in model.notes_ if note.subject == "copying"]
    assert len(said) == 2
    assert "with more than 4 sources" in said[0].text
    assert "Raise max_pairs" in said[1].text
    assert len(model.copying_) <= 2
    assert not [n for n in AccuCopy().fit(claims).notes_ if n.subject == "copying"]


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"dependence_prior": 0.0}, "dependence_prior must be between 0 and 1. Got 0.0 instead."),
        ({"copy_rate": 1.0}, "copy_rate must be between 0 and 1. Got 1.0 instead."),
        ({"min_shared": 0}, "min_shared must be 1 or more. Got 0 instead."),
        ({"max_supporters": 0}, "max_supporters must be"),
        ({"max_pairs": 0}, "max_pairs must be"),
        ({"n_false": -1}, "n_false must be"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        AccuCopy(**params).fit(affiliations())
