"""Result tables: truths, statements and sources, made from plausibilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats
from veracity.data.buffers import take_labels, to_arrow, to_numpy
from veracity.data.encode.denials import implied_denials, naming_claims
from veracity.data.encode.grouping import starts
from veracity.data.labels.hashes import hash_at, mix
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.decisions import ACCEPT, DEFAULT_ERROR_RATE, Decisions
from veracity.data.output.gate import check_plausibility, check_rates
from veracity.data.output.tables import Table
from veracity.data.output.ties import BELIEVED, ENOUGH, TIE_TOLERANCE
from veracity.data.truth.known import FALSE, KnownTruth

#: The two ends of an interval.
ENDS = ("low", "high")


@dataclass(frozen=True)
class SourceRates:
    """How reliable each source is; in [0, 1], NaN where nothing is known.

    ``low`` and ``high`` bound intervals that hold the rate with a probability of 90 %, for models
    that know how little they know.
    """

    reliability: Floats
    tpr: Floats
    fpr: Floats
    reliability_low: Floats | None = None
    reliability_high: Floats | None = None
    tpr_low: Floats | None = None
    tpr_high: Floats | None = None
    fpr_low: Floats | None = None
    fpr_high: Floats | None = None

    def intervals(self) -> dict[str, Floats]:
        """Return the bounds that are there, by name."""
        names = [f"{rate}_{end}" for rate in ("reliability", "tpr", "fpr") for end in ENDS]
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


@dataclass(frozen=True, eq=False)
class Estimates:
    """Numbers worked out for items, NaN for items whose truth is not a number; all (n_items,).

    Attributes
    ----------
    value, standard_error
        The number, and the standard error of it.
    low, high
        An interval that is to hold the truth 90 % of the time by the default model, 95 % by others,
        as far as the model is right.
    """

    value: Floats
    standard_error: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Verdict:
    """Which statements are believed.

    Attributes
    ----------
    statement
        The believed statements, by item and falling plausibility; (n_truths,).
    holds
        Whether the statement is believed true; False only for boolean items; (n_truths,).
    tie
        Whether another value was exactly as plausible; (n_truths,).
    margin
        Plausibility less that of the next value or, where a statement is judged by itself
        (boolean items, several true values), less that of its opposite; (n_truths,).
    """

    statement: npt.NDArray[np.int64]
    holds: npt.NDArray[np.bool_]
    tie: npt.NDArray[np.bool_]
    margin: Floats

    def belief(self, plausibility: Floats) -> Floats:
        """Return how plausible each verdict is, given the plausibility of every statement."""
        p = plausibility[self.statement]
        return np.where(self.holds, p, 1 - p)

    def without(self, dropped: npt.NDArray[np.bool_]) -> Verdict:
        """Return the verdict without some of its statements."""
        keep = ~dropped
        return Verdict(self.statement[keep], self.holds[keep], self.tie[keep], self.margin[keep])


def decide(
    matrix: ClaimMatrix,
    plausibility: Floats,
    random_state: int,
    score: Floats | None = None,
    estimates: Estimates | None = None,
) -> Verdict:
    """Choose the values to believe; a tie is broken by a hash of labels and seed, and flagged.

    `score` ranks the statements of an item, where plausibilities near 1 are too coarse for it.
    Where there are `estimates`, the margin is over the opposite: a number that is near is no rival.
    """
    item = matrix.item_of_statement
    score = plausibility if score is None else score
    chosen, tied = _best_statements(matrix, score, random_state)
    others = plausibility.copy()
    others[_kin(matrix, chosen)] = 0.0
    following = np.maximum.reduceat(others, matrix.statement_start[:-1])
    best = plausibility[chosen]
    multiple, boolean = matrix.kind_is("multiple"), matrix.kind_is("boolean")
    tied &= ~(multiple & (best >= ENOUGH))
    undecided = boolean & (np.abs(best - BELIEVED) <= TIE_TOLERANCE)
    holds = ~boolean | (best > BELIEVED)
    if undecided.any():
        holds[undecided] = _priority(matrix, chosen[undecided], random_state) % np.uint64(2) == 0
    margin = np.where(boolean | multiple, np.abs(2 * best - 1), np.maximum(best - following, 0))
    if estimates is not None:
        is_number = ~np.isnan(estimates.value)
        margin = np.where(is_number, np.maximum(2 * best - 1, 0), margin)
    verdict = Verdict(chosen, holds, tied | undecided, margin)
    if multiple.any():
        return _with_all_believed(verdict, plausibility, item, multiple)
    return verdict


def _kin(matrix: ClaimMatrix, chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Mark the chosen statement of each item, and those within which it lies or that lie in it."""
    kin = np.zeros(matrix.n_statements, np.bool_)
    kin[chosen] = True
    if matrix.lineages is not None:
        every, of_item = np.arange(matrix.n_statements), chosen[matrix.item_of_statement]
        kin |= matrix.lineages.holds(every, of_item) | matrix.lineages.holds(of_item, every)
    return kin


