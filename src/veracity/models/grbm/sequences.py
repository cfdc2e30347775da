"""Sequences: what came before each claim, as a recurrent reliability function reads it.

A unit is a source that speaks about a statement, c = 1 if it claims it and 0 if not. Ordered by
time, units have a joint probability of the form

    P(h) prod_i P(c_i | h, c_1 .. c_(i-1))

and theta of unit i may depend on all that was said strictly before it: each factor stays a
probability of c_i, so their product is a proper likelihood, and with the hidden bias tied to the
rates the posterior of h is that of naive Bayes with these factors. Theta must not depend on c_i
itself, nor on what was said at the same time or later. Features and times are given, not drawn.

Of an item, units are read statement by statement: a step knows whether the unit claims the
statement. Of a source, claims are read item after item: a step knows how many other sources agreed
with the claim before the source spoke again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.claims import Claims
from veracity.data.encode.denials import (
    CLAIMS_TOO,
    DENIES_ALONE,
    REDUNDANT,
    SPEAKS,
    SPEAKS_AND_CLAIMS,
    ClaimRoles,
)
from veracity.data.encode.grouping import among, distinct, starts_mask
from veracity.data.matrix import ClaimMatrix
from veracity.errors import InvalidParameter

SequenceKind = Literal["item", "source"]
SEQUENCES: tuple[SequenceKind, ...] = ("item", "source")

#: What a row knows of its place: whether anything came before, and how long ago.
N_GIVEN = 2
#: What a step knows of its outcome: whether the statement is claimed; or how far others agree with
#: the claim, and how many they are.
N_OUTCOMES = {"item": 1, "source": 2}


@dataclass(frozen=True, eq=False)
class Past:
    """What came before each row.

    Attributes
    ----------
    sequence
        The sequence that each row is in: its statement, or its source; (n_rows,).
    given
        What each row knows of its place; (n_rows, N_GIVEN).
    seen
        The last step that came before each row, -1 where nothing did; (n_rows,).
    row
        The row whose features each step reads, one sequence after the other; (n_steps,).
    outcome
        What each step knows of how it ended; (n_steps, n_outcomes).
    start
        Where the steps of each sequence that has any begin, and where all end.
    """

    sequence: Indices
    given: Floats
    seen: Indices
    row: Indices
    outcome: Floats
    start: Indices

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.row)

    @classmethod
    def nothing(cls, n_rows: int, n_outcomes: int) -> Past:
        """Return the past of rows before which nothing came."""
        none, outcome = np.empty(0, np.int64), np.zeros((0, n_outcomes))
        given, seen = np.zeros((n_rows, N_GIVEN)), np.full(n_rows, -1)
        return cls(np.arange(n_rows), given, seen, none, outcome, np.zeros(1, np.int64))

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""
        return int(self.sequence.max(initial=-1)) + 1

    def part(self, rows: Indices) -> Past:
        """Return the past of some rows, which are all rows of some sequences."""
        place = np.full(len(self.seen), -1)
        place[rows] = np.arange(len(rows))
        kept = place[self.row] >= 0
        number = np.cumsum(kept) - 1
        seen = self.seen[rows]
        before = np.concatenate([[0], np.cumsum(kept)])
        start = before[self.start]
        return Past(
            self.sequence[rows],
            self.given[rows],
            np.where(seen >= 0, number[seen], -1),
            place[self.row[kept]],
            self.outcome[kept],
            start[np.append(True, np.diff(start) > 0)],
        )

    @cached_property
    def packed(self) -> tuple[Indices, Indices]:
        """Return the steps in packed order, and how many sequences go on at each place.

        All first steps come first, then all second steps, and so on, the longest sequences in
        front: the order of a packed sequence of torch.
        """
        length = np.diff(self.start)
        by_length = np.argsort(-length, kind="stable")
        rank = np.empty(len(length), np.int64)
        rank[by_length] = np.arange(len(length))
        sequence = np.repeat(np.arange(len(length)), length)
        place = np.arange(self.n_steps) - self.start[sequence]
        return np.lexsort((rank[sequence], place)), np.bincount(place)


class SequenceRows(NamedTuple):
    """Rows of which each has a past of its own.

    Attributes
    ----------
    claim
        The claim of each row; (n_rows,).
    past
        What came before each.
    state, row_of
        Where the past depends on the statement: the place of each statement in its item, and the
        row of a claim about that statement; see `Rows`. None where it does not.
    """

    claim: Indices
    past: Past
    state: npt.NDArray[np.int32] | None
    row_of: npt.NDArray[np.int32] | None


class Units(NamedTuple):
    """Pairs of a claim and a statement that it speaks about, of which theta may be asked.

    Attributes
    ----------
    claim, statement
        Of each pair.
    counts
        Whether it is a unit of the machine: not one that another claim of its source stands for.
    claims_it
        Whether the source claims the statement.
    """

    claim: Indices
    statement: Indices
    counts: Mask
    claims_it: Mask


def sequence_rows(claims: Claims, roles: ClaimRoles, sequence: SequenceKind) -> SequenceRows:
    """Return a row for each claim, and if need be for each statement that it speaks about."""
    rank, time = time_ranks(claims)
    if sequence == "source":
        return _by_source(claims.matrix, roles, rank, time)
    return _by_item(claims.matrix, roles, rank, time)


def time_ranks(claims: Claims) -> tuple[Indices, Floats]:
    """Return the place of each claim's time among all times, and the time; unknown ones first."""
    time = claims.time
    if time is None:
        raise no_time()
    known = np.where(np.isfinite(time), time, -np.inf)
    return np.searchsorted(distinct(known), known), known


