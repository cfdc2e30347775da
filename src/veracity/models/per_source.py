"""SourceLearner and SourceModel: bases of models that learn a few numbers per source."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.labels.arrays import arrays_to_labels, labels_to_arrays, places_among
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.tables import Table
from veracity.data.truth.known import KnownTruth
from veracity.engines.checkpoints import Arrays, Stage, next_stage
from veracity.engines.progress import report
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement, TruthModel
from veracity.models.views.one_true_value import Clamp, Questions
from veracity.models.whole_table import WholeTable


@dataclass(frozen=True, eq=False)
class Learned:
    """Learned parameters: per source, for unseen sources, and shared.

    Attributes
    ----------
    of_source
        Numbers of each source, by name; (n_sources,).
    unseen
        The same numbers for a source that was not seen in the fit.
    shared
        What belongs to no source, by name.
    """

    of_source: dict[str, Floats]
    unseen: dict[str, float]
    shared: dict[str, Floats] = field(default_factory=dict)

    @classmethod
    def with_average(cls, shared: dict[str, Floats] | None = None, **of_source: Floats) -> Learned:
        """Give a source that was not seen the average of the others."""
        unseen = {name: float(np.mean(numbers)) for name, numbers in of_source.items()}
        return cls(of_source, unseen, shared or {})

    def at(self, place: npt.NDArray[np.int64]) -> Learned:
        """Return the numbers of other sources by their place among ours, -1 for unseen ones."""
        found = {
            name: np.where(place >= 0, numbers[place], self.unseen[name])
            for name, numbers in self.of_source.items()
        }
        return Learned(found, self.unseen, self.shared)


class Resuming(NamedTuple):
    """How to resume a fit: get its state, and set it again."""

    state: Callable[[], dict[str, Floats]]
    go_on: Callable[[dict[str, Floats]], None]


class SourceLearner(TruthModel):
    """Base of models that learn some numbers for each source, however they see the claims.

    Attributes
    ----------
    source_parameters_
        The numbers of each source.
    n_iter_, converged_
        Iterations done, and whether the fit came to its end.
    """

    max_iter: int  # of those that call `_iterate`
    tol: float | None

    learned_: Learned
    n_iter_: int
    converged_: bool

    # What it gets

    def _places(self, matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
        """Return the place of each source of a matrix among those of the fit, -1 if it has none."""
        return places_among(matrix.sources, self._source_labels)

    def _iterate(
        self, step: Callable[[], dict[str, float]], resuming: Resuming | None = None
    ) -> None:
        """Call step until the ``change`` that it returns is at most `tol`; keep what it returns.

        Without a tolerance, `max_iter` steps are done. A model that can go on from what it has
        learned so far says how: its state is then kept in checkpoints.
        """
        stage = Stage() if resuming is None else next_stage()
        kept = stage.kept()
        if kept is not None and resuming is not None:
            self.history_[:] = kept.plain["history"]
            resuming.go_on(kept.arrays)

        def state() -> tuple[dict[str, Any], Arrays]:
            return {"history": self.history_}, {} if resuming is None else resuming.state()

        while len(self.history_) < self.max_iter and not self._settled():
            record = step()
            self.history_.append({"iteration": float(len(self.history_) + 1), **record})
            report(self.history_[-1])
            stage.keep(state)
        self.n_iter_ = len(self.history_)
        self.converged_ = self.tol is None or self._settled()
        stage.keep(state, ended=True)
        if not self.converged_:
            last = self.history_[-1]["change"]
            self._note_unfinished(self.n_iter_, f"the last change was {last:.2g}")

    def _settled(self) -> bool:
        """Whether the last step changed no more than the tolerance."""
        if self.tol is None or not self.history_:
            return False
        return self.history_[-1]["change"] <= self.tol

    # What a user calls

    @property
    def source_parameters_(self) -> Table:
        """The numbers that were learned for each source."""
        self._check_fitted("source_parameters_")
        columns = {name: to_arrow(numbers) for name, numbers in self.learned_.of_source.items()}
        return Table("source parameters", pa.table({"source": self._source_labels, **columns}))

    # Keeping it

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        text, offsets = labels_to_arrays(self._source_labels)
        learned = self.learned_
        arrays: dict[str, npt.NDArray[Any]] = {"sources": text, "source_starts": offsets}
        arrays |= {f"source.{name}": numbers for name, numbers in learned.of_source.items()}
        arrays |= {f"shared.{name}": numbers for name, numbers in learned.shared.items()}
        return {
            "unseen": learned.unseen,
            "n_iter": self.n_iter_,
            "converged": self.converged_,
            "history": self.history_,
        }, arrays

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        super()._restore(state, arrays, module)
        parts: dict[str, dict[str, Floats]] = {"source": {}, "shared": {}}
        for name, numbers in arrays.items():
            part, dot, own_name = name.partition(".")
            if dot:
                parts[part][own_name] = numbers
        self.learned_ = Learned(parts["source"], state["unseen"], parts["shared"])
        self._source_labels = arrays_to_labels(arrays["sources"], arrays["source_starts"])
        self.n_iter_, self.converged_ = int(state["n_iter"]), bool(state["converged"])
        self.history_ = state["history"]


class SourceModel(WholeTable, SourceLearner):
    """Base of models that see claims as votes on `Questions`, and judge them by their sources.

    A source that was not seen in the fit gets the average of the others, unless the model says
    otherwise.
    """

    # What a model has to say

    @abstractmethod
    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        """Learn the numbers of each source; beliefs of answers are kept at what is known."""

    @abstractmethod
    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        """Return the plausibility of each answer; (n_answers,)."""

    # What it gets

    def _fit_table(self, claims: Claims, known: KnownTruth | None) -> Judgement | None:
        check_iterations(self.max_iter, self.tol)
        questions = self._questions(claims.matrix)
        self.learned_ = self._learn(questions, Clamp.of(questions, known))
        self._source_labels = claims.matrix.sources
        return self._judgement(questions, self.learned_)

    def _judge(self, claims: Claims) -> Judgement:
        learned = self.learned_.at(self._places(claims.matrix))
        return self._judgement(self._questions(claims.matrix), learned)

    def _questions(self, matrix: ClaimMatrix) -> Questions:
        """Read claims as votes."""
        return Questions.of(matrix)

    def _judgement(self, questions: Questions, learned: Learned) -> Judgement:
        belief = self._believe(questions, learned)
        return Judgement(np.clip(belief[questions.answer_of_statement], 0.0, 1.0))


def check_iterations(max_iter: int, tol: float | None) -> None:
    """Refuse a number of iterations or a tolerance that makes no sense."""
    if max_iter < 1:
        raise InvalidParameter(f"max_iter must be 1 or more. Got {max_iter!r} instead.")
    if tol is not None and not tol >= 0:
        raise InvalidParameter(f"tol must be None, or 0 or more. Got {tol!r} instead.")


def largest_change(new: Floats, old: Floats) -> float:
    """Return the largest difference between two arrays."""
    return float(np.max(np.abs(new - old), initial=0.0))
