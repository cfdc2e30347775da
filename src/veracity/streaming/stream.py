"""A stream of claims: a model, its memory, and the history that both go by."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import take_labels, to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.labels.arrays import places_among
from veracity.data.output.decisions import Decisions
from veracity.data.output.results import (
    rated_sources,
    silent_truths,
    statements_table,
    truths_table,
)
from veracity.data.output.tables import Table
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.spelling_notes import TO_KEEP
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.local import OneBlock, in_one_block
from veracity.engines.truth_check import check_truth
from veracity.errors import ConvergenceWarning, InvalidParameter
from veracity.models.labelled_claims import count_labelled
from veracity.models.labelled_sources import sources_by_attribute, with_labelled
from veracity.models.memory import Memory, Portion, Recorded, Verdicts
from veracity.models.tables import crossfit
from veracity.streaming.further_columns import with_further, without_further
from veracity.streaming.history import History
from veracity.streaming.outcome import StoredTable, Update, changes
from veracity.streaming.reader import StreamReader
from veracity.streaming.stream_labels import StreamLabels

if TYPE_CHECKING:
    from veracity.models.base import TruthModel


#: All is fitted anew when there are so many times as many claims as at the last whole fit.
GROWTH = 2.0
#: And at every update as long as there are no more claims than this, which costs little.
SMALL = 10_000


@dataclass(frozen=True, eq=False)
class _Touched:
    """Stored claims and verdicts of the items that new claims are about.

    `attributes` and `entities` name all of them; the rest is about those that are known.
    """

    attributes: list[str]
    entities: list[str]
    items: Indices
    claims: pa.Table
    recorded: Recorded
    truths: pa.Table


class Stream:
    """Lets a model learn from claims as they come in.

    Parameters
    ----------
    model, memory, history, reading
        What learns, what it keeps of claims, the claims themselves, and how they are read.
    sources
        All sources; the place of a source among them never changes between whole fits.
    n_fitted
        Claims in use at the last whole fit.
    labels
        Known truth, also of items that nobody speaks about yet.
    """

    def __init__(
        self,
        model: TruthModel,
        memory: Memory[Any],
        history: History,
        reading: StreamReader,
        sources: pa.StringArray,
        n_fitted: int,
        labels: StreamLabels,
    ) -> None:
        self.model, self.memory, self.history, self.reading = model, memory, history, reading
        self.sources, self.n_fitted, self.labels = sources, n_fitted, labels

    @classmethod
    def begin(
        cls,
        model: TruthModel,
        claims: Claims,
        history: History,
        reading: StreamReader,
        known_truth: GroundTruth | None = None,
    ) -> Stream:
        """Begin with a fitted model, the claims that it was fitted to, and its known truth."""
        model.check_stream_of_labels(known_truth)
        memory = model._new_memory()
        recorded = ("agrees", *memory.recorded)
        history.make(reading.roles, reading.features, recorded)
        labels = StreamLabels.of(known_truth, claims.matrix.attributes.to_pylist())
        stream = cls(model, memory, history, reading, claims.matrix.sources, 0, labels)
        stream._sum_up(claims)
        return stream

    @classmethod
    def after_fit(cls, model: TruthModel) -> Stream:
        """Begin with a fitted model that still holds its claims, in a history of its own."""
        claims = vars(model).get("claims_")
        if not isinstance(claims, Claims):
            raise InvalidParameter(
                "This model does not contain the claims it was fitted to, so it cannot continue "
                "from them. Fit it to claims in memory first; pickle keeps them, save does not. "
                "To continue a saved run, use `veracity update`."
            )
        if model._given is not None and model._given.rules is not None:
            raise InvalidParameter(
                "This model was fitted with rules, which streams do not support. Fit it to all "
                "claims, or without rules."
            )
        return cls.begin(model, claims, History(), StreamReader.of(claims), model._known_truth)

    def _sum_up(self, claims: Claims) -> None:
        """Store all claims and their judgement after a full fit."""
        self.n_fitted = claims.matrix.n_claims
        self._take_over(claims)

    def _take_over(self, claims: Claims) -> None:
        """Store all claims in use, as the model judges them now."""
        model, self.sources = self.model, claims.matrix.sources
        block = self._block(claims)
        now, recorded = self.memory.begin(model, block, model._judge(claims))
        history, items = self.history, _items(claims)
        history.items_of(items["attribute"].to_pylist(), items["entity"].to_pylist(), add=True)
        self._keep(None, claims, claims.in_use(), now, recorded)

    def _keep(
        self,
        items: Indices | None,
        claims: Claims,
        in_use: pa.Table,
        now: Verdicts,
        recorded: Recorded,
    ) -> None:
        matrix = claims.matrix
        order = np.argsort(matrix.row, kind="stable")
        results = {
            "truths": with_further(
                truths_table(
                    matrix,
                    now.plausibility,
                    now.verdict,
                    now.estimates,
                    now.block.known,
                    hardness=now.hardness,
                    further=now.columns,
                ).to_arrow()
            ),
            "statements": statements_table(matrix, now.plausibility).to_arrow(),
        }
        in_order = {name: numbers[order] for name, numbers in recorded.items()}
        self.history.replace(items, in_use, in_order, results)

    # Keeping it

    def keep(self) -> None:
        """Keep everything but the model in the history."""
        from safetensors.numpy import save

        # Not ascontiguousarray, which would make vectors of single numbers.
        arrays = {name: np.asarray(held, order="C") for name, held in self.memory.state().items()}
        self.history["memory"] = save(arrays)
        self.history["sources"] = self.sources.to_pylist()
        self.history["reading"] = self.reading.as_dict()
        self.history["n_fitted"] = self.n_fitted
        self.history["labels"] = self.labels.as_rows()

    @classmethod
    def resume(cls, model: TruthModel, history: History) -> Stream:
        """Restore the model and state saved by `keep`."""
        from safetensors.numpy import load

        memory = model._new_memory()
        memory.restore(load(history["memory"]))
        sources = pa.array(history["sources"], pa.string())
        reading = StreamReader.from_dict(history["reading"])
        labels = StreamLabels.of_rows(history.get("labels", []))
        return cls(model, memory, history, reading, sources, history["n_fitted"], labels)

    # Updates

    @contextmanager
    def change(self) -> Iterator[None]:
        """Change model, memory and history as a whole or not at all."""
        held = (self.model, self.memory, self.reading, self)
        before = [dict(vars(thing)) for thing in held]
        reading = self.reading.as_dict()
        try:
            with self.history.change():
                yield
        except BaseException:
            for thing, was in zip(held, before, strict=True):
                vars(thing).clear()
                vars(thing).update(was)
            canonical = self.reading.canonical
            self.reading = StreamReader.from_dict(reading)
            self.reading.canonical = canonical
            raise

    def learn(self, claims: Any, known_truth: Any, refit: bool = True, **options: Any) -> Update:
        """Learn from new claims and from new labels, whichever there are; see `update`."""
        found = Update() if claims is None else self.update(claims, refit, **options)
        if known_truth is not None:
            labelled = self.add_labels(GroundTruth.beside(known_truth, options, "known truth"))
            found = replace(
                found,
                n_labels=labelled.n_labels,
                changed=[*found.changed, *labelled.changed],
                notes=[*found.notes, *labelled.notes],
            )
        return found

    def update(self, claims: Any, refit: bool = True, **options: Any) -> Update:
        """Let the model learn from new claims; call it within `change`.

        Parameters
        ----------
        claims
            A table or its path, or `Claims`.
        refit
            Whether all may be fitted anew: where there are few claims, or twice as many as at the
            last whole fit.
        options
            How to read the claims; see `Claims.read`.
        """
        history, reading = self.history, self.reading
        new, notes, origin = reading.batch(claims, **options)
        found = Update(notes=notes, origin=origin)
        history["roles"] = reading.roles
        history.add_features(reading.features)
        touched = self._touched(new)
        if reading.duplicates != "all":
            kept = _not_known(new, touched.claims)
            found.n_known = new.num_rows - len(kept)
            if not len(kept):
                return found
            if found.n_known:
                new = new.take(to_arrow(kept))
                touched = self._touched(new)
        self._learn(new, touched, found, refit)
        return found

    def _touched(self, new: pa.Table) -> _Touched:
        """Look up what is known of the items that new claims are about."""
        pairs = new.select(["attribute", "entity"]).group_by(["attribute", "entity"]).aggregate([])
        labels = pairs["attribute"].to_pylist(), pairs["entity"].to_pylist()
        items = self.history.items_of(*labels)
        known = items[items >= 0]
        claims, recorded = self.history.claims_about(known)
        return _Touched(*labels, known, claims, recorded, self.history.truths_about(known))

    def _learn(self, new: pa.Table, touched: _Touched, found: Update, refit: bool) -> None:
        history, reading = self.history, self.reading
        old = touched.claims
        after = reading.some(pa.concat_tables([old.drop_columns(["claim"]), new]))
        before = self._portion(touched) if old.num_rows else None
        reading.settle(after)
        items = history.items_of(touched.attributes, touched.entities, add=True)
        place = places_among(after.matrix.sources, self.sources)
        unseen = take_labels(after.matrix.sources, np.flatnonzero(place < 0))
        found.n_claims, found.n_items = new.num_rows, len(items)
        found.n_new_items = len(items) - len(touched.items)
        found.n_new_sources = len(unseen)
        n_now = self._n_claims + after.matrix.n_claims - old.num_rows
        if refit and (n_now <= SMALL or n_now >= GROWTH * self.n_fitted):
            found.refitted = True
            self._fit_anew(new)
        else:
            self.sources = pa.concat_arrays([self.sources, unseen])
            labelled = self._labelled_claims(new)
            now, recorded = self.memory.update(
                self.model,
                self.sources,
                before,
                self._block(after),
                lambda: self._learn_labels(labelled),
            )
            found.notes += self.memory.notes(self.model)
            numbers = [old["claim"].combine_chunks(), pa.nulls(new.num_rows, pa.int64())]
            rows = to_arrow(np.sort(after.matrix.row))
            in_use = after.in_use().append_column("claim", pa.concat_arrays(numbers).take(rows))
            self._keep(items, after, in_use, now, recorded)
        found.changed = changes(touched.truths, history.truths_about(touched.items))

    @property
    def _n_claims(self) -> int:
        return int(self.memory.n_claims.sum())

    def _portion(self, touched: _Touched) -> Portion:
        """Return items as they were when they were last judged."""
        claims = self.reading.in_use(touched.claims.drop_columns(["claim"]))
        matrix = claims.matrix
        kept = self.history.plausibility_of(touched.items)
        values = take_labels(matrix.values, matrix.value_index)
        if kept["value"].combine_chunks().equals(values):
            plausibility = to_numpy(kept["plausibility"])
        else:  # numbers within a tolerance that fell together in another way
            plausibility = self.model._judge(claims).plausibility
        recorded = {name: numbers[matrix.row] for name, numbers in touched.recorded.items()}
        return Portion(_block(claims, self.sources), plausibility, recorded)

    def _fit_anew(self, new: pa.Table) -> None:
        """Fit to all claims, the new ones among them."""
        table = pa.concat_tables([*self.history.all_claims(), new])
        claims = self.reading.whole(table)
        self.reading.profiles, self.reading.values = {}, {}
        self.reading.settle(claims)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.model._fit_all(claims, self.labels.truth)
        self.memory = self.model._new_memory()
        self._sum_up(claims)

    # Labels

    def add_labels(self, known_truth: GroundTruth) -> Update:
        """Learn from further labels, and judge all claims again; call it within `change`.

        What was learned without labels stays as it is, so nothing is fitted to all claims.
        """
        self.model.check_stream_of_labels(known_truth)
        more = StreamLabels.of(known_truth, list(self.reading.profiles))
        claims = self.claims()
        notes = check_truth(known_truth, claims, TO_KEEP).notes
        found = Update(n_labels=len(more), notes=notes)
        self.labels = self.labels.with_more(more)
        before = pa.concat_tables(self.history.all_results("truths"))
        self._learn_labels(self._labelled_claims())
        self.memory = self.model._new_memory()
        self._take_over(claims)
        after = pa.concat_tables(self.history.all_results("truths"))
        found.changed = changes(before, after)
        found.notes += self.model._notes_on_labels()
        return found

    def _labelled_claims(self, new: pa.Table | None = None) -> Claims | None:
        """Return the claims about labelled items, new ones among them; None if there are none."""
        items = self.history.items_of(*self.labels.items)
        table, _ = self.history.claims_about(items[items >= 0])
        table = table.drop_columns(["claim"])
        if new is not None:
            table = pa.concat_tables([table, self.labels.about(new)])
            return self.reading.some(table) if table.num_rows else None
        return self.reading.in_use(table) if table.num_rows else None

    def _learn_labels(self, labelled: Claims | None) -> None:
        """Let the model learn from labels anew."""
        if labelled is not None:
            self.model._learn_labels(self._in_one_block(labelled))

    def _in_one_block(self, claims: Claims) -> ClaimsInBlocks:
        """Return claims of the stream as one block, with what is known about its items."""
        block = OneBlock(self._block(claims))
        return replace(in_one_block(claims), blocks=block, sources=self.sources)

    def _silent_truths(self) -> pa.Table:
        """Return rows of truths for labels about items that nobody speaks about."""
        table = self.labels.table
        names = table["attribute"].to_pylist(), table["entity"].to_pylist()
        is_silent = self.history.items_of(*names) < 0
        return silent_truths(table.filter(to_arrow(is_silent)))

    def _block(self, claims: Claims) -> ClaimBlock:
        """Return claims as a block, with what is known about its items."""
        return replace(_block(claims, self.sources), known=self.labels.of_claims(claims))

    # What came of it

    def truths(self) -> Table:
        """Return the value to believe for each item."""
        return StoredTable("truths", self.truth_parts)

    def truth_parts(self) -> Iterator[pa.Table]:
        """Return the truths part by part."""
        parts = list(self.history.all_results("truths"))
        plausibility = np.concatenate([to_numpy(part["plausibility"]) for part in parts])
        tie = np.array([cell for part in parts for cell in part["tie"].to_pylist()], np.bool_)
        words = Decisions.of(plausibility, tie, self.model.error_rate).word
        has_hardness = any(part["hardness"].null_count < part.num_rows for part in parts)
        first, shown, types = 0, None, self.model.further_columns
        for part in parts:
            own = words[first : first + part.num_rows]
            first += part.num_rows
            hardness = part["hardness"]
            part = part.drop_columns("hardness")
            part = part.append_column("decision", pa.array(own.tolist(), pa.string()))
            part = part.append_column("hardness", hardness) if has_hardness else part
            shown = without_further(part, types)
            yield shown
        silent = self._silent_truths()
        if silent.num_rows and shown is not None:
            yield pa.concat_tables([shown.slice(0, 0), silent], promote_options="default")

    def statements(self) -> Table:
        """Return every statement with its plausibility."""
        return StoredTable("statements", self.statement_parts)

    def statement_parts(self) -> Iterator[pa.Table]:
        """Return the statements part by part."""
        return self.history.all_results("statements")

    def source_tables(self) -> tuple[Table, Table | None]:
        """Return every source with its reliability, and how sources do on labels by attribute.

        The second table is None without labels.
        """
        memory, by_attribute = self.memory, None
        table = rated_sources(self.sources, memory.n_claims, memory.rates(), memory.agreeing)
        if self.model.has_forms:
            table = self.model._with_forms(table, in_one_block(self.claims()))
        labelled = self._labelled_claims()
        if labelled is not None:
            counts = count_labelled(self.model, self._in_one_block(labelled))
            names = [profile.name for profile in labelled.attributes]
            table = with_labelled(table, counts)
            by_attribute = sources_by_attribute(counts, self.sources, names)
        return Table("sources", table.to_arrow().sort_by("source")), by_attribute

    def tables_by_form(self) -> dict[str, Table]:
        """Return further results of attributes of some forms; reads the whole history."""
        if not self.model.has_forms:
            return {}
        return self.model._tables_by_form(in_one_block(self.claims()))

    def crossfit(self) -> Table | None:
        """Return verdicts that do not rest on the labels of their items; None without labels.

        They are made when somebody asks for them, since that takes all claims.
        """
        return StoredTable("crossfit", self._crossfit_parts) if self.model.has_labels else None

    def _crossfit_parts(self) -> Iterator[pa.Table]:
        found = crossfit(self.model, in_one_block(self.claims()))
        return iter(()) if found is None else found.parts()

    def claims(self) -> Claims:
        """Return all claims in use; reads the whole history."""
        return self.reading.in_use(pa.concat_tables(self.history.all_claims()))

    def plausibility(self) -> Floats:
        """Return the plausibility of each statement of `claims`, when last judged."""
        parts = self.history.all_results("statements")
        return np.concatenate([to_numpy(part["plausibility"]) for part in parts])


def _block(claims: Claims, sources: pa.StringArray) -> ClaimBlock:
    matrix = claims.matrix
    return ClaimBlock(claims, places_among(matrix.sources, sources), np.arange(len(claims)))


def _items(claims: Claims) -> pa.Table:
    matrix = claims.matrix
    return pa.table(
        {
            "attribute": take_labels(matrix.attributes, matrix.attribute_index),
            "entity": take_labels(matrix.entities, matrix.entity_index),
        }
    )


def _not_known(new: pa.Table, old: pa.Table) -> Indices:
    """Return the rows of new claims that are not among the old ones as they are."""
    names = new.column_names
    known = set(zip(*(old[name].to_pylist() for name in names), strict=True))
    rows = zip(*(new[name].to_pylist() for name in names), strict=True)
    return np.flatnonzero([row not in known for row in rows])
