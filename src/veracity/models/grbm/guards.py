"""Guards: warnings to read before trusting an answer, in plain sentences.

The first are cautions, reasons to doubt the answer as a whole, each with what would settle it.
Without labels, no known statistic shows whether a model does worse than the vote. Guards say where
the answer depends on the model, where it rests on very little, which sources cannot be compared,
and what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note, plural
from veracity.data.output.results import Verdict, decide, speakers
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Joined, Scattered, Sums
from veracity.models.base import TruthModel
from veracity.models.baselines.majority_vote import MajorityVote
from veracity.models.grbm.class_shares import class_shares, labels_to_settle, sums_by_class
from veracity.models.grbm.groups import first_of_groups
from veracity.models.tables import Judged, sent

if TYPE_CHECKING:
    from veracity.models.grbm.attributes import AttributeParameters
    from veracity.models.grbm.boltzmann import BoltzmannMachine

#: Said only where more than this share of contested items differs, or of claims or items is weak.
NOTEWORTHY = 0.02
#: A source that the answer follows in more of its contested claims than this, of which it has at
#: least so many, decides it alone.
ONE_VOICE, MANY_CONTESTED = 0.98, 50
#: The answer depends on the model if it overrules the vote on more than this share of at least so
#: many contested items, or if features change it on more than the last share of them.
OVERRULED, ENOUGH_CONTESTED, CHANGED = 0.25, 20, 0.10
#: How many labels tell which of two answers is right more often, if one is in three of four cases:
#: two standard errors, 4 * 0.75 * 0.25 / 0.25^2.
LABELS_TO_COMPARE = 12
#: A source that is followed everywhere ought to be right more often than this.
GOOD_VOICE = 0.8
#: A source is hardly better than chance if its excess over chance is below this share of what is
#: left to perfection.
NEAR_CHANCE = 0.1
LABEL_SOME = (
    "To find out which is right, label some of the items that `veracity disagreements` lists, and "
    "give them as known truth."
)


def guard_notes(
    model: BoltzmannMachine,
    claims: ClaimsInBlocks,
    judged: Blocks[Judged],
    overturned: float | None = None,
    restarted: float | None = None,
) -> list[Note]:
    """Return what a user should know before trusting the answer of a model, over all blocks.

    `overturned` is the share of contested items whose answer features change, `restarted` that of
    items whose answer depends on where the fit starts; None where there is nothing to compare.
    """
    n_sources = claims.n_sources
    sums = judged.total(_count, sent(model, judged), MajorityVote(), n_sources)
    one, other = sums.pop("group").whole().T
    numbers: dict[str, Any] = {
        name: found.everywhere() if isinstance(found, Scattered) else found
        for name, found in sums.items()
    }
    group = first_of_groups(one, other, n_sources)
    attributes = model.fitted_model.spec.attributes
    return GuardCounts(**numbers, group=group).notes(
        claims.sources, attributes, overturned, restarted
    )


def _count(judged: Judged, model: BoltzmannMachine, vote: TruthModel, n_sources: int) -> Sums:
    block, matrix, place = judged.block, judged.block.matrix, judged.block.place
    by_vote = decide(matrix, vote._judge(block.claims).plausibility, model.random_state)
    bound, own = model._bind(block.claims)
    by_class = sums_by_class(bound, judged.verdict, by_vote, matrix)
    counts = GuardCounts.of(matrix, judged.verdict, by_vote, bound.rates(own).right, by_class)
    sums: Sums = {field.name: getattr(counts, field.name) for field in fields(counts)}
    for name in ("of_source", "n_contested", "n_agreeing"):
        sums[name] = Scattered(place, sums[name].astype(np.int32), n_sources)
    pairs = np.stack([place, place[counts.group]], axis=1).astype(np.int32)  # of every block
    return sums | {"group": Joined((pairs,))}


@dataclass(frozen=True, eq=False)
class GuardCounts:
    """What is counted to find out what a user should know; counts of disjoint sets of items add.

    Attributes
    ----------
    n_items, n_claims
        Items, and claims about them.
    n_unlike_vote
        Items on which the answer is not that of a majority vote.
    n_disputed, n_overruled
        Contested items, and those of them on which the answer is not the most common claim.
    n_against_all
        Items on which the answer is what none of its sources says.
    n_alone
        Items with one source.
    n_weak
        Claims that are hardly better than chance.
    of_source, n_contested, n_agreeing
        Claims of each source; those about contested items; and those that are believed.
    group
        A source of the group that each source is in, groups being those that share no item.
    by_class
        Items by class, as claimed, voted and believed; see `sums_by_class`.
    """

    n_items: int
    n_claims: int
    n_unlike_vote: int
    n_disputed: int
    n_overruled: int
    n_against_all: int
    n_alone: int
    n_weak: int
    of_source: Indices
    n_contested: Floats
    n_agreeing: Floats
    group: Indices
    by_class: Floats = field(default_factory=lambda: np.zeros((3, 0)))

    @classmethod
    def of(
        cls,
        matrix: ClaimMatrix,
        verdict: Verdict,
        vote: Verdict,
        right: Floats,
        by_class: Floats | None = None,
    ) -> GuardCounts:
        """Count.

        Parameters
        ----------
        matrix, verdict
            The claims, and what the model believes.
        vote
            What a majority vote believes.
        right
            The probability that each claim is right, beyond what others say; (n_claims,).
        by_class
            Items by class; see `sums_by_class`.
        """
        unlike_vote = differing_items(matrix, verdict, vote)
        contested = _contested(matrix)
        of_contested = contested[matrix.item_of_claim]
        believed = np.zeros(matrix.n_statements, np.bool_)
        believed[verdict.statement] = verdict.holds
        agrees = believed[matrix.statement_index] == (matrix.claim_value == 1)
        size = np.where(matrix.kind_is("single"), matrix.domain_size, 2)
        chance = 1.0 / size[matrix.item_of_claim]
        return cls(
            n_items=matrix.n_items,
            n_claims=matrix.n_claims,
            n_unlike_vote=int(unlike_vote.sum()),
            n_disputed=int(contested.sum()),
            n_overruled=int((unlike_vote & contested & ~_tied(matrix, vote)).sum()),
            n_against_all=int((unlike_vote & ~contested).sum()),
            n_alone=int((speakers(matrix) == 1).sum()),
            n_weak=int((right < chance + NEAR_CHANCE * (1 - chance)).sum()),
            of_source=np.bincount(matrix.source_index, minlength=matrix.n_sources),
            n_contested=matrix.sum_by_source(of_contested.astype(np.float64)),
            n_agreeing=matrix.sum_by_source((agrees & of_contested).astype(np.float64)),
            group=_groups(matrix),
            by_class=np.zeros((3, 0)) if by_class is None else by_class,
        )

    def notes(
        self,
        sources: pa.StringArray,
        attributes: Sequence[AttributeParameters] = (),
        overturned: float | None = None,
        restarted: float | None = None,
    ) -> list[Note]:
        """Say it in sentences, the reasons to doubt the answer as a whole first."""
        return [
            *self._prevalence(attributes),
            *self._overrules(),
            *self._by_start(restarted),
            *self._by_features(overturned),
            *self._one_voice(sources),
            *self._differs(),
            *self._against_all(),
            *self._apart(),
            *self._thin(),
            *self._near_chance(),
        ]

    def _prevalence(self, attributes: Sequence[AttributeParameters]) -> Iterator[Note]:
        """Say where believed shares of classes differ most from the claimed ones, if much."""
        shares = [one for one in class_shares(attributes, self.by_class) if one.differs]
        if shares:
            yield max(shares, key=lambda one: one.distance).note

    @property
    def _overrules_many(self) -> bool:
        enough = self.n_disputed >= ENOUGH_CONTESTED
        return enough and self.n_overruled > OVERRULED * self.n_disputed

    def _overrules(self) -> Iterator[Note]:
        """Say whether the answer is another than the vote's on many contested items."""
        if self._overrules_many:
            text = (
                f"On {self.n_overruled:,} of {plural(self.n_disputed, 'contested item')} "
                f"({self.n_overruled / self.n_disputed:.0%}) the answer is not the most common "
                "claim. Either the sources that it follows are better, or the model is wrong; "
                f"about {LABELS_TO_COMPARE} labels of items that `veracity disagreements` lists "
                "would settle it."
            )
            short = (
                f"the answer is not the most common claim on {self.n_overruled:,} of "
                f"{plural(self.n_disputed, 'contested item')}"
            )
            yield Note("trust", text, self.n_unlike_vote, short)

    def _is_many(self, changed: float) -> bool:
        """Whether a share of the contested items is worth a caution."""
        return self.n_disputed >= ENOUGH_CONTESTED and changed > CHANGED

    def _by_start(self, restarted: float | None) -> Iterator[Note]:
        """Say whether two starts of the fit end in different answers on many contested items."""
        if restarted is None or not self._is_many(restarted):
            return
        text = (
            f"Two starts of the fit end in different answers on {restarted:.0%} of the contested "
            "items: the claims alone do not tell who is right there. About "
            f"{LABELS_TO_COMPARE} labels of contested items, given as known truth, would settle it."
        )
        short = (
            "two starts of the fit end in different answers on "
            f"{100 * restarted:.0f} % of the contested items"
        )
        yield Note("trust", text, round(restarted * self.n_disputed), short)

    def _by_features(self, overturned: float | None) -> Iterator[Note]:
        """Say whether features change the answer on many contested items."""
        if overturned is None or not self._is_many(overturned):
            return
        text = (
            f"The features in use change the answer on {overturned:.0%} of the contested items. "
            "Either they show who is right, or they mislead the model; run it again with "
            f"--no-features, and about {LABELS_TO_COMPARE} labels of items whose values differ "
            "would settle it."
        )
        short = f"features change the answer on {100 * overturned:.0f} % of the contested items"
        yield Note("trust", text, round(overturned * self.n_disputed), short)

    def _differs(self) -> Iterator[Note]:
        """Say how often the answer is another than the vote's, unless that was said."""
        if self._overrules_many:
            return
        count = self.n_unlike_vote
        if not count:
            same = "majority vote would give the same answers"
            yield Note("vote", f"A {same}.", 0, f"a {same}")
            return
        text = (
            f"The answers differ from those of a majority vote on {plural(count, 'item')}, "
            f"{count / self.n_items:.1%} of all. {LABEL_SOME}"
        )
        short = f"a majority vote would answer otherwise on {plural(count, 'item')}"
        yield Note("vote", text, count, short)

    def _against_all(self) -> Iterator[Note]:
        """Say how often the answer is what none of the sources of an item says."""
        count = self.n_against_all
        if count:
            text = (
                f"On {plural(count, 'item')} the answer contradicts every source: these sources "
                "weigh less than the overall share of true statements. If there are many such "
                "items, too few sources speak about each of them. Give the truth of some items."
            )
            short = f"the answer contradicts every source on {plural(count, 'item')}"
            yield Note("trust", text, count, short)

    def _one_voice(self, sources: pa.StringArray) -> Iterator[Note]:
        """Say whether the answer is that of one source, whatever the others say."""
        share = self.n_agreeing / np.maximum(self.n_contested, 1.0)
        often = self.n_contested >= MANY_CONTESTED
        if len(sources) < 3 or not often.any():
            return
        first = int(np.flatnonzero(often)[np.argmax(share[often])])
        if share[first] > ONE_VOICE:
            name = sources[first].as_py()
            n_labels = labels_to_settle(GOOD_VOICE, float(share[first]))
            text = (
                f"Where sources disagree, the answer is what {name!r} says {share[first]:.1%} of "
                f"the time ({self.n_contested[first]:,.0f} contested claims). Either it is very "
                "accurate, or it misleads the model, perhaps with others that copy it; about "
                f"{n_labels} labels of contested items that it speaks about would settle it."
            )
            short = (
                f"where sources disagree, {name!r} alone decides {100 * share[first]:.0f} % of the "
                "time"
            )
            yield Note("trust", text, short=short)

    def _apart(self) -> Iterator[Note]:
        """Say whether there are groups of sources that share no item."""
        n_sources = len(self.group)
        n_in_group = np.bincount(self.group, minlength=n_sources)
        n_groups = int((n_in_group > 0).sum())
        if n_groups == 1:
            return
        n_claims = sum_by(self.group, self.of_source.astype(np.float64), n_sources)
        main = int(np.argmax(n_claims))
        alone = int(((n_in_group == 1) & (np.arange(n_sources) != main)).sum())
        share = 1 - n_claims[main] / self.n_claims
        text = (
            f"The sources fall into {n_groups:,} groups that share no item, {alone:,} of them with "
            f"one source; {share:.1%} of the claims are outside the largest group. Reliabilities "
            "cannot be compared between groups: each rests on its own group and on the prior. A "
            "source that speaks about items of several groups would connect them."
        )
        short = f"the sources fall into {n_groups:,} groups that share no item"
        yield Note("evidence", text, n_groups, short)

    def _thin(self) -> Iterator[Note]:
        """Say how much is decided by almost nothing."""
        alone = self.n_alone
        if alone > NOTEWORTHY * self.n_items:
            text = (
                f"{plural(alone, 'item')} ({alone / self.n_items:.0%}) "
                f"{'has' if alone == 1 else 'have'} only one source. Nobody confirms its claims "
                "there, so the plausibility rests on its other claims."
            )
            short = f"{plural(alone, 'item has', 'items have')} only one source"
            yield Note("evidence", text, alone, short)
        per_source = self.of_source
        few = int((per_source <= 2).sum())
        share = float(per_source[per_source <= 2].sum() / self.n_claims)
        if share > NOTEWORTHY:
            text = (
                f"{plural(few, 'source')} ({few / len(per_source):.0%}) "
                f"{'makes' if few == 1 else 'make'} one or two claims, {share:.0%} of all. "
                f"{'Its' if few == 1 else 'Their'} reliability is mostly the average of all "
                f"sources; see {'its interval' if few == 1 else 'their intervals'}."
            )
            short = f"{plural(few, 'source makes', 'sources make')} one or two claims"
            yield Note("evidence", text, few, short)

    def _near_chance(self) -> Iterator[Note]:
        """Say how much is claimed by sources that are hardly better than chance."""
        share = self.n_weak / self.n_claims
        if share > NOTEWORTHY:
            text = f"{share:.0%} of the claims count as hardly better than guesses." + (
                " That is most of them: if these sources are right after all, or err together, "
                "the answer may be wrong as a whole. Give the truth of a few items."
                if share > 0.5
                else ""
            )
            short = f"{100 * share:.0f} % of the claims count as hardly better than guesses"
            yield Note("evidence", text, self.n_weak, short)


