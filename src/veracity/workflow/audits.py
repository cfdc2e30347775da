"""Audits: a random sample of verdicts that people check, and what it guarantees.

The audit follows a random order of all items: that of a hash of seed, attribute and entity. A draw
of size n is the first n of this order, so that the next hundred continue the first, and new items
of a run that was updated take the place that they would have had from the start. What counts is the
longest beginning of the order that is drawn and done: a uniform sample of the items, of a size that
does not depend on what was found. Marks on other items were not chosen at random, and stay out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Indices, Mask
from veracity.data.labels.hashes import Hashes, hash_at, mix
from veracity.data.labels.lookup import Labels as LabelLookup
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.answers import same_answer
from veracity.data.truth.known import items_of
from veracity.errors import InvalidParameter
from veracity.evaluation.guarantee import Guarantee, Limit, certify
from veracity.workflow.marks import Draw, Labels, MarkBook, check_seed
from veracity.workflow.saved_run import SavedRun
from veracity.workflow.verdicts import Verdicts

#: Ties of the ranking are broken by a hash that has nothing to do with the order of the audit.
TIES = 0x7469_6573
DEFAULT_SIZE = 100


@dataclass(frozen=True)
class Drawn:
    """An item of the audit: its number in the draw, its place in the claim matrix, its labels."""

    number: int
    item: int
    entity: str
    attribute: str


@dataclass(frozen=True)
class AuditState:
    """How far an audit is.

    Attributes
    ----------
    seed
        Of the draw, None if nothing is drawn.
    n_items
        How many verdicts there are to be drawn from.
    n_drawn, n_marked, n_skipped, n_wrong
        How many of them are drawn; how many of these are marked, skipped ("cannot tell"), and
        marked with another answer than the verdict.
    n_counted
        How many count for the guarantee: the first of the order, up to the first that is open.
    n_new
        Items that are not drawn but come before one that is: new since the draw. To draw again
        takes them first.
    next
        The first open one, None if all that are drawn are done.
    """

    seed: int | None
    n_items: int
    n_drawn: int
    n_marked: int
    n_skipped: int
    n_wrong: int
    n_counted: int
    n_new: int
    next: Drawn | None

    @property
    def n_open(self) -> int:
        """How many are drawn but neither marked nor skipped."""
        return self.n_drawn - self.n_marked - self.n_skipped


@dataclass(frozen=True, eq=False)
class Answers:
    """What people said about the items of a run, at a moment.

    Attributes
    ----------
    values
        The true values, by item: as marked or, where there is no mark, as given to the run.
    skipped
        Items about which nobody can tell; (n_items,).
    """

    values: dict[int, tuple[str, ...]]
    skipped: Mask

    @cached_property
    def is_marked(self) -> Mask:
        """The items whose true values are known; (n_items,)."""
        marked = np.zeros(len(self.skipped), np.bool_)
        marked[list(self.values)] = True
        return marked


@dataclass(frozen=True, eq=False)
class _Progress:
    """An audit at a moment: answers, and items in the order of the audit."""

    answers: Answers
    draw: Draw
    order: Indices
    number: Indices  # in the draw, 0 for those that are not drawn; (n_items,)

    @cached_property
    def is_done(self) -> Mask:
        """Whether an item is drawn, and marked or skipped; (n_items,)."""
        return (self.number > 0) & (self.answers.is_marked | self.answers.skipped)

    @cached_property
    def counted(self) -> Indices:
        """The items that count for the guarantee."""
        open_ = np.flatnonzero(~self.is_done[self.order])
        return self.order[: open_[0]] if len(open_) else self.order


class Audit:
    """The audit of a saved run. Marks, skips and draw are read anew whenever they are asked for.

    Parameters
    ----------
    saved
        The run.
    book
        Its marks; those of its folder if not given.

    Attributes
    ----------
    shown
        The verdicts of the run.
    fair
        The verdicts that are audited. No label of an item has a part in its own: those of the table
        `crossfit` if the run has one, otherwise those shown.
    judged
        The items that can be audited. Without `crossfit`, items of known truth show that truth, so
        that an audit of them would say nothing about the others; (n_items,).
    """

    def __init__(self, saved: SavedRun, book: MarkBook | None = None) -> None:
        self.saved, self.claims = saved, saved.claims
        self.book = MarkBook(saved.folder) if book is None else book
        self.matrix: ClaimMatrix = saved.claims.matrix
        self.shown = Verdicts.of(self.matrix, saved.truths.to_arrow())
        crossfit = saved.crossfit
        self.fair = (
            self.shown if crossfit is None else Verdicts.of(self.matrix, crossfit.to_arrow())
        )
        self._known = self._known_values()
        self.judged: Mask = np.ones(self.matrix.n_items, np.bool_)
        if crossfit is None:
            self.judged[list(self._known)] = False
        self._orders: dict[int, Indices] = {}
        self._places: dict[Labels, int] = {}
        self._entities = LabelLookup(self.matrix.entities)
        self._attributes = LabelLookup(self.matrix.attributes)

    def labels(self, item: int) -> Labels:
        """Return entity and attribute of an item."""
        matrix = self.matrix
        entity, attribute = int(matrix.entity_index[item]), int(matrix.attribute_index[item])
        return self._entities[entity], self._attributes[attribute]

    # Drawing

    def draw(self, size: int = DEFAULT_SIZE, seed: int | None = None) -> AuditState:
        """Draw the first `size` items of the random order; what is drawn already stays so.

        The seed is 0, or that of the earlier draw, if not given.
        """
        if size < 1:
            raise InvalidParameter(f"size must be 1 or more. Got {size!r} instead.")
        before = self.book.draw()
        seed = (before.seed or 0) if seed is None else seed
        check_seed(seed, before)
        first = [self.labels(item) for item in self.order(seed)[:size].tolist()]
        if any(item not in before.numbers for item in first):
            self.book.extend_draw(seed, first)
        return self.state()

    def draw_open(self, count: int, seed: int | None = None) -> list[Drawn]:
        """Return the next open items of the audit, and draw more if there are too few."""
        now = self._progress()
        order = self.order(now.draw.seed or seed or 0)
        is_done = now.answers.is_marked | now.answers.skipped
        ends = np.flatnonzero(~is_done[order])[:count]
        if len(ends):
            self.draw(max(int(ends[-1]) + 1, 1), seed)
        return self.open_items()[:count]

    def order(self, seed: int) -> Indices:
        """Return the items that can be audited in the random order of a seed."""
        if seed not in self._orders:
            items = np.flatnonzero(self.judged)
            order = np.argsort(item_hash(self.matrix, items, seed), kind="stable")
            self._orders[seed] = items[order]
        return self._orders[seed]

    # How far it is

    def answers(self) -> Answers:
        """Return what people said so far."""
        matrix = self.matrix
        marks = self.book.read()
        skips = list(self.book.skipped())
        values = dict(self._known)
        for item in self._find(list(self.book.ever_marked())).tolist():
            values.pop(item, None)  # what the run was given by a mark goes with the mark
        found = self._find([(mark.entity, mark.attribute) for mark in marks])
        for item, mark in zip(found.tolist(), marks, strict=True):
            if item >= 0:
                values[item] = mark.values
        places = self._find(skips)
        skipped = np.zeros(matrix.n_items, np.bool_)
        skipped[places[places >= 0]] = True
        skipped[list(values)] = False  # since skipped, the truth was given to the run
        return Answers(values, skipped)

    def state(self) -> AuditState:
        """Return how far the audit is."""
        now = self._progress()
        answers, drawn = now.answers, np.flatnonzero(now.number > 0)
        marked = drawn[answers.is_marked[drawn]]
        is_drawn = now.number[now.order] > 0
        last = int(np.flatnonzero(is_drawn).max(initial=-1))
        open_items = self._open(now, 1)
        return AuditState(
            now.draw.seed,
            int(self.judged.sum()),
            len(drawn),
            len(marked),
            int(answers.skipped[drawn].sum()),
            int(self.wrong(answers, marked).sum()),
            len(now.counted),
            int((~is_drawn[: last + 1]).sum()),
            open_items[0] if open_items else None,
        )

    def open_items(self) -> list[Drawn]:
        """Return the drawn items that are neither marked nor skipped, in the order of the audit."""
        return self._open(self._progress())

    def is_drawn(self, items: list[Labels]) -> list[bool]:
        """Say which items belong to the draw."""
        numbers = self.book.draw().numbers
        return [item in numbers for item in items]

    def last_answered(self) -> Labels | None:
        """Return the drawn item that was marked or skipped last, None if none was."""
        numbers = self.book.draw().numbers
        when = {(mark.entity, mark.attribute): mark.updated for mark in self.book.read()}
        when |= self.book.skipped()
        done = [item for item in when if item in numbers]
        return max(done, key=lambda item: (when[item], numbers[item]), default=None)

    def _find(self, labels: list[Labels]) -> Indices:
        """Return the items of labels, -1 for those that the run has not; looked up only once."""
        unseen = [pair for pair in labels if pair not in self._places]
        found = find_items(self.matrix, unseen).tolist()
        self._places.update(zip(unseen, found, strict=True))
        return np.array([self._places[pair] for pair in labels], np.int64)

    def _open(self, now: _Progress, limit: int | None = None) -> list[Drawn]:
        waiting = now.order[(now.number[now.order] > 0) & ~now.is_done[now.order]][:limit]
        return [Drawn(int(now.number[item]), item, *self.labels(item)) for item in waiting.tolist()]

    def _progress(self) -> _Progress:
        draw = self.book.draw()
        number = np.zeros(self.matrix.n_items, np.int64)
        found = self._find(list(draw.numbers))
        numbers = np.fromiter(draw.numbers.values(), np.int64, len(found))
        number[found[found >= 0]] = numbers[found >= 0]
        number[~self.judged] = 0
        return _Progress(self.answers(), draw, self.order(draw.seed or 0), number)

    # What it carries

    @cached_property
    def ranking(self) -> Indices:
        """The items that can be audited, the most plausible verdict first."""
        items = np.flatnonzero(self.judged)
        ties = item_hash(self.matrix, items, TIES)
        return items[np.lexsort((ties, -self.fair.plausibility[items]))]

    def wrong(self, answers: Answers, items: Indices) -> Mask:
        """Say which of some marked items have another verdict than their mark."""
        found = [
            not same_answer(self.claims, item, self.fair.values(item), answers.values[item])
            for item in items.tolist()
        ]
        return np.array(found, np.bool_)

    @cached_property
    def kept(self) -> Mask:
        """The items that are shown with the verdict that is audited; (n_items,)."""
        return self.shown.is_same(self.fair)

    def guarantee(self, limit: Limit) -> Guarantee:
        """Return how many verdicts are guaranteed; a skipped one counts as wrong."""
        return self._guarantee(self._progress(), limit)

    def growth(self, limit: Limit, n_points: int = 10) -> list[Guarantee]:
        """Return what the first audits alone would have guaranteed, at a few sizes up to now."""
        now = self._progress()
        n_counted = len(now.counted)
        sizes = np.unique(np.ceil(np.linspace(0, n_counted, n_points + 1)[1:]).astype(np.int64))
        return [self._guarantee(now, limit, size) for size in sizes.tolist() if size]

    def _guarantee(self, now: _Progress, limit: Limit, size: int | None = None) -> Guarantee:
        """Return what the audits that count, or the first of them, guarantee."""
        counted = now.counted[:size]
        audited, wrong = (np.zeros(self.matrix.n_items, np.bool_) for _ in range(2))
        audited[counted] = True
        wrong[counted] = now.answers.skipped[counted]
        marked = counted[now.answers.is_marked[counted]]
        wrong[marked] = self.wrong(now.answers, marked)
        rank = self.ranking
        return certify(audited[rank], wrong[rank], limit, self.kept[rank])

    def _known_values(self) -> dict[int, tuple[str, ...]]:
        """Return the truth that was given to the run as certain, by item."""
        truth = self.saved.known_truth
        if truth is None:
            return {}
        given = truth.certain(self.matrix.attributes.to_pylist())
        found: dict[int, tuple[str, ...]] = {}
        values = given["value"].to_pylist()
        for item, value in zip(items_of(self.matrix, given).tolist(), values, strict=True):
            if item >= 0:
                found[item] = (*found.get(item, ()), value)
        return found


def find_items(matrix: ClaimMatrix, labels: list[Labels]) -> Indices:
    """Return the item of each pair of labels, -1 where the run has none."""
    if not labels:
        return np.empty(0, np.int64)
    names = ("entity", "attribute")
    columns = {
        name: pa.chunked_array([pa.array([pair[place] for pair in labels], pa.string())])
        for place, name in enumerate(names)
    }
    return np.asarray(items_of(matrix, pa.table(columns)), np.int64)


def item_hash(matrix: ClaimMatrix, items: npt.NDArray[np.integer], seed: int) -> Hashes:
    """Hash the labels of items with a seed; the same on every machine."""
    entity = hash_at(matrix.entities, matrix.entity_index[items], seed)
    attribute = hash_at(matrix.attributes, matrix.attribute_index[items], seed + 1)
    return mix(entity ^ mix(attribute + np.uint64(1)))
