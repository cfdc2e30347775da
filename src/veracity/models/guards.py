"""Guards: what a user should know before trusting an answer, in plain sentences.

No statistic is known that tells without labels whether a model does worse than the vote. These
tell where the answer hangs on the model, where it hangs on next to nothing, and which sources
cannot be compared at all; and what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from veracity.data.matrix import ClaimMatrix, Floats, sum_by
from veracity.data.notes import Note, plural
from veracity.data.results import Verdict, speakers

#: Said only where more than this share of contested items differs, or of claims or items is weak.
NOTEWORTHY = 0.02
#: A source that the answer follows in more of its contested claims than this, of which it has at
#: least so many, decides it alone.
ONE_VOICE, MANY_CONTESTED = 0.98, 50
#: A source is hardly better than chance if its excess over chance is below this share of what is
#: left to perfection.
NEAR_CHANCE = 0.1
LABEL_SOME = (
    "To find out which is right, label some of the items that `veracity disagreements` lists, and "
    "give them as known truth."
)


def guard_notes(
    matrix: ClaimMatrix, verdict: Verdict, vote: Verdict, one_coin: Verdict, right: Floats
) -> list[Note]:
    """Return what is worth knowing about an answer.

    Parameters
    ----------
    matrix, verdict
        The claims, and what the model believes.
    vote, one_coin
        What a majority vote believes, and a model with one reliability for each source.
    right
        The probability that each claim is right, beyond what others say; (n_claims,).
    """
    return [
        *_differences(matrix, verdict, vote, "a majority vote", LABEL_SOME),
        *_differences(matrix, verdict, one_coin, "a model with one number for each source", ""),
        *_against_all(matrix, verdict, vote),
        *_one_voice(matrix, verdict),
        *_apart(matrix),
        *_thin(matrix),
        *_near_chance(matrix, right),
    ]


def differing_items(matrix: ClaimMatrix, one: Verdict, other: Verdict) -> npt.NDArray[np.bool_]:
    """Mark the items about which two verdicts differ; (n_items,)."""
    believed = [np.zeros(matrix.n_statements, np.bool_) for _ in range(2)]
    for mask, verdict in zip(believed, (one, other), strict=True):
        mask[verdict.statement] = verdict.holds
    differs = (believed[0] != believed[1]).astype(np.float64)
    return matrix.sum_by_item(differs) > 0


def _differences(
    matrix: ClaimMatrix, verdict: Verdict, other: Verdict, name: str, advice: str
) -> Iterator[Note]:
    n_differs = int(differing_items(matrix, verdict, other).sum())
    text = (
        f"The answer differs from that of {name} on {plural(n_differs, 'item')}, "
        f"{n_differs / matrix.n_items:.1%} of all."
    )
    yield Note("trust", f"{text} {advice}".strip() if n_differs else text, n_differs)


def _against_all(matrix: ClaimMatrix, verdict: Verdict, vote: Verdict) -> Iterator[Note]:
    """Say how often the answer is what none of the sources of an item says."""
    against = differing_items(matrix, verdict, vote) & ~_contested(matrix)
    count = int(against.sum())
    if count:
        text = (
            f"On {plural(count, 'item')} the answer is against all sources that speak about it: "
            "the model takes them for less than the share of true statements in general. Where "
            "these are many, too few sources speak about an item to tell the two apart; give the "
            "truth of some items."
        )
        yield Note("trust", text, count)


def _contested(matrix: ClaimMatrix) -> npt.NDArray[np.bool_]:
    """Mark the items on which sources disagree."""
    yes = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
    n_claims = np.bincount(matrix.statement_index, minlength=matrix.n_statements)
    disputed = (yes > 0) & (yes < n_claims)
    several = np.diff(matrix.statement_start) > 1
    return np.asarray(several | (matrix.sum_by_item(disputed.astype(np.float64)) > 0))


def _one_voice(matrix: ClaimMatrix, verdict: Verdict) -> Iterator[Note]:
    """Say whether the answer is that of one source, whatever the others say."""
    believed = np.zeros(matrix.n_statements, np.bool_)
    believed[verdict.statement] = verdict.holds
    contested = _contested(matrix)[matrix.item_of_claim]
    agrees = believed[matrix.statement_index] == (matrix.claim_value == 1)
    n_contested = sum_by(
        matrix.source_index[contested], np.ones(int(contested.sum())), matrix.n_sources
    )
    n_agrees = matrix.sum_by_source((agrees & contested).astype(np.float64))
    share = n_agrees / np.maximum(n_contested, 1.0)
    often = n_contested >= MANY_CONTESTED
    if matrix.n_sources < 3 or not often.any():
        return
    first = int(np.flatnonzero(often)[np.argmax(share[often])])
    if share[first] > ONE_VOICE:
        name = matrix.sources[first].as_py()
        text = (
            f"Where sources disagree, the answer is what {name!r} says {share[first]:.1%} of the "
            f"time ({n_contested[first]:,.0f} contested claims). Either it is very good, or the "
            "model follows it, and those who copy it, astray. Check some of its contested claims."
        )
        yield Note("trust", text)


def _apart(matrix: ClaimMatrix) -> Iterator[Note]:
    """Say whether there are groups of sources that share no item."""
    n_sources, n_items = matrix.n_sources, matrix.n_items
    place = (matrix.source_index, n_sources + matrix.item_of_claim)
    size = n_sources + n_items
    graph = coo_array((np.ones(matrix.n_claims, np.bool_), place), shape=(size, size))
    n_groups, group = connected_components(graph, directed=False)
    if n_groups == 1:
        return
    of_source = np.bincount(group[:n_sources], minlength=n_groups)
    n_claims = sum_by(group[matrix.source_index], np.ones(matrix.n_claims), n_groups)
    main = int(np.argmax(n_claims))
    alone = int(((of_source == 1) & (np.arange(n_groups) != main)).sum())
    share = 1 - n_claims[main] / matrix.n_claims
    text = (
        f"The sources fall into {n_groups:,} groups that share no item, {alone:,} of them of one "
        f"source; {share:.1%} of the claims are outside the largest. Reliabilities of sources in "
        "different groups cannot be compared: each rests on its own group and on the prior. "
        "Claims of some source about items of several groups would join them."
    )
    yield Note("trust", text, n_groups)


def _thin(matrix: ClaimMatrix) -> Iterator[Note]:
    """Say how much is decided by almost nothing."""
    alone = int((speakers(matrix) == 1).sum())
    if alone > NOTEWORTHY * matrix.n_items:
        text = (
            f"{plural(alone, 'item')} ({alone / matrix.n_items:.0%}) "
            f"{'has' if alone == 1 else 'have'} one source only: nothing confirms what it says, "
            "and the plausibility rests on what is known of the source elsewhere."
        )
        yield Note("trust", text, alone)
    per_source = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    few = int((per_source <= 2).sum())
    share = float(per_source[per_source <= 2].sum() / matrix.n_claims)
    if share > NOTEWORTHY:
        text = (
            f"{plural(few, 'source')} ({few / matrix.n_sources:.0%}) "
            f"{'makes' if few == 1 else 'make'} one or two claims, {share:.0%} of all: their "
            "reliability is mostly that of sources in general; see the width of its interval."
        )
        yield Note("trust", text, few)


def _near_chance(matrix: ClaimMatrix, right: Floats) -> Iterator[Note]:
    """Say how much is claimed by sources that are hardly better than chance."""
    chance = 1.0 / np.where(matrix.kind_is("single"), matrix.domain_size, 2)[matrix.item_of_claim]
    weak = right < chance + NEAR_CHANCE * (1 - chance)
    share = float(weak.mean())
    if share > NOTEWORTHY:
        text = f"{share:.0%} of the claims are taken to be hardly better than guesses." + (
            " That is most of them: if these sources are right after all, or err together, "
            "the answer may be wrong as a whole. Give the truth of a few items."
            if share > 0.5
            else ""
        )
        yield Note("trust", text, int(weak.sum()))
