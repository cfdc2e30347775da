"""A fit without labels, to which labels of some items are added again and again.

The default is fitted once to all claims. Everything after that is about the *judged items*: those
whose truth is known, or a random part of them. Learning from labels, and judging by what was
learned, then takes a fraction of a second, as in the library: see `veracity.models.grbm.labels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from public_sets import generator

from veracity import GRBM, Claims, GroundTruth
from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import take_labels
from veracity.data.output.results import decide
from veracity.data.truth.answers import same_answer
from veracity.data.truth.known import TRUE, UNKNOWN, KnownTruth, items_of
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.local import OneBlock, in_one_block
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.fitted import FittedModel
from veracity.models.grbm.labels.label_vote import LabelVote
from veracity.models.grbm.labels.labelled_items import N_PARTS, gather
from veracity.models.grbm.labels.questions import Questions
from veracity.models.grbm.labels.stacking import tempered
from veracity.models.grbm.labels.stage import LabelStage
from veracity.models.grbm.plausibility import plausibilities
from veracity.models.grbm.selection import CandidateFit
from veracity.models.grbm.selection import Learned as Selected

#: At most so many items are judged, and labelled.
MAX_ITEMS = 3_000
SEED = 0


@dataclass(frozen=True, eq=False)
class Judgement:
    """Verdicts on the judged items; all arrays are (n_items,).

    Attributes
    ----------
    right
        Whether the verdict is right: of several true values, all of them.
    plausibility
        How plausible it is that all believed values are true.
    tie
        Whether another verdict was exactly as plausible.
    margin
        How much more plausible the verdict is than the next one.
    verdict
        A number that is the same for the same verdict on an item.
    """

    right: Mask
    plausibility: Floats
    tie: Mask
    margin: Floats
    verdict: Floats


class Learned(NamedTuple):
    """What was learned from labels, and the fit that it is about."""

    stage: LabelStage
    fitted: FittedModel


class Fitted(GRBM):
    """The default, which learns from labels after its fit, and forgets them again."""

    def _keep(self, learned: Selected, claims: ClaimsInBlocks) -> CandidateFit:
        self._selected = learned
        return super()._keep(learned, claims)

    def learn(self, labels: ClaimsInBlocks) -> Learned:
        """Learn from labels, as a fit to all claims with these labels does."""
        fitted = self.fitted_model
        super()._keep(self._selected, labels)
        assert self._labels is not None
        found = Learned(self._labels, self.fitted_model)
        self._labels, self.fitted_model = None, fitted
        return found


@dataclass(frozen=True, eq=False)
class FittedOnce:
    """The default, fitted without labels, and the items to judge.

    Attributes
    ----------
    model
        The default, fitted without labels.
    claims
        All claims.
    all_labelled
        The claims about the judged items, with the truth of all of them.
    judged
        The same without truth, bound to the fit.
    true
        The true values of each judged item.
    is_answer
        The statements that are right answers; (n_statements,).
    is_claimed
        Whether all true values of an item with several are claimed; (n_items,).
    """

    model: Fitted
    claims: Claims
    all_labelled: ClaimsInBlocks
    judged: BlockObjective
    true: Sequence[Sequence[str]]
    is_answer: Mask
    is_claimed: Mask

    @classmethod
    def of(cls, claims: Claims, truth: GroundTruth, name: str) -> FittedOnce:
        """Fit the default, then draw the items to judge by the name of the set."""
        model = Fitted(threads=1)
        model.fit(claims)
        known = KnownTruth.of(truth, claims)
        drawn = generator(f"{name} guarantee").permutation(np.flatnonzero(known.settled))
        only = _restricted(claims, known, drawn[:MAX_ITEMS])
        found = gather(in_one_block(claims, only), SEED)
        assert found is not None
        about = replace(in_one_block(claims), blocks=OneBlock(found.block))
        judged = model.fitted_model.bind_block(found.unlabelled)
        true = _true_values(found.block, truth)
        return cls(model, claims, about, judged, true, *_answers(found.block, true))

    @property
    def n_items(self) -> int:
        """How many items are judged."""
        return self.judged.data.matrix.n_items

    def learn(self, items: Indices) -> Learned:
        """Learn from the labels of some judged items."""
        block = self.all_labelled.blocks.only
        assert block is not None
        assert block.known is not None
        known = _restricted(block.claims, block.known, items)
        labels = replace(self.all_labelled, blocks=OneBlock(replace(block, known=known)))
        return self.model.learn(labels)

    # Judging

    def unlabelled(self) -> Judgement:
        """Judge without any label."""
        block = self.judged
        scores = block.scores(block.own(self.model.fitted_model.x))
        return self.judge(
            plausibilities(block.data.matrix, scores, block.data.weight, block.domain_size)
        )

    def labelled(self, learned: Learned) -> Judgement:
        """Judge by all labels."""
        return self.judge(learned.stage.plausibilities(learned.fitted, self.judged))

    def crossfitted(self, learned: Learned) -> Judgement:
        """Judge each item by the labels of other parts."""
        return self.judge(learned.stage.crossfitted(learned.fitted, self.judged))

    def by_vote(self, learned: Learned | None) -> Judgement:
        """Judge by the vote that is weighted by labels alone, without any by the plain vote.

        Its plausibilities are tempered as those of the stage are.
        """
        vote = _nobody_counted() if learned is None else learned.stage.vote
        questions = Questions.of(self.judged.data.matrix)
        votes = vote.answers(self.judged, questions)
        return self.judge(questions.softmax(tempered(questions, votes, self.judged)).statement)

    def judge(self, plausibility: Floats) -> Judgement:
        """Hold the verdicts by plausibilities of statements against the truth."""
        matrix = self.judged.data.matrix
        verdict = decide(matrix, plausibility, SEED)
        item = matrix.item_of_statement[verdict.statement]
        start = np.searchsorted(item, np.arange(matrix.n_items))
        is_right = self.is_answer[verdict.statement] == verdict.holds
        right = np.logical_and.reduceat(is_right, start)
        n_true = np.bincount(matrix.item_of_statement[self.is_answer], minlength=matrix.n_items)
        whole = (np.bincount(item) == n_true) & self.is_claimed
        right &= whole | ~matrix.kind_is("multiple")
        codes = verdict.statement + np.where(verdict.holds, 0.0, 0.5) + 1.0
        return Judgement(
            right,
            np.multiply.reduceat(verdict.belief(plausibility), start),
            np.logical_or.reduceat(verdict.tie, start),
            np.minimum.reduceat(verdict.margin, start),
            np.add.reduceat(codes * np.sqrt(codes), start),
        )


def _nobody_counted() -> LabelVote:
    """Return the vote of sources of which no labelled claim is known."""
    nothing = np.zeros((N_PARTS, 1))
    return LabelVote(np.array([-1]), nothing, nothing)


def _restricted(claims: Claims, known: KnownTruth, items: Indices) -> KnownTruth:
    """Return the truth of some items alone."""
    settled = np.zeros(claims.matrix.n_items, np.bool_)
    settled[items] = True
    statement = np.where(settled[claims.matrix.item_of_statement], known.statement, UNKNOWN)
    return replace(known, statement=statement.astype(np.int8), settled=settled)


def _true_values(block: ClaimBlock, truth: GroundTruth) -> list[list[str]]:
    """Return the true values of each item of a block."""
    found: list[list[str]] = [[] for _ in range(block.matrix.n_items)]
    given = truth.for_attributes(block.matrix.attributes.to_pylist())
    items = items_of(block.matrix, given).tolist()
    for item, value in zip(items, given["value"].to_pylist(), strict=True):
        if item >= 0:
            found[item].append(value)
    return found


def _answers(block: ClaimBlock, true: Sequence[Sequence[str]]) -> tuple[Mask, Mask]:
    """Return which statements are right answers, and which items have all of theirs claimed."""
    claims, matrix = block.claims, block.matrix
    assert block.known is not None
    boolean = matrix.kind_is("boolean")
    values = take_labels(matrix.values, matrix.value_index).to_pylist()
    is_answer = block.known.statement == TRUE
    for statement, item in enumerate(matrix.item_of_statement.tolist()):
        if not boolean[item]:
            own = [values[statement]]
            is_answer[statement] = any(same_answer(claims, item, own, [t]) for t in true[item])
    is_claimed = np.ones(matrix.n_items, np.bool_)
    for item in np.flatnonzero(matrix.kind_is("multiple")).tolist():
        first, last = matrix.statement_start[item : item + 2]
        found = [v for v, yes in zip(values[first:last], is_answer[first:last], strict=True) if yes]
        is_claimed[item] = same_answer(claims, item, found, true[item])
    return is_answer, is_claimed
