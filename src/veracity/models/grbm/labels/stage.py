"""LabelStage: what labels add to a fit that was made without them.

1. Parameters are fitted to the labelled items, near those of the unlabelled fit: `recentring`.
2. A vote weights sources by how often they are right on labels: `label_vote`.
3. The scores of both, and of the unlabelled fit, become one, which is mixed with the default's
   plausibilities: `stacking`.
4. The plausibilities are recalibrated on the labels: `recalibration`.

Steps 3 and 4 look at each label as judged by what the labels of other parts say; see `N_PARTS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.notes import Note, plural
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.fitted import FittedModel
from veracity.models.grbm.labels.label_vote import LabelVote
from veracity.models.grbm.labels.labelled_items import (
    N_PARTS,
    LabelledItems,
    parts_of,
)
from veracity.models.grbm.labels.questions import Answers, Questions
from veracity.models.grbm.labels.recalibration import Recalibration
from veracity.models.grbm.labels.recentring import Overlay, clipped, laid_over, recentred
from veracity.models.grbm.labels.stacking import (
    Stack,
    likelihood,
    pooled,
    stack_share,
    tempered,
)
from veracity.models.grbm.plausibility import plausibilities
from veracity.models.grbm.speaking_norms import with_speaking_norms

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class LabelStage:
    """What was learned from labels.

    Attributes
    ----------
    n_labels
        Labelled items that somebody speaks about.
    n_right, n_right_before
        On how many of them the verdict is right, with the labels of other parts and without labels.
    seed
        By which items are divided into parts.
    overlays
        Parameters that all labels have moved; then those that the labels of all parts but one have.
    vote, stack, recalibration
        See the steps.
    share
        How much the stack counts beside the default's plausibilities.
    without_labels
        The recalibration of plausibilities by the unlabelled fit.
    against_fit
        By how much the vote foretells labels better than the unlabelled fit does, in nats.
    """

    n_labels: int
    n_right: int
    n_right_before: int
    seed: int
    overlays: tuple[Overlay, ...]
    vote: LabelVote
    stack: Stack
    share: float
    recalibration: Recalibration
    without_labels: Recalibration
    against_fit: float

    @classmethod
    def of(cls, labelled: LabelledItems, fitted: FittedModel, seed: int) -> LabelStage:
        """Learn from labelled items, given the fit without their labels."""
        centre, parts = clipped(fitted), (None, *range(N_PARTS))
        overlays = tuple(recentred(fitted, centre, labelled.without(part)) for part in parts)
        bound = fitted.bind_block(labelled.unlabelled)
        stage = cls(
            n_labels=len(labelled.part),
            n_right=0,
            n_right_before=0,
            seed=seed,
            overlays=overlays,
            vote=LabelVote.of(labelled, bound),
            stack=Stack(np.zeros(0), 0.0),
            share=0.0,
            recalibration=Recalibration(),
            without_labels=Recalibration(),
            against_fit=0.0,
        )
        return stage._fitted_to(labelled, fitted, bound)

    def _fitted_to(
        self, labelled: LabelledItems, fitted: FittedModel, bound: BlockObjective
    ) -> LabelStage:
        """Fit the stack and the recalibration to labels that their judges have not seen."""
        view, is_true = _Unlabelled(fitted, bound), labelled.is_true
        questions, default = view.questions, view.default
        of_parts = [self._scores(view, part) for part in range(N_PARTS)]
        part = labelled.part[questions.item]
        judged = [_by_part(scores, part, questions) for scores in zip(*of_parts, strict=True)]
        stack = Stack.fit(questions, judged, is_true, self.n_labels)
        stacked = stack.probabilities(questions, judged)
        share = stack_share(questions, default, stacked, is_true, self.n_labels)
        mixed = pooled(default, stacked, share)
        by_vote, by_default = (
            float(np.log(likelihood(questions, p, is_true)).sum())
            for p in (questions.softmax(judged[-1]), default)
        )
        now, before = (_outcomes(questions, p, is_true) for p in (mixed, default))
        return replace(
            self,
            n_right=_n_right(questions, now.is_right),
            n_right_before=_n_right(questions, before.is_right),
            stack=stack,
            share=share,
            recalibration=Recalibration.fit(*now),
            without_labels=Recalibration.fit(*before),
            against_fit=by_vote - by_default,
        )

    # Judging

    def model(self, fitted: FittedModel, left_out: int | None = None) -> FittedModel:
        """Return the fitted model with parameters that labels have moved.

        Those of one part may be left out.
        """
        overlay = self.overlays[0 if left_out is None else left_out + 1]
        return laid_over(fitted, clipped(fitted), overlay)

    def blended_model(self, fitted: FittedModel) -> FittedModel:
        """Return the model by which sources are rated: between the fits without and with labels.

        It is as far from the one to the other as the stack counts. A few labels say little of a
        source that has made many claims.
        """
        x = fitted.x + self.share * (self.model(fitted).x - fitted.x)
        return replace(fitted, x=with_speaking_norms(fitted.spec, x))

    def plausibilities(self, fitted: FittedModel, block: BlockObjective) -> Floats:
        """Return the plausibility of each statement of a block."""
        return self._judged(_Unlabelled(fitted, block), None)

    def unaware(self, fitted: FittedModel, block: BlockObjective) -> Floats:
        """Return the plausibility of each statement by the unlabelled fit, recalibrated."""
        view = _Unlabelled(fitted, block)
        return _shown(self.without_labels.apply(view.questions, view.default))

    def crossfitted(self, fitted: FittedModel, block: BlockObjective) -> Floats:
        """Return plausibilities of statements that do not rest on labels of their items' parts."""
        view, matrix = _Unlabelled(fitted, block), block.data.matrix
        part = parts_of(matrix, self.seed)[matrix.item_of_statement]
        found = np.empty(matrix.n_statements)
        for number in np.unique(part).tolist():
            own = part == number
            found[own] = self._judged(view, number)[own]
        return found

    def _judged(self, view: _Unlabelled, left_out: int | None) -> Floats:
        """Return plausibilities, without the labels of a part."""
        stacked = self.stack.probabilities(view.questions, self._scores(view, left_out))
        mixed = pooled(view.default, stacked, self.share)
        return _shown(self.recalibration.apply(view.questions, mixed))

    def _scores(self, view: _Unlabelled, left_out: int | None) -> list[Answers]:
        """Return the tempered scores of each judge; see `JUDGES`."""
        block, questions = view.block, view.questions
        moved = questions.answers(block.scores(block.own(self.model(view.fitted, left_out).x)))
        by_vote = self.vote.answers(block, questions, left_out)
        labelled, vote = (tempered(questions, scores, block) for scores in (moved, by_vote))
        return [labelled, view.answers, vote]

    # What a user should know

    @property
    def note(self) -> Note:
        """Say what the labels are worth, as judged by labels that were held out."""
        of = f"of {plural(self.n_labels, 'labelled item')}"
        text = (
            f"The verdict is right on {self.n_right:,} {of}, each judged by the labels of others; "
            f"without labels, on {self.n_right_before:,}. Plausibilities are recalibrated on them."
        )
        short = (
            f"of {plural(self.n_labels, 'labelled item')}, each judged without its own label, "
            f"{self.n_right:,} {'is' if self.n_right == 1 else 'are'} judged right"
        )
        return Note("labels", text, self.n_labels, short)

    # Keeping it

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return it as plain data and arrays."""
        arrays: Arrays = {
            "labels.place": self.vote.place,
            "labels.right": self.vote.right,
            "labels.total": self.vote.total,
            "labels.weights": self.stack.weights,
        }
        for number, overlay in enumerate(self.overlays):
            arrays[f"labels.index.{number}"] = overlay.index
            arrays[f"labels.values.{number}"] = overlay.values
        return {
            "n_labels": self.n_labels,
            "n_right": self.n_right,
            "n_right_before": self.n_right_before,
            "seed": self.seed,
            "bias": self.stack.bias,
            "share": self.share,
            "against_fit": self.against_fit,
            "recalibration": asdict(self.recalibration),
            "without_labels": asdict(self.without_labels),
        }, arrays

    @classmethod
    def of_state(cls, state: dict[str, Any], arrays: Arrays) -> LabelStage:
        """Restore what `state` returned."""
        return cls(
            state["n_labels"],
            state["n_right"],
            state["n_right_before"],
            state["seed"],
            tuple(
                Overlay(arrays[f"labels.index.{number}"], arrays[f"labels.values.{number}"])
                for number in range(N_PARTS + 1)
            ),
            LabelVote(*(arrays[f"labels.{name}"] for name in ("place", "right", "total"))),
            Stack(arrays["labels.weights"], state["bias"]),
            state["share"],
            Recalibration(**state["recalibration"]),
            Recalibration(**state["without_labels"]),
            state["against_fit"],
        )


class _Unlabelled:
    """What the unlabelled fit makes of a block.

    Attributes
    ----------
    questions
        What is asked about its items.
    answers, default
        The tempered scores of all answers, and their plausibilities.
    """

    def __init__(self, fitted: FittedModel, block: BlockObjective) -> None:
        self.fitted, self.block, data = fitted, block, block.data
        self.questions = Questions.of(data.matrix)
        scores = block.scores(block.own(fitted.x))
        self.answers = tempered(self.questions, self.questions.answers(scores), block)
        found = plausibilities(data.matrix, scores, data.weight, block.domain_size)
        self.default = self.questions.completed(found)


def _shown(p: Answers) -> Floats:
    return np.clip(p.statement, 0.0, 1.0)


def _by_part(of_parts: Sequence[Answers], part: Indices, questions: Questions) -> Answers:
    """Return the answers to each question as those of its part have them."""
    of_statement, place = part[questions.of_statement], np.arange(len(questions.of_statement))
    return Answers(
        np.stack([one.statement for one in of_parts])[of_statement, place],
        np.stack([one.none for one in of_parts])[part, np.arange(len(part))],
    )


class _Outcomes(NamedTuple):
    """The plausibility of the verdict on each question, and whether it is right."""

    plausibility: Floats
    is_right: Mask


def _outcomes(questions: Questions, p: Answers, is_true: Mask) -> _Outcomes:
    best, plausibility = questions.believed(p)
    denies = questions.is_two_sided & (p.none > p.statement[best])
    return _Outcomes(plausibility, is_true[best] != denies)


def _n_right(questions: Questions, is_right: Mask) -> int:
    """Return the number of items on which all verdicts are right."""
    begins = np.flatnonzero(np.diff(questions.item, prepend=-1))
    return int(np.logical_and.reduceat(is_right, begins).sum())