def differing_items(matrix: ClaimMatrix, one: Verdict, other: Verdict) -> npt.NDArray[np.bool_]:
    """Mark the items about which two verdicts differ; (n_items,)."""
    believed = [np.zeros(matrix.n_statements, np.bool_) for _ in range(2)]
    for mask, verdict in zip(believed, (one, other), strict=True):
        mask[verdict.statement] = verdict.holds
    differs = (believed[0] != believed[1]).astype(np.float64)
    return matrix.sum_by_item(differs) > 0


def _tied(matrix: ClaimMatrix, verdict: Verdict) -> npt.NDArray[np.bool_]:
    """Mark the items on which a verdict is a tie; (n_items,)."""
    tied = np.zeros(matrix.n_items, np.bool_)
    tied[matrix.item_of_statement[verdict.statement[verdict.tie]]] = True
    return tied


def _contested(matrix: ClaimMatrix) -> npt.NDArray[np.bool_]:
    """Mark the items on which sources disagree."""
    yes = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
    n_claims = np.bincount(matrix.statement_index, minlength=matrix.n_statements)
    disputed = (yes > 0) & (yes < n_claims)
    several = np.diff(matrix.statement_start) > 1
    return np.asarray(several | (matrix.sum_by_item(disputed.astype(np.float64)) > 0))


def _groups(matrix: ClaimMatrix) -> Indices:
    """Return the first source of each one's group: sources that items join; (n_sources,)."""
    n_sources = matrix.n_sources
    item = n_sources + matrix.item_of_claim
    return first_of_groups(matrix.source_index, item, n_sources + matrix.n_items)[:n_sources]
