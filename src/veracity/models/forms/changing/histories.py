"""Claims of a block in the order of time: the chains of its items, and what each claim may echo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.blocks import ClaimBlock
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import TRUE
from veracity.models.forms.changing.echoes import echo_shares

#: The step at which the truth is asked for, which no claim makes.
ASKED = -1


class Chains(NamedTuple):
    """The steps of all items, as the compiled passes read them.

    Attributes
    ----------
    start
        Where the steps of each item begin; (n_items + 1,).
    slot, gap, time
        Of each step: the value it is about, by its place among those of the item, the time since
        the step before in units of the attribute, and the time; (n_steps,).
    asked
        The step at which the truth of each item is asked for; (n_items,).
    n_values, domain
        Of each item: how many values are claimed, and how many there are; (n_items,).
    value_start
        Where the values of each item begin among those of all; (n_items,).
    """

    start: Indices
    slot: Indices
    gap: Floats
    time: Floats
    asked: Indices
    n_values: Indices
    domain: Indices
    value_start: Indices


@dataclass(frozen=True, eq=False)
class Histories:
    """A block of claims as chains.

    Attributes
    ----------
    matrix
        The claims.
    chains
        The steps of each item in the order of time.
    claim
        The claim of each step, `ASKED` for the step at which the truth is asked for; (n_steps,).
    denies
        Whether each step denies its value rather than naming it; (n_steps,).
    has_echo, echo
        Whether anybody spoke about the item before each step, and the share of its value in what
        was said; (n_steps,).
    has_own, repeats
        Whether the source spoke about the item before each step, and whether it says the same
        again; (n_steps,).
    known
        The value that is known to be true when asked, by its place, -1 where none is; (n_items,).
    """

    matrix: ClaimMatrix
    chains: Chains
    claim: Indices
    denies: Mask
    has_echo: Mask
    echo: Floats
    has_own: Mask
    repeats: Mask
    known: Indices

    @property
    def made(self) -> Mask:
        """The steps that are claims; (n_steps,)."""
        return np.asarray(self.claim != ASKED)


@dataclass(frozen=True)
class Question:
    """For which time the truth is asked.

    Attributes
    ----------
    now
        The time of the last claim of all.
    as_of
        The time that was named instead; None for now, or the last claim of an item made later.
    learning
        Whether only claims and known truth matter, so that other items end with their last claim.
    """

    now: float
    as_of: float | None = None
    learning: bool = False

    def moments(self, time: Floats, matrix: ClaimMatrix, settled: Mask) -> Floats:
        """Return the time for which the truth of each item is asked; (n_items,)."""
        last = np.maximum.reduceat(time, matrix.claim_start[:-1])
        asked = np.maximum(self.now, last) if self.as_of is None else np.full(len(last), self.as_of)
        return np.where(settled, asked, last) if self.learning else asked


def histories_of(block: ClaimBlock, scale: Floats, question: Question) -> Histories:
    """Put the claims of a block in order.

    Parameters
    ----------
    block
        The claims.
    scale
        The unit of time of each attribute.
    question
        For which time the truth is asked.
    """
    matrix = block.matrix
    time = times_of(block, question.now)
    item = matrix.item_of_claim.astype(np.int64)
    slot, denies = slots_of(matrix)
    boolean = matrix.kind_is("boolean")
    n_values = np.where(boolean, 2, np.diff(matrix.statement_start))
    known = known_slots(block, n_values, boolean)
    settled = known >= 0
    moment = question.moments(time, matrix, settled)
    all_item = np.append(item, np.arange(matrix.n_items))
    all_time = np.append(time, moment)
    claim = np.append(np.arange(matrix.n_claims), np.full(matrix.n_items, ASKED))
    # By source at last: rows in another order are the same claims. The asked step follows.
    source = np.append(matrix.source_index, np.full(matrix.n_items, matrix.n_sources))
    order = np.lexsort((np.append(slot, n_values), source, all_time, all_item))
    all_item, all_time, claim = all_item[order], all_time[order], claim[order]
    start = np.searchsorted(all_item, np.arange(matrix.n_items + 1))
    unit = scale[matrix.attribute_index][all_item]
    gap = np.diff(all_time, prepend=all_time[:1]) / unit
    gap[start[:-1]] = 0.0
    made = claim != ASKED
    step_slot = np.where(made, slot[claim], n_values[all_item])
    step_slot[np.flatnonzero(~made)[settled]] = known[settled]
    has_own, repeats = own_repeats(
        all_item, np.where(made, matrix.source_index[claim], -1), all_time, step_slot, made
    )
    chains = Chains(
        start.astype(np.int64),
        step_slot.astype(np.int64),
        gap,
        all_time,
        np.flatnonzero(~made),
        n_values.astype(np.int64),
        np.maximum(matrix.domain_size, 2),
        np.cumsum(n_values) - n_values,
    )
    denied = np.where(made, denies[claim], False)
    has_echo, echo = echo_shares(chains, made & ~denied)
    return Histories(
        matrix, chains, claim, denied, has_echo, echo, has_own, repeats, np.asarray(known)
    )


def times_of(block: ClaimBlock, now: float) -> Floats:
    """Return the time of each claim; (n_claims,).

    A claim without a time has the first time of its item, and it is made now if none is known.
    """
    matrix, time = block.matrix, block.claims.time
    if time is None:
        return np.full(matrix.n_claims, now)
    first = np.fmin.reduceat(time, matrix.claim_start[:-1])
    return np.where(np.isnan(time), np.nan_to_num(first, nan=now)[matrix.item_of_claim], time)


def slots_of(matrix: ClaimMatrix) -> tuple[Indices, Mask]:
    """Return the place of each claim's value among those of its item, and whether it denies it.

    A boolean item has two values, yes and no, and who says no names the second.
    """
    boolean = matrix.kind_is("boolean")[matrix.item_of_claim]
    says_no = matrix.claim_value == 0
    place = matrix.statement_index - matrix.statement_start[:-1][matrix.item_of_claim]
    return np.where(boolean & says_no, 1, place).astype(np.int64), says_no & ~boolean


def known_slots(block: ClaimBlock, n_values: Indices, boolean: Mask) -> Indices:
    """Return the place of the known value of each item, -1 where none is known; (n_items,).

    Truth that nobody claims has the place after all values.
    """
    matrix, known = block.matrix, block.known
    place = np.full(matrix.n_items, -1)
    if known is None:
        return place
    place[known.settled] = np.where(boolean, 1, n_values)[known.settled]
    true = np.flatnonzero(known.statement == TRUE)
    item = matrix.item_of_statement[true]
    place[item] = true - matrix.statement_start[item]
    return place


def own_repeats(
    item: Indices, source: npt.NDArray[np.integer], time: Floats, slot: Indices, made: Mask
) -> tuple[Mask, Mask]:
    """Mark the steps whose source spoke about the item before, and those that say it again."""
    order = np.lexsort((slot, time, source, item))
    order = order[made[order]]
    before, after = order[:-1], order[1:]
    same = (item[before] == item[after]) & (source[before] == source[after])
    has_own, repeats = np.zeros(len(item), np.bool_), np.zeros(len(item), np.bool_)
    has_own[after] = same & (time[before] < time[after])
    repeats[after] = has_own[after] & (slot[before] == slot[after])
    return has_own, repeats