def redecide(
    matrix: ClaimMatrix,
    verdict: Verdict,
    plausibility: Floats,
    again: npt.NDArray[np.bool_],
    random_state: int,
) -> Verdict:
    """Choose the values of some items (n_items,) again; the verdict on the others stays."""
    if not again.any():
        return verdict
    item = matrix.item_of_statement
    kept = verdict.without(again[item[verdict.statement]])
    anew = decide(matrix, plausibility, random_state)
    anew = anew.without(~again[item[anew.statement]])
    statement = np.append(kept.statement, anew.statement)
    order = np.argsort(item[statement], kind="stable")  # an item is in one of the two
    return Verdict(
        statement[order],
        np.append(kept.holds, anew.holds)[order],
        np.append(kept.tie, anew.tie)[order],
        np.append(kept.margin, anew.margin)[order],
    )


def _best_statements(
    matrix: ClaimMatrix, score: Floats, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the statement of each item that scores best, and whether it had an equal."""
    start, item = matrix.statement_start[:-1], matrix.item_of_statement
    best = np.maximum.reduceat(score, start)
    top = np.flatnonzero(score >= best[item] - TIE_TOLERANCE)
    tied = np.bincount(item[top], minlength=matrix.n_items) > 1
    chosen = np.empty(matrix.n_items, np.int64)
    chosen[item[top]] = top
    rivals = top[tied[item[top]]]
    if len(rivals):
        order = np.lexsort((_priority(matrix, rivals, seed), item[rivals]))
        rivals = rivals[order]
        winners = rivals[starts(item[rivals])]
        chosen[item[winners]] = winners
    return chosen, tied


def _with_all_believed(
    verdict: Verdict,
    plausibility: Floats,
    item: npt.NDArray[np.int32],
    multiple: npt.NDArray[np.bool_],
) -> Verdict:
    """Add the further values of items that may have several true ones."""
    further = multiple[item] & (plausibility >= ENOUGH)
    further[verdict.statement] = False
    added = np.flatnonzero(further)
    statement = np.append(verdict.statement, added)
    order = np.lexsort((np.arange(len(statement)), -plausibility[statement], item[statement]))
    return Verdict(
        statement[order],
        np.append(verdict.holds, np.ones(len(added), np.bool_))[order],
        np.append(verdict.tie, np.zeros(len(added), np.bool_))[order],
        np.append(verdict.margin, np.abs(2 * plausibility[added] - 1))[order],
    )


def _priority(
    matrix: ClaimMatrix, statement: npt.NDArray[np.int64], seed: int
) -> npt.NDArray[np.uint64]:
    """Hash statements by what they say, so that neither rows nor sources have a part in it."""
    item = matrix.item_of_statement[statement]
    value = hash_at(matrix.values, matrix.value_index[statement], seed)
    entity = hash_at(matrix.entities, matrix.entity_index[item], seed + 1)
    attribute = hash_at(matrix.attributes, matrix.attribute_index[item], seed + 2)
    return mix(value ^ mix(entity ^ mix(attribute)))


def truths_table(
    matrix: ClaimMatrix,
    plausibility: Floats,
    verdict: Verdict,
    estimates: Estimates | None = None,
    known: KnownTruth | None = None,
    error_rate: float = DEFAULT_ERROR_RATE,
    least: float | None = None,
    hardness: Floats | None = None,
    further: Mapping[str, pa.Array] | None = None,
) -> Table:
    """One row per item, or per believed value where several may be true.

    Of models that work out numbers, `value` is the number, and there are columns for its standard
    error and interval. Truth that was given but that nobody claims comes at the end, in place of
    what is claimed. Of a part of all verdicts, `least` is the plausibility to accept them from.
    The `further` columns have a value for each item.
    """
    verdict = shown_verdict(matrix, verdict, known)
    item = matrix.item_of_statement[verdict.statement]
    value = take_labels(matrix.values, believed_values(matrix, verdict))
    if estimates is not None:
        value = _with_numbers(value, estimates.value[item])
    believed = verdict.belief(plausibility)
    if least is None:
        decisions = Decisions.of(believed, verdict.tie, error_rate)
    else:
        decisions = Decisions.from_least(believed, verdict.tie, error_rate, least)
    columns = {
        "entity": take_labels(matrix.entities, matrix.entity_index[item]),
        "attribute": take_labels(matrix.attributes, matrix.attribute_index[item]),
        "value": value,
        "plausibility": to_arrow(believed),
        "margin": to_arrow(verdict.margin),
        "n_sources": to_arrow(speakers(matrix)[item]),
        "n_values": to_arrow(claimed_values(matrix)[item]),
        "tie": to_arrow(verdict.tie),
        "decision": decisions.words(),
    }
    if hardness is not None:
        columns["hardness"] = to_arrow(hardness[item], nan_is_null=True)
    if estimates is not None:
        for name in ("standard_error", "low", "high"):
            columns[name] = to_arrow(getattr(estimates, name)[item], nan_is_null=True)
    for name, of_item in (further or {}).items():
        columns[name] = of_item.take(to_arrow(item))
    table = pa.table(columns)
    if known is not None and known.unclaimed.num_rows:
        table = pa.concat_tables([table, _given_rows(matrix, known, table.schema)])
    return Table("truths", table)


def shown_verdict(matrix: ClaimMatrix, verdict: Verdict, known: KnownTruth | None) -> Verdict:
    """Leave out believed statements that are known to be false, since the truth is not claimed.

    That a boolean statement is false is a truth of its own, unless it was given in another word.
    """
    if known is None:
        return verdict
    item = matrix.item_of_statement[verdict.statement]
    given = to_numpy(known.unclaimed["item"])
    in_other_words = np.zeros(matrix.n_items, np.bool_)
    in_other_words[given[given >= 0]] = True
    false = known.statement[verdict.statement] == FALSE
    elsewhere = ~matrix.kind_is("boolean") | in_other_words  # where the truth stands
    return verdict.without(false & elsewhere[item])


def _with_numbers(values: pa.Array, numbers: Floats) -> pa.Array:
    """Replace values by estimated numbers, where there are any."""
    known = ~np.isnan(numbers)
    shown = [
        format(number, ".12g") if is_known else None
        for number, is_known in zip(numbers.tolist(), known.tolist(), strict=True)
    ]
    return pc.coalesce(pa.array(shown, pa.string()), values.cast(pa.string()))


def _given_rows(matrix: ClaimMatrix, known: KnownTruth, schema: pa.Schema) -> pa.Table:
    """Return rows for the truth that was given and that nobody claims."""
    given = known.unclaimed
    item = np.array(given["item"].to_pylist(), np.int64)
    spoken = np.where(item >= 0, speakers(matrix)[item], 0)
    claimed = np.where(item >= 0, claimed_values(matrix)[item], 0)
    columns = _accepted_as_given(given, spoken, claimed)
    rows = [columns.get(field.name, pa.nulls(len(item), field.type)) for field in schema]
    cast = [column.cast(field.type) for column, field in zip(rows, schema, strict=True)]
    return pa.table(cast, schema=schema)


def silent_truths(given: pa.Table) -> pa.Table:
    """Return rows of truths for what was given about items that nobody speaks about."""
    nobody = np.zeros(given.num_rows, np.int64)
    return pa.table(_accepted_as_given(given, nobody, nobody)).combine_chunks()


def _accepted_as_given(
    given: pa.Table, spoken: npt.NDArray[np.int64], claimed: npt.NDArray[np.int64]
) -> dict[str, pa.Array | pa.ChunkedArray]:
    count = given.num_rows
    return {
        "entity": given["entity"],
        "attribute": given["attribute"],
        "value": given["value"],
        "plausibility": to_arrow(np.ones(count)),
        "margin": to_arrow(np.ones(count)),
        "n_sources": to_arrow(spoken),
        "n_values": to_arrow(claimed),
        "tie": to_arrow(np.zeros(count, np.bool_)),
        "decision": pa.array([ACCEPT] * count, pa.string()),
    }


def believed_values(matrix: ClaimMatrix, verdict: Verdict) -> npt.NDArray[np.int64]:
    """Return the index of each believed value: of a boolean statement that fails, its opposite."""
    value = matrix.value_index[verdict.statement].astype(np.int64)
    if verdict.holds.all():
        return value
    words = {word: index for index, word in enumerate(matrix.values.to_pylist())}
    negative = np.array([words.get(profile.negative, -1) for profile in matrix.profiles])
    attribute = matrix.attribute_index[matrix.item_of_statement[verdict.statement]]
    return np.where(verdict.holds, value, negative[attribute])


def speakers(matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
    """Count the sources that speak about each item; (n_items,)."""
    return _count_sources(matrix, slice(None))


def _count_sources(
    matrix: ClaimMatrix, claims: npt.NDArray[np.bool_] | slice
) -> npt.NDArray[np.int64]:
    if matrix.nobody_speaks_twice:
        return np.bincount(matrix.item_of_claim[claims], minlength=matrix.n_items)
    return np.bincount(matrix.pairs_of(claims) // matrix.n_sources, minlength=matrix.n_items)


def claimed_values(matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
    """Count the values in play for each item; a boolean item has one or two; (n_items,)."""
    n_statements = np.diff(matrix.statement_start)
    said_yes = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
    n_claims = np.bincount(matrix.statement_index, minlength=matrix.n_statements)
    both = (said_yes > 0) & (said_yes < n_claims)
    boolean = matrix.kind_is("boolean")
    return np.where(boolean, 1 + both[matrix.statement_start[:-1]], n_statements)


def statements_table(matrix: ClaimMatrix, plausibility: Floats) -> Table:
    """Every statement with its plausibility and how many sources support or deny it."""
    check_plausibility(matrix, plausibility)
    item = matrix.item_of_statement
    supporters = matrix.sum_by_statement(matrix.claim_value.astype(np.float64)).astype(np.int64)
    return Table(
        "statements",
        pa.table(
            {
                "entity": take_labels(matrix.entities, matrix.entity_index[item]),
                "attribute": take_labels(matrix.attributes, matrix.attribute_index[item]),
                "value": take_labels(matrix.values, matrix.value_index),
                "plausibility": to_arrow(plausibility),
                "supporters": to_arrow(supporters),
                "deniers": to_arrow(deniers(matrix)),
            }
        ),
    )


def deniers(matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
    """Count the claims against each statement: those who say no, and those who name another.

    Who names a value that lies within another says nothing against that one, nor does the reverse.
    """
    says_no = (matrix.claim_value == 0) & ~implied_denials(matrix)
    said_no = np.bincount(matrix.statement_index[says_no], minlength=matrix.n_statements)
    said_yes = np.bincount(
        matrix.statement_index[matrix.claim_value == 1], minlength=matrix.n_statements
    )
    name_a_value = _count_sources(matrix, naming_claims(matrix))[matrix.item_of_statement]
    if matrix.lineages is not None:
        said_yes = matrix.lineages.with_kin(matrix.statement_start, said_yes)
    return np.asarray(said_no + np.maximum(name_a_value - said_yes, 0))


def sources_table(matrix: ClaimMatrix, rates: SourceRates, verdict: Verdict) -> Table:
    """Every source with its number of claims, its rates, and how often it is believed."""
    n_claims = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    return rated_sources(matrix.sources, n_claims, rates, n_agreeing(matrix, verdict))


def rated_sources(
    sources: pa.StringArray,
    n_claims: npt.NDArray[np.int64],
    rates: SourceRates,
    agreeing: Floats,
) -> Table:
    """Make the table of sources; `agreeing` counts the claims that are believed."""
    intervals = rates.intervals().items()
    check_rates(sources, {"tpr": rates.tpr, "fpr": rates.fpr, **dict(intervals)})
    return Table(
        "sources",
        pa.table(
            {
                "source": sources,
                "n_claims": to_arrow(n_claims),
                "reliability": to_arrow(rates.reliability),
                "tpr": to_arrow(rates.tpr, nan_is_null=True),
                "fpr": to_arrow(rates.fpr, nan_is_null=True),
                "agreement": to_arrow(agreeing / n_claims),
                **{name: to_arrow(bound, nan_is_null=True) for name, bound in intervals},
            }
        ),
    )


def n_agreeing(matrix: ClaimMatrix, verdict: Verdict) -> Floats:
    """Count the claims of each source that agree with what is believed; (n_sources,)."""
    believed = np.zeros(matrix.n_statements, np.bool_)
    believed[verdict.statement] = verdict.holds
    if matrix.lineages is not None:
        believed |= _above(matrix, verdict)
    agrees = believed[matrix.statement_index] == (matrix.claim_value == 1)
    return matrix.sum_by_source(agrees.astype(np.float64))


def _above(matrix: ClaimMatrix, verdict: Verdict) -> npt.NDArray[np.bool_]:
    """Mark the statements within which what is believed of their item lies."""
    assert matrix.lineages is not None
    of_item = np.full(matrix.n_items, -1, np.int64)
    of_item[matrix.item_of_statement[verdict.statement]] = verdict.statement
    below = of_item[matrix.item_of_statement]
    above = matrix.lineages.holds(np.arange(matrix.n_statements), np.maximum(below, 0))
    return above & (below >= 0)