def no_time() -> InvalidParameter:
    """Return the error for claims of which no order is known."""
    return InvalidParameter(
        "reliability='gru' reads claims in the order of time, and these claims have no time "
        "column. Name it where they are read, as in time='claimed_on', or use reliability='mlp'."
    )


def units_of_items(matrix: ClaimMatrix, roles: ClaimRoles) -> Units:
    """Pair each claim with the statements that it speaks about, its own among them."""
    role, item = roles.role, matrix.item_of_claim
    speaks = (role == SPEAKS) | (role == SPEAKS_AND_CLAIMS)
    repeats = np.where(speaks, np.diff(matrix.statement_start)[item], 1)
    claim = np.repeat(np.arange(matrix.n_claims), repeats)
    offset = np.arange(len(claim)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    own = matrix.statement_index[claim]
    statement = np.where(speaks[claim], matrix.statement_start[item[claim]] + offset, own)
    names = (role == SPEAKS_AND_CLAIMS) | (role == CLAIMS_TOO)
    claims_it = names[claim] & (statement == own)
    source = matrix.source_index[claim].astype(np.int64)
    said = statement.astype(np.int64) * matrix.n_sources + source
    named_later = distinct(said[role[claim] == CLAIMS_TOO])
    replaced = among(said, named_later) & (role[claim] != CLAIMS_TOO)
    return Units(claim, statement, (role[claim] != REDUNDANT) & ~replaced, claims_it)


def _by_item(matrix: ClaimMatrix, roles: ClaimRoles, rank: Indices, time: Floats) -> SequenceRows:
    units = units_of_items(matrix, roles)
    claim, statement = units.claim, units.statement
    order = np.flatnonzero(units.counts)
    source = matrix.source_index[claim]
    order = order[np.lexsort((source[order], rank[claim[order]], statement[order]))]
    outcome = np.where(units.claims_it[order], 1.0, -1.0)[:, None]
    past = _past(statement, rank[claim], time[claim], order, outcome)
    ordinal = statement - matrix.statement_start[matrix.item_of_claim[claim]]
    n_states = int(ordinal.max()) + 1
    if n_states == 1:
        return SequenceRows(claim, past, None, None)
    first = matrix.statement_start[matrix.item_of_statement]
    state = (np.arange(matrix.n_statements) - first).astype(np.int32)
    row_of = np.full((matrix.n_claims, n_states), -1, np.int32)
    row_of[claim, ordinal] = np.arange(len(claim), dtype=np.int32)
    return SequenceRows(claim, past, state, row_of)


def _by_source(matrix: ClaimMatrix, roles: ClaimRoles, rank: Indices, time: Floats) -> SequenceRows:
    source = matrix.source_index.astype(np.int64)
    order = np.flatnonzero(roles.role != REDUNDANT)
    order = order[np.lexsort((order, rank[order], source[order]))]
    agree, others = _agreement(matrix, roles, rank, order, _next_rank(source, rank, order))
    outcome = np.stack([(2 * agree - others) / (others + 1), np.log1p(others)], axis=1)
    past = _past(source, rank, time, order, outcome)
    return SequenceRows(np.arange(matrix.n_claims), past, None, None)


def _next_rank(sequence: Indices, rank: Indices, order: Indices) -> Indices:
    """Return the next later time in the sequence of each step; past all times for the last."""
    sequence, rank = sequence[order], rank[order]
    begins = np.flatnonzero(starts_mask(sequence, rank))  # claims of one time
    following = np.full(len(begins), int(rank.max(initial=0)) + 1)
    same = sequence[begins[1:]] == sequence[begins[:-1]]
    following[:-1][same] = rank[begins[1:]][same]
    return np.repeat(following, np.diff(np.append(begins, len(order))))


def _agreement(
    matrix: ClaimMatrix, roles: ClaimRoles, rank: Indices, order: Indices, until: Indices
) -> tuple[Floats, Floats]:
    """Count the others that agree with the claim of each step until then, and all others.

    Others agree about the claim's own statement, which they claim or do not claim.
    """
    role, n_times = roles.role, int(rank.max(initial=0)) + 2
    own, item = matrix.statement_index.astype(np.int64), matrix.item_of_claim.astype(np.int64)
    speaks = (role == SPEAKS) | (role == SPEAKS_AND_CLAIMS)
    names = (role == SPEAKS_AND_CLAIMS) | (role == CLAIMS_TOO)

    def count(group: Indices, chosen: Mask) -> Floats:
        """Count chosen claims of a step's group before `until`."""
        keys = np.sort((group * n_times + rank)[chosen])
        first, last = group[order] * n_times, group[order] * n_times + until
        return np.asarray(np.searchsorted(keys, last) - np.searchsorted(keys, first), np.float64)

    claimed = count(own, names)
    spoken = count(item, speaks) + count(own, role == DENIES_ALONE)
    agree = np.where(names[order], claimed, spoken - claimed) - 1.0
    others = spoken - 1.0
    return np.clip(agree, 0.0, None), np.maximum(others, np.clip(agree, 0.0, None))


def _past(sequence: Indices, rank: Indices, time: Floats, order: Indices, outcome: Floats) -> Past:
    """Let each row see the last step of its sequence that is strictly earlier.

    Parameters
    ----------
    sequence, rank, time
        Of each row.
    order
        The rows that are steps, sequence by sequence and in the order of time.
    outcome
        Of each step.
    """
    n_times = int(rank.max(initial=0)) + 1
    sequence = sequence.astype(np.int64)
    keys = (sequence * n_times + rank)[order]
    seen = np.searchsorted(keys, sequence * n_times + rank) - 1
    seen = np.where((seen >= 0) & (sequence[order][seen] == sequence), seen, -1)
    given = _places(sequence, time, order, seen)
    is_seen = np.zeros(len(order), np.bool_)
    is_seen[seen[seen >= 0]] = True
    needed = _up_to_last(sequence[order], is_seen)
    number = np.cumsum(needed) - 1
    steps = order[needed]
    begins = np.flatnonzero(starts_mask(sequence[steps]))
    return Past(
        sequence,
        given,
        np.where(seen >= 0, number[seen], -1),
        steps,
        outcome[needed],
        np.append(begins, len(steps)),
    )


def _places(sequence: Indices, time: Floats, order: Indices, seen: Indices) -> Floats:
    """Return whether anything came before each row, and how long ago, in mean pauses.

    The pause is measured by the mean pause of the sequence, so that the unit of time is no matter.
    """
    with np.errstate(invalid="ignore"):
        pause = np.where(seen >= 0, time - time[order][seen], 0.0)
    pause = np.where(np.isfinite(pause), pause, 0.0)
    n = int(sequence.max(initial=-1)) + 1
    total = np.bincount(sequence, pause, minlength=n)
    count = np.bincount(sequence, pause > 0, minlength=n)
    mean = (total / np.maximum(count, 1))[sequence]
    relative = np.divide(pause, mean, out=np.zeros_like(pause), where=mean > 0)
    return np.stack([(seen >= 0).astype(np.float64), np.log1p(relative)], axis=1)


def _up_to_last(sequence: Indices, is_seen: Mask) -> Mask:
    """Mark the steps up to the last of their sequence that a row sees."""
    last = np.full(int(sequence.max(initial=-1)) + 1, -1)
    places = np.flatnonzero(is_seen)
    last[sequence[places]] = places  # the last one stays
    return np.asarray(np.arange(len(sequence)) <= last[sequence])


def count_ties(claims: Claims, sequence: SequenceKind) -> tuple[int, int]:
    """Count claims as late as another of their sequence, and claims without a time."""
    matrix = claims.matrix
    rank, time = time_ranks(claims)
    group = matrix.item_of_claim if sequence == "item" else matrix.source_index
    known = np.isfinite(time)
    keys = (group.astype(np.int64) * (int(rank.max(initial=0)) + 1) + rank)[known]
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    return int((count[place] > 1).sum()), int((~known).sum())
