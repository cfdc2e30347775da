"""How a source speaks about a truth that changes: what is current, what was said, or an error.

A claim about an item at time t is one of these, with probabilities of its source:

* it repeats what its own source said about the item before (if the source did not look again);
* otherwise it names the value that is true at t (`current`),
* or one of the values that were said about the item before, each by its share (`stale`),
* or, of a source that follows another, what that one said last (`copied`),
* or a value that is wrong, any of the others alike (`wrong`).

Where nobody spoke before there is nothing to be stale, and such a claim names what is true. None of
these but the second and the last depends on the truth, and these only by whether the claimed value
is true at t, so a claim has two likelihoods. What was said before is given, so the chain stays one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.models.forms.changing.histories import Histories

#: What sources are like before anything is known: current, stale, wrong.
USUAL = np.array([0.76, 0.09, 0.15])
#: How often a source that follows another copies it, before anything is known.
USUAL_COPIED = 0.5
USUAL_HOLD = 0.5
#: How many claims the average of all sources is worth for one of them.
STRENGTH = 8.0
#: How many claims what is usual is worth for that average.
USUAL_STRENGTH = 20.0
#: A claim is at least this likely, beside the likelier case: heavy ones may contradict each other.
LEAST_LIKELY = 1e-60


@dataclass(frozen=True, eq=False)
class Habits:
    """How sources speak.

    Attributes
    ----------
    shares
        Of each source, how often a claim is current, stale and wrong, given that it looked;
        (n_sources, 3).
    hold
        How often it repeats itself without looking; (n_sources,).
    copied
        How often a source that follows another says what that one said last; (n_sources,).
    unseen, unseen_hold
        The same of a source that was not seen.
    """

    shares: Floats
    hold: Floats
    copied: Floats
    unseen: Floats
    unseen_hold: float

    @classmethod
    def alike(cls, n_sources: int, shares: Floats) -> Habits:
        """Return the habits of sources that are all alike."""
        every = np.tile(shares, (n_sources, 1))
        hold, copied = np.full(n_sources, USUAL_HOLD), np.full(n_sources, USUAL_COPIED)
        return cls(every, hold, copied, shares, USUAL_HOLD)

    @classmethod
    def of_counts(cls, counts: Floats, held: Floats, copies: Floats) -> Habits:
        """Return the habits of sources by expected counts of their claims.

        `counts` are current, stale and wrong claims (n_sources, 3); `held` claims that repeat those
        before, and claims that look again though there is one (n_sources, 2); `copies` likewise
        claims that copy and that might have. Sources with few claims are like the average.
        """
        average = USUAL_STRENGTH * USUAL + (counts / _damped(counts)).sum(axis=0)
        average /= average.sum()
        shares = counts + STRENGTH * average
        of_holds = USUAL_STRENGTH * np.array([USUAL_HOLD, 1.0 - USUAL_HOLD])
        of_holds = of_holds + (held / _damped(held)).sum(axis=0)
        hold = of_holds[0] / of_holds.sum()
        return cls(
            shares / shares.sum(axis=1, keepdims=True),
            (held[:, 0] + STRENGTH * hold) / (held.sum(axis=1) + STRENGTH),
            (copies[:, 0] + STRENGTH * USUAL_COPIED) / (copies.sum(axis=1) + STRENGTH),
            average,
            float(hold),
        )

    def at(self, place: Indices) -> Habits:
        """Return the habits of some sources by their place among ours, -1 for unseen ones."""
        seen = place >= 0
        return Habits(
            np.where(seen[:, None], self.shares[place], self.unseen),
            np.where(seen, self.hold[place], self.unseen_hold),
            np.where(seen, self.copied[place], USUAL_COPIED),
            self.unseen,
            self.unseen_hold,
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the numbers by name."""
        return {
            "shares": self.shares,
            "hold": self.hold,
            "copied": self.copied,
            "unseen": np.append(self.unseen, self.unseen_hold),
        }

    @classmethod
    def of_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> Habits:
        """Take over what `arrays` returned."""
        unseen = arrays["unseen"]
        shares, hold, copied = (arrays[name] for name in ("shares", "hold", "copied"))
        return cls(shares, hold, copied, unseen[:-1], float(unseen[-1]))


def _damped(counts: Floats) -> Floats:
    """Return by how much to divide the counts of sources, so that no source is the average."""
    return np.asarray(1.0 + counts.sum(axis=1, keepdims=True) / STRENGTH)


