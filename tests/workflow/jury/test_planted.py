"""What is planted in a drawn jury is found, and nothing is found where nothing is planted."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from veracity import jury
from veracity.datasets.synthetic import JudgeSpec, draw_jury
from veracity.workflow.jury import Jury

SEEDS = 4
OTHERS = (
    JudgeSpec("good", 0.88),
    JudgeSpec("fair", 0.8),
    JudgeSpec("plain", 0.8),
    JudgeSpec("weak", 0.72),
)
SIBLINGS = tuple(JudgeSpec(f"sibling {n}", 0.65, family="maker", shared=0.8) for n in range(5))
STRANGERS = tuple(JudgeSpec(f"stranger {n}", 0.8) for n in range(4))


@cache
def biased() -> Jury:
    """Weigh a jury with a judge that likes the first answer, and one that likes the longer."""
    judges = [*OTHERS, JudgeSpec("first", 0.75, first=1.0), JudgeSpec("wordy", 0.75, longer=1.0)]
    return jury(draw_jury(judges, 500, random_state=1).verdicts)


@cache
def unbiased(seed: int) -> Jury:
    judges = [*OTHERS, JudgeSpec("other", 0.8), JudgeSpec("coin", 0.5)]
    return jury(draw_jury(judges, 400, random_state=seed).verdicts)


def test_position_and_verbosity_bias_are_found_and_no_others() -> None:
    found = {(bias.kind, bias.judge) for bias in biased().biases.found}
    assert found == {("position", "first"), ("verbosity", "wordy")}


@pytest.mark.parametrize(("kind", "judge"), [("position", "first"), ("verbosity", "wordy")])
def test_the_size_of_a_bias_is_in_its_interval(kind: str, judge: str) -> None:
    (bias,) = (one for one in biased().biases.found if (one.kind, one.judge) == (kind, judge))
    assert bias.preference is not None
    assert bias.preference.low - 0.2 < 1.0 < bias.preference.high + 0.2


def test_yes_bias_is_found_and_does_not_rub_off_on_others() -> None:
    judges = [*OTHERS, JudgeSpec("yea-sayer", 0.75, yes=1.2)]
    counts: Counter[tuple[str, str | None]] = Counter()
    for seed in range(SEEDS):
        drawn = draw_jury(judges, 400, kind="yes-no", true_share=0.4, random_state=seed)
        found = jury(drawn.verdicts).biases
        counts.update((bias.kind, bias.judge) for bias in found.found)
        assert set(found.not_seen) == {"position", "verbosity"}
    assert counts.pop(("yes", "yea-sayer")) == SEEDS
    assert counts.total() <= 1


def test_no_bias_and_no_family_is_reported_where_none_is() -> None:
    seeds = range(SEEDS)
    assert sum(bool(unbiased(seed).biases.found) for seed in seeds) <= 1
    assert not any(unbiased(seed).families for seed in seeds)
    assert not any(len(unbiased(seed).pairs) for seed in seeds)


def test_a_coin_adds_nothing_and_the_best_judge_does() -> None:
    counts = Counter(judge for seed in range(SEEDS) for judge in unbiased(seed).adds_nothing)
    assert counts["coin"] == SEEDS
    assert counts["good"] == 0


def test_siblings_do_not_outvote_the_rest() -> None:
    drawn = draw_jury([*SIBLINGS, *STRANGERS], 300, random_state=2)
    unnamed = drawn.verdicts.drop_columns(["family"])
    found, never = (
        jury(unnamed, truth=drawn.truth),
        jury(unnamed, truth=drawn.truth, family="never"),
    )
    (family,) = found.families
    assert family.members == tuple(judge.name for judge in SIBLINGS)
    assert not family.declared
    assert 1 <= family.counts_as < 2.5
    assert found.measured is not None
    assert never.measured is not None
    assert found.measured.accuracy > never.measured.accuracy + 0.1
    assert not never.families


def test_a_declared_family_counts_for_less() -> None:
    drawn = draw_jury([*SIBLINGS, *STRANGERS], 150, random_state=3)
    (family,) = jury(drawn.verdicts, family="family").families
    assert family.declared
    assert family.name == "maker"
    assert family.counts_as <= 5**0.5


def test_a_column_of_families_is_not_used_unless_named() -> None:
    found = jury(draw_jury([*SIBLINGS[:2], *STRANGERS[:2]], 40).verdicts)
    assert not found.families
    assert any("--family family" in note.text for note in found.run.notes)


def test_a_redundant_pair_is_found() -> None:
    twins = [JudgeSpec(name, 0.8, family="t", shared=0.97) for name in ("twin", "other twin")]
    drawn = draw_jury([*OTHERS, JudgeSpec("fifth", 0.8), *twins], 500, random_state=1)
    found = jury(drawn.verdicts.drop_columns(["family"]), truth=drawn.truth)
    (pair,) = found.pairs.to_pylist()
    assert {pair["judge"], pair["other"]} == {"twin", "other twin"}
    assert pair["redundant"]
    assert pair["drop"] in ("twin", "other twin")
    assert any("redundant" in sentence for sentence in found.findings)


def test_what_a_stated_confidence_is_worth() -> None:
    judges = [
        *OTHERS,
        JudgeSpec("honest", 0.8, confidence=(0.0, 1.0)),
        JudgeSpec("boaster", 0.7, confidence=(2.0, 0.5)),
        JudgeSpec("empty", 0.8, confidence=(1.5, 0.0)),
    ]
    found = jury(draw_jury(judges, 800, random_state=0).verdicts).confidence
    assert found is not None
    assert found.scale == "probability"
    by_judge = {one.judge: one for one in found.judges}
    boaster, honest = by_judge["boaster"], by_judge["honest"]
    assert boaster.is_off
    assert boaster.worth is not None
    assert boaster.worth < 0.8
    assert boaster.ece is not None
    assert honest.ece is not None
    assert honest.worth_high is not None
    assert boaster.ece > honest.ece
    assert honest.worth_high > 0.9
    assert list(found.too_few) == ["empty"]  # always the same number


def test_position_consistency_where_both_orders_are_there() -> None:
    judges = [*OTHERS, JudgeSpec("first", 0.7, first=1.5)]
    drawn = draw_jury(judges, 150, both_orders=True, random_state=0)
    by_judge = {one.judge: one for one in jury(drawn.verdicts).biases.consistency}
    assert by_judge["first"].n_pairs == 150
    assert by_judge["first"].n_first > 3 * by_judge["first"].n_second
    assert by_judge["first"].share < by_judge["good"].share
