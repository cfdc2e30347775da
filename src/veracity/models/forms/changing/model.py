"""ChangingModel: attributes whose truth changes with time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.labels.arrays import arrays_to_labels, labels_to_arrays, places_among
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.tables import Table
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums
from veracity.errors import InputError
from veracity.models.base import Judgement
from veracity.models.convergence import note_unfinished
from veracity.models.forms.base import FormModel
from veracity.models.forms.changing.chain import believe, expect
from veracity.models.forms.changing.clock import Clock
from veracity.models.forms.changing.fitting import MAX_ITER, TOLERANCE, Learned, learn
from veracity.models.forms.changing.histories import Histories, Question, histories_of
from veracity.models.forms.changing.reports import Habits, Likelihoods, likelihoods
from veracity.models.forms.changing.spells import Spells, times_behind
from veracity.models.forms.changing.survey import Survey
from veracity.models.tables import TableInBlocks


@dataclass(frozen=True, eq=False)
class Chronicler:
    """What was learned about values that change: all that a block of claims needs to be judged.

    Attributes
    ----------
    sources, attributes
        The labels of those that were learned from.
    learned
        The habits of these sources, and the rates of these attributes.
    scale
        The unit of time of each attribute; (n_attributes,).
    first, now
        The first and the last time of all claims.
    clock
        What these times are.
    """

    sources: pa.StringArray
    attributes: tuple[str, ...]
    learned: Learned
    scale: Floats
    first: float
    now: float
    clock: Clock

    def question(self, block: ClaimBlock) -> Question:
        """Return for which time the truth is asked."""
        return Question(self.now, block.claims.settings.moment)

    def ready(self, block: ClaimBlock, question: Question) -> tuple[Histories, Likelihoods, Floats]:
        """Return the claims of a block in order, their likelihoods, and the rate of each item."""
        matrix = block.matrix
        scale, rate = self._of_attributes(matrix)
        histories = histories_of(block, scale, question)
        habits = self.learned.habits.at(places_among(matrix.sources, self.sources))
        return histories, likelihoods(histories, habits), rate[matrix.attribute_index]

    def _of_attributes(self, matrix: ClaimMatrix) -> tuple[Floats, Floats]:
        """Return unit and rate of each attribute; of one that was not seen, the averages."""
        names = [profile.name for profile in matrix.profiles]
        place = np.array([self._place(name) for name in names], np.int64)
        scale = np.append(self.scale, self.scale.mean())
        rate = np.append(self.learned.rate, self.learned.rate.mean())
        return scale[place], rate[place]

    def _place(self, name: str) -> int:
        return self.attributes.index(name) if name in self.attributes else -1

    def plausibility(self, block: ClaimBlock) -> Floats:
        """Return how plausible each statement is at the time that is asked about."""
        matrix = block.matrix
        histories, found, rate = self.ready(block, self.question(block))
        chains = histories.chains
        belief = np.empty(int(chains.n_values.sum()))
        believe(chains, rate, found.hit, found.miss, belief)
        item = matrix.item_of_statement
        place = np.arange(matrix.n_statements) - matrix.statement_start[:-1][item]
        return belief[chains.value_start[item] + place]

    def spells(self, block: ClaimBlock) -> tuple[Spells, Histories, Likelihoods, Floats]:
        """Return the believed timelines of the items of a block, and what they were made from."""
        question = Question(self.now, block.claims.settings.moment, learning=True)
        histories, found, rate = self.ready(block, question)
        return Spells.of(histories, found, rate), histories, found, rate


class ChangingModel(FormModel):
    """Judges values that change with time.

    The truth of an item is a chain in continuous time over the values claimed for it and one that
    nobody claims: at a rate, learned for each attribute, it is drawn anew, all values alike. A
    source that speaks names the current value, or repeats what it or others said before, or is
    wrong; how often it does which is learned for each source, see
    `veracity.models.forms.changing.reports`. Given what was said before, the claims of an item are
    a hidden Markov model, whose forward and backward passes are exact and cost as much as there are
    claims times values. The rest is EM.

    Every claim counts, also earlier ones of the same source.
    """

    form: ClassVar[str] = "changing"

    chronicler_: Chronicler

    @property
    def columns(self) -> Mapping[str, pa.DataType]:  # type: ignore[override]
        """Names and types of the further columns of the truths."""
        kind = self.chronicler_.clock.type
        return {"valid_from": kind, "valid_to": kind, "n_changes": pa.int64()}

    history_: list[dict[str, float]]

    def fit(self, claims: ClaimsInBlocks) -> None:
        """Learn from blocks of claims."""
        survey = Survey.of(claims)
        as_of = claims.settings.moment
        check_as_of(as_of, survey)
        self.notes = survey.notes()
        question = Question(survey.last, as_of, learning=True)
        learned, self.history_ = learn(claims.blocks, survey.scale, question, claims.n_sources)
        if self.history_[-1]["change"] > TOLERANCE:
            last = self.history_[-1]["change"]
            self.notes.append(note_unfinished(MAX_ITER, f"the last change was {last:.2g}"))
        self.chronicler_ = Chronicler(
            claims.sources,
            tuple(profile.name for profile in claims.attributes),
            learned,
            survey.scale,
            survey.first,
            survey.last,
            survey.clock,
        )

    def judge(self, block: ClaimBlock) -> Judgement:
        """Judge a block by what was learned: the values at the time that is asked about."""
        matrix, chronicler = block.matrix, self.chronicler_
        plausibility = chronicler.plausibility(block)
        spells, histories, _, _ = chronicler.spells(block)
        asked = chronicler.question(block)
        last = np.maximum.reduceat(histories.chains.time, histories.chains.start[:-1])
        moment = np.maximum(asked.now, last)
        if asked.as_of is not None:
            moment = np.full(len(moment), asked.as_of)
        holding = spells.at(moment, _best(matrix, plausibility))
        begin, end = (
            np.append(spells.begin, np.nan)[holding],
            np.append(spells.end, np.nan)[holding],
        )
        clock = chronicler.clock
        columns = {
            "valid_from": clock.shown(begin),
            "valid_to": clock.shown(end),
            "n_changes": to_arrow(spells.n_changes(matrix.n_items)),
        }
        return Judgement(plausibility, columns=columns)

    def reliability(self, claims: ClaimsInBlocks) -> pa.Table:
        """Return how often each source is right or was, how fresh that is, and how far behind.

        A claim of a value that was true before is not wrong, but late: it lowers the freshness of
        its source, not its reliability.
        """
        sums = claims.blocks.total(_count_late, self.chronicler_, claims.n_sources)
        n_claims, current, late, behind = sums["late"].everywhere().T
        right = current + late
        known = np.maximum(right, 1e-12)
        lag = np.array([self.chronicler_.clock.span(length) for length in behind / known])
        return pa.table(
            {
                "source": claims.sources,
                "reliability": to_arrow(right / np.maximum(n_claims, 1e-12)),
                "freshness": to_arrow(np.where(right > 0, current / known, np.nan), True),
                "lag": to_arrow(np.where(right > 0, lag, np.nan), True),
            }
        )

    def tables(self, claims: ClaimsInBlocks) -> Mapping[str, Table]:
        """Return the timelines of all items."""
        if claims.blocks.only is not None:
            return {
                "timelines": Table("timelines", timelines(claims.blocks.only, self.chronicler_))
            }
        table = TableInBlocks("timelines", claims.blocks, timelines, self.chronicler_)
        return {"timelines": table}

    def explainer(self, claims: Claims) -> Any:
        """Return what explains one item of claims after the other."""
        from veracity.models.forms.changing.explaining import ChangingExplainer

        return ChangingExplainer(claims, self.chronicler_)

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what was learned, as plain data and as arrays."""
        kept = self.chronicler_
        text, starts = labels_to_arrays(kept.sources)
        plain = {
            "attributes": list(kept.attributes),
            "first": kept.first,
            "now": kept.now,
            "clock": str(kept.clock),
            "history": self.history_,
        }
        arrays: dict[str, npt.NDArray[Any]] = {
            "sources": text,
            "source_starts": starts,
            "scale": kept.scale,
        }
        return plain, arrays | {"rate": kept.learned.rate, **kept.learned.habits.arrays()}

    def restore(self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` returned."""
        self.history_ = state["history"]
        self.chronicler_ = Chronicler(
            arrays_to_labels(arrays["sources"], arrays["source_starts"]),
            tuple(state["attributes"]),
            Learned(Habits.of_arrays(arrays), arrays["rate"]),
            arrays["scale"],
            state["first"],
            state["now"],
            Clock(state["clock"]),
        )


def check_as_of(as_of: float | None, survey: Survey) -> None:
    """Refuse a time before all claims."""
    if as_of is not None and as_of < survey.first:
        text = survey.clock.text
        raise InputError(
            f"as_of is {text(as_of)}, but the first claim about values that change was made at "
            f"{text(survey.first)}. Ask for that time or a later one."
        )


def timelines(block: ClaimBlock, chronicler: Chronicler) -> pa.Table:
    """Return the timelines of the items of a block."""
    return chronicler.spells(block)[0].table(block.matrix, chronicler.clock)


def _best(matrix: ClaimMatrix, plausibility: Floats) -> Indices:
    """Return the place of the most plausible value of each item among its values; (n_items,)."""
    item, start = matrix.item_of_statement, matrix.statement_start[:-1]
    most = np.maximum.reduceat(plausibility, start)
    top = np.flatnonzero(plausibility >= most[item])[::-1]
    best = np.zeros(matrix.n_items, np.int64)
    best[item[top]] = top - start[item[top]]
    boolean = matrix.kind_is("boolean")
    return np.where(boolean, np.where(most > 0.5, 0, 1), best)


def _count_late(block: ClaimBlock, chronicler: Chronicler, n_sources: int) -> Sums:
    """Count claims of each source, current ones, late ones, and how late these are in all."""
    matrix = block.matrix
    spells, histories, found, rate = chronicler.spells(block)
    chains = histories.chains
    true, draws = np.empty(len(chains.slot)), np.zeros(matrix.n_items)
    expect(chains, rate, found.hit, found.miss, true, draws)
    behind = times_behind(histories, spells)
    true = np.where(histories.denies, 1.0 - true, true)
    was = ~np.isnan(behind) & ~histories.denies
    late = np.where(was, 1.0 - true, 0.0)
    made = histories.made
    source = matrix.source_index[histories.claim[made]]
    numbers = (np.ones(len(late)), true, late, late * np.where(was, behind, 0.0))
    sums = [np.bincount(source, part[made], minlength=matrix.n_sources) for part in numbers]
    return {"late": Scattered(block.place, np.stack(sums, axis=1), n_sources)}