class Likelihoods(NamedTuple):
    """The likelihoods of each step if its value is true at its time and if it is not; (n_steps,).

    `hit` and `miss` are relative to the larger of both, of which `log_scale` is the logarithm:
    heavy claims would have none but 0. `tpr` and `fpr` are what they are for a claim that counts
    once. The others are the parts that they are made of: of a claim that looked again, that it is
    current, stale, stale though there is nothing to repeat, and wrong; that it repeats what its
    source said before; and that it copies whom its source follows.
    """

    hit: Floats
    miss: Floats
    log_scale: Floats
    tpr: Floats
    fpr: Floats
    current: Floats
    stale: Floats
    vacant: Floats
    wrong: Floats
    held: Floats
    copied: Floats


def likelihoods(histories: Histories, habits: Habits) -> Likelihoods:
    """Return the likelihoods of all steps, given the habits of the sources of their block."""
    matrix, chains, claim = histories.matrix, histories.chains, histories.claim
    made = histories.made
    source = matrix.source_index[claim]
    shares = habits.shares[source]
    item = np.repeat(np.arange(len(chains.n_values)), np.diff(chains.start))
    others = 1.0 / (chains.domain[item] - 1.0)
    current, late, wrong = shares.T
    share = np.where(histories.denies, 1.0 - histories.echo, histories.echo)
    stale = np.where(histories.has_echo, late * share, 0.0)
    vacant = np.where(histories.has_echo, 0.0, late)
    wrong = wrong * np.where(histories.denies, 1.0, others)
    hold = np.where(histories.has_own, habits.hold[source], 0.0)
    looked, held = 1.0 - hold, np.where(histories.repeats, hold, 0.0)
    copies = np.where(histories.parent_spoke, habits.copied[source], 0.0)
    copied = np.where(histories.parent_same, looked * copies, 0.0)
    looked = looked * (1.0 - copies)
    repeated = looked * stale + held + copied
    right = repeated + looked * (current + vacant)
    mistaken = repeated + looked * wrong
    tpr = np.where(histories.denies, mistaken, right)
    fpr = np.where(histories.denies, right, mistaken)
    weight, most = matrix.claim_weight[claim], np.maximum(tpr, fpr)
    hit, miss = (np.maximum((each / most) ** weight, LEAST_LIKELY) for each in (tpr, fpr))
    settled = np.zeros(len(claim), np.bool_)
    settled[chains.asked[histories.known >= 0]] = True
    return Likelihoods(
        np.where(made, hit, 1.0),
        np.where(made, miss, np.where(settled, 0.0, 1.0)),
        np.where(made, weight * np.log(most), 0.0),
        tpr,
        fpr,
        looked * current,
        looked * stale,
        looked * vacant,
        looked * wrong,
        held,
        copied,
    )


def expected_counts(
    histories: Histories, found: Likelihoods, true: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return how often claims of each source of a block are expected to be what.

    Parameters
    ----------
    histories, found
        The claims, and their likelihoods.
    true
        How likely the value of each step is true at its time; (n_steps,).

    Returns
    -------
    counts, held, copies
        As `Habits.of_counts` takes them.
    """
    matrix, made = histories.matrix, np.flatnonzero(histories.made)
    claim = histories.claim[made]
    weight = matrix.claim_weight[claim]
    # Of a denial, what is right and what is wrong change places.
    right = np.where(histories.denies, 1.0 - true, true)[made]
    repeated = found.stale + found.held + found.copied
    as_right = (found.current + found.vacant + repeated)[made]
    as_wrong = (found.wrong + repeated)[made]
    by_right, by_wrong = right * weight / as_right, (1.0 - right) * weight / as_wrong
    either = by_right + by_wrong
    parts = [
        found.current[made] * by_right,
        found.stale[made] * either + found.vacant[made] * by_right,
        found.wrong[made] * by_wrong,
    ]
    shares = np.stack([matrix.sum_by_source(_at(claim, part, matrix.n_claims)) for part in parts])
    held = found.held[made] * either
    again = np.where(histories.has_own[made], weight - held, 0.0)
    copied = found.copied[made] * either
    alone = np.where(histories.parent_spoke[made], weight - held - copied, 0.0)
    pairs = (held, again), (copied, alone)
    holds, copies = (
        np.stack([matrix.sum_by_source(_at(claim, part, matrix.n_claims)) for part in pair]).T
        for pair in pairs
    )
    return shares.T, holds, copies


def _at(claim: Indices, numbers: Floats, n_claims: int) -> Floats:
    """Return numbers of steps in the order of claims."""
    of_claim = np.zeros(n_claims)
    of_claim[claim] = numbers
    return of_claim
