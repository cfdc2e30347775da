"""Findings: three sentences for each situation that a run can be in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from veracity.data.output.tables import Table
from veracity.data.output.tally import Tally
from veracity.report.extremes import extremes
from veracity.report.findings import Audited, Findings

SOME = Tally(60, 30, 10, 1.25)
COUNTS = {
    "n_sources": 5,
    "n_claims": 400,
    "n_items": 100,
    "n_contested": 40,
    "n_one_source_items": 3,
}
VOTE = {
    "subject": "vote",
    "text": "...",
    "short": "a majority vote would answer otherwise on 7 items",
}
STARTS = {"subject": "trust", "text": "...", "short": "two starts end in different answers"}
COPIES = {"subject": "copying", "text": "...", "short": "1 pair of sources agrees too much"}


def sources(*rates: float, n_claims: int = 80, width: float | None = 0.05) -> Table:
    columns: dict[str, Any] = {
        "source": [f"s{i}" for i in range(len(rates))],
        "n_claims": [n_claims] * len(rates),
        "reliability": list(rates),
    }
    if width is not None:
        columns["reliability_low"] = [rate - width for rate in rates]
        columns["reliability_high"] = [rate + width for rate in rates]
    return Table("sources", pa.table(columns))


def findings(
    tally: Tally = SOME,
    table: Table | None = None,
    notes: tuple[dict[str, Any], ...] = (VOTE,),
    audited: Audited | None = None,
    evaluation: dict[str, Any] | None = None,
    **counts: int,
) -> Findings:
    table = sources(0.9, 0.8, 0.7, 0.7, 0.6) if table is None else table
    numbers = COUNTS | {"n_items": tally.n_verdicts} | counts
    return Findings.of(numbers, tally, table, notes, 0.05, "GRBM", evaluation, audited)


# What was found


def test_it_says_how_much_is_contested_and_how_far_reliability_ranges() -> None:
    assert findings().found == (
        "5 sources make 400 claims about 100 items; 40 items are contested, and the reliability "
        "ranges from 0.90 (s0) down to 0.60 (s4)."
    )


def test_where_nobody_disagrees_it_says_so() -> None:
    said = findings(table=sources(0.9), n_sources=1, n_claims=1, n_items=1, n_contested=0).found
    assert said == "1 source makes 1 claim about 1 item, and no item is contested."


def test_sources_that_cannot_be_told_apart_are_not_ranked() -> None:
    for table in (sources(0.9, 0.88, 0.86), sources(0.9, 0.5, 0.4, n_claims=5)):
        assert "the sources cannot be told apart by reliability" in findings(table=table).found
    assert "reliability" not in findings(table=sources(0.9, 0.1)).found


# What to do


def test_some_verdicts_are_accepted() -> None:
    assert findings().to_do == (
        "Accept 60 of 100 verdicts, with 1.2 expected errors among them (error rate 5 %); review "
        "30, the closest calls first, and leave 10 undecided."
    )
    assert findings(Tally(60, 40, 0, 1.0)).to_do.endswith("review 40, the closest calls first.")
    assert findings(Tally(60, 0, 40, 1.0)).to_do.endswith("; leave 40 undecided.")


def test_nothing_can_be_accepted() -> None:
    said = findings(Tally(0, 70, 30, 0.0, least_rate=0.072)).to_do
    assert said == (
        "None of the 100 verdicts is sure enough for an expected error rate of 5 %: review 70, the "
        "closest calls first, and leave 30 undecided; some could be accepted from 8 % on "
        "(--error-rate 0.08), or with known truth."
    )
    assert findings(Tally(0, 0, 100, 0.0)).to_do == (
        "All 100 verdicts are undecided: more claims, or the truth of some items, would help."
    )


def test_all_can_be_accepted() -> None:
    said = findings(Tally(100, 0, 0, 2.0)).to_do
    assert said == "Accept all 100 verdicts, with 2.0 expected errors among them (error rate 5 %)."


def test_items_and_verdicts_are_told_apart() -> None:
    assert "60 of 100 verdicts (an item may have several)" in findings(n_items=90).to_do


def test_audits_guarantee_a_list() -> None:
    found = findings(audited=Audited(80, 1, 55, 0.05, 0.95))
    assert found.to_do == (
        "Accept the 55 items that `veracity accept` lists, of which at most 5 % are wrong, as 80 "
        "audits guarantee with 95 % confidence; review the others."
    )
    assert found.trust.startswith("The verdict is wrong on 1 of 80 audited items.")


def test_audits_that_guarantee_nothing_leave_what_is_expected() -> None:
    found = findings(audited=Audited(20, 3, 0, 0.05, 0.95))
    assert found.to_do.startswith("Accept 60 of 100 verdicts")
    assert found.trust.startswith(
        "The verdict is wrong on 3 of 20 audited items, which does not guarantee a list with at "
        "most 5 % of errors yet"
    )


# How far to trust it


def test_warnings_come_first_and_the_others_are_counted() -> None:
    thin = {"subject": "evidence", "text": "..."}
    assert findings(notes=(STARTS, COPIES, thin, VOTE)).trust == (
        "Trust it with care: two starts end in different answers; a majority vote would answer "
        "otherwise on 7 items; the notes have 2 more warnings."
    )


def test_without_warnings_nothing_measures_it() -> None:
    assert findings().trust == (
        "Nothing speaks against the answer as a whole, but nothing measures it; a majority vote "
        "would answer otherwise on 7 items."
    )


def test_a_model_that_does_not_check_itself_says_so() -> None:
    assert findings(notes=()).trust.startswith("GRBM does not check its own answer: measure it")


def test_known_truth_measures_it() -> None:
    measured = {"n_items": 50, "n_right": 44}
    assert findings(evaluation=measured, notes=(STARTS,)).trust == (
        "Of 50 items with known truth, 44 are judged right (88 %); but two starts end in different "
        "answers."
    )
    assert findings(evaluation=measured, notes=()).trust.endswith("are judged right (88 %).")
    few = findings(evaluation={"n_items": 3, "n_right": 3}).trust
    assert few.startswith("Of 3 items with known truth, 3 are judged right (too few to go by).")
    assert "known truth" not in findings(evaluation={"n_items": 0, "n_right": 0}).trust


def test_labels_measure_it_too() -> None:
    labels = {
        "subject": "labels",
        "text": "...",
        "short": "of 9 labelled items, 8 are judged right",
    }
    assert findings(notes=(labels,)).trust == "Of 9 labelled items, 8 are judged right."


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"n_sources": 1}, "there is one source, and nobody confirms what it says"),
        ({"n_sources": 2}, "2 sources cannot outvote each other"),
        ({"n_claims": 12}, "12 claims are too few to tell good sources from bad ones"),
        ({"n_one_source_items": 80}, "nobody confirms the one source of 80 of 100 items"),
    ],
)
def test_too_little_to_judge_by_is_the_first_doubt(counts: dict[str, Any], words: str) -> None:
    said = findings(notes=(STARTS, VOTE), **counts).trust
    assert said.startswith(f"Trust it with care: {words}")
    assert said.endswith("the notes have 1 more warning.")


def test_an_updated_run_was_not_checked_again() -> None:
    updated = {"subject": "updates", "text": "...", "short": "the answer was not checked again"}
    assert findings(notes=(updated,)).trust == (
        "Trust it with care: the answer was not checked again."
    )


# Which sources are apart


def test_sources_are_apart_by_their_intervals() -> None:
    found = extremes(sources(0.6, 0.9, 0.75))
    assert found is not None
    assert (found.best, found.worst, found.n_compared) == ("s1", "s0", 3)
    assert extremes(sources(0.6, 0.9, 0.75, width=0.2)) is None


def test_of_many_equal_sources_some_look_better_by_chance() -> None:
    rng = np.random.default_rng(0)
    for n_sources in (3, 10, 40):
        rates = rng.binomial(200, 0.8, (200, n_sources)) / 200
        named = [extremes(sources(*row, n_claims=200, width=None)) is not None for row in rates]
        assert np.mean(named) < 0.05


def test_without_intervals_the_number_of_claims_decides() -> None:
    assert extremes(sources(0.6, 0.7, 0.8, n_claims=1_000, width=None)) is not None
    assert extremes(sources(0.6, 0.7, 0.8, n_claims=15, width=None)) is None


def test_unknown_reliability_is_not_compared() -> None:
    assert extremes(sources(0.9, float("nan"), 0.2)) is None


def test_tally_adds_up_the_rows_of_the_truths() -> None:
    rows = {"decision": ["accept", "accept", "review"], "plausibility": [0.9, 0.8, 0.6]}
    tally = Tally.of(Table("truths", pa.table(rows)))
    assert (tally.accept, tally.review, tally.undecided, tally.n_verdicts) == (2, 1, 0, 3)
    assert tally.expected_errors == pytest.approx(0.3)
