"""Filling cells: which are missing, in which process each is worked out, and what came of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from veracity.data.read.scratch import Scratch
from veracity.errors import InvalidParameter, VeracityError
from veracity.models import MODELS, model_name
from veracity.scoreboard import peers
from veracity.scoreboard.cells import Cell
from veracity.scoreboard.journal import Journal
from veracity.scoreboard.processes import Job, Workers
from veracity.scoreboard.sets import EvaluationSet, Facts

#: Of the library; cells of another version are not taken up again.
VERSION = version("veracity")
#: Called with the number of finished cells, of all cells, and what was finished last.
Progress = Callable[[int, int, str], None]
#: Called with a finished cell and, item by item, whether it is right.
Listener = Callable[[Cell, list[int]], None]
#: Stands for all models of the library.
ALL = "all"
FIGURES = (
    *("accuracy", "precision", "recall", "f1", "log_loss", "brier", "ece"),
    *("absolute_error", "against_best_source", "coverage"),
    *("seconds", "peak_mb", "wall_seconds", "error"),
)


@dataclass(frozen=True)
class Plan:
    """The models, data sets and seeds to run.

    Parameters
    ----------
    models
        Names of models, None or ``all`` for every one of the library, and ``default``.
    seeds
        How many seeds, from 0, or which.
    with_peers
        Whether crowd-kit's methods are run as well.
    jobs
        How many processes work at the same time.
    time_limit
        Seconds by the clock that a fit may take.
    """

    models: Sequence[str] | None = None
    seeds: int | Sequence[int] = 5
    with_peers: bool = False
    jobs: int = 1
    time_limit: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.seeds, int) and self.seeds < 1:
            raise InvalidParameter(f"seeds must be at least 1. Got {self.seeds} instead.")
        if not self.seed_list or min(self.seed_list) < 0:
            raise InvalidParameter(f"seeds must be whole numbers from 0. Got {self.seeds} instead.")
        if self.jobs < 1:
            raise InvalidParameter(f"jobs must be at least 1. Got {self.jobs} instead.")
        if self.time_limit is not None and not self.time_limit > 0:
            raise InvalidParameter(
                f"time_limit must be more than 0 seconds. Got {self.time_limit:g} instead."
            )
        for name in self.models or ():
            if name != ALL:
                model_name(name)  # refuses unknown names
        if self.with_peers:
            peers.check_installed()

    @property
    def seed_list(self) -> list[int]:
        """The seeds, each once."""
        seeds = range(self.seeds) if isinstance(self.seeds, int) else self.seeds
        return list(dict.fromkeys(seeds))

    @property
    def model_names(self) -> list[str]:
        """The models, each once, with those of crowd-kit at the end."""
        asked: list[str] = []
        for name in self.models or (ALL,):
            asked += MODELS if name == ALL else [name]
        return list(dict.fromkeys([*asked, *(peers.PEERS if self.with_peers else ())]))


def fill(
    sets: Sequence[EvaluationSet],
    plan: Plan,
    journal: Journal,
    progress: Progress = lambda done, total, last: None,
    listener: Listener = lambda cell, right: None,
) -> list[Cell]:
    """Fill the cells of a plan that the journal does not hold yet, and return all of them."""
    with Scratch() as scratch:
        return _Filling(sets, plan, journal, scratch, progress, listener).run()


class _Prepared:
    """A data set, read when the first worker needs it."""

    def __init__(self, data: EvaluationSet, path: Path) -> None:
        self.set = data
        self.path = path
        self._lock = threading.Lock()
        self._facts: Facts | Exception | None = None

    def facts(self) -> Facts:
        with self._lock:
            if self._facts is None:
                try:
                    self._facts = self.set.prepare(self.path)
                except Exception as error:
                    self._facts = error
        if isinstance(self._facts, Exception):
            raise self._facts
        return self._facts


class _Filling:
    def __init__(
        self,
        sets: Sequence[EvaluationSet],
        plan: Plan,
        journal: Journal,
        scratch: Path,
        progress: Progress,
        listener: Listener,
    ) -> None:
        self._plan = plan
        self._journal = journal
        self._progress = progress
        self._listener = listener
        self._prepared = [
            _Prepared(data, scratch / f"{place}.pickle") for place, data in enumerate(sets)
        ]
        self._keys = [
            (data.name, model, seed)
            for data in sets
            for model in plan.model_names
            for seed in plan.seed_list
        ]
        self._workers = Workers(plan.jobs)
        self._lock = threading.Lock()
        self._done = 0

    def run(self) -> list[Cell]:
        fingerprints = {ready.set.name: ready.set.fingerprint for ready in self._prepared}
        self._journal.keep(fingerprints, VERSION)
        tasks = [
            (ready, model, seeds)
            for ready in self._prepared
            for model in self._plan.model_names
            if (seeds := self._missing(ready.set, model))
        ]
        self._done = len(self._keys) - sum(len(seeds) for *_, seeds in tasks)
        self._progress(self._done, len(self._keys), "")
        self._journal.write()
        pool = ThreadPoolExecutor(self._plan.jobs)
        try:
            for future in as_completed([pool.submit(self._fill, *task) for task in tasks]):
                future.result()
        finally:
            self._workers.close()
            pool.shutdown(cancel_futures=True)
        return self._journal.chosen(self._keys)

    def _missing(self, data: EvaluationSet, model: str) -> list[int]:
        limit = self._plan.time_limit
        found = {seed: self._journal.get((data.name, model, seed)) for seed in self._plan.seed_list}
        return [
            seed
            for seed, cell in found.items()
            if cell is None or not cell.holds(data.fingerprint, VERSION, limit)
        ]

    def _fill(self, ready: _Prepared, model: str, seeds: list[int]) -> None:
        try:
            facts = ready.facts()
        except Exception as error:
            result = {"event": "refused", "error": str(error)}
            if not isinstance(error, VeracityError):
                result = {"event": "failed", "error": f"{type(error).__name__}: {error}"}
            for seed in seeds:
                self._take(ready.set, None, model, {**result, "seed": seed})
            return
        job = Job(model, ready.path, seeds, self._plan.time_limit)
        for result in self._workers.run(job):
            self._take(ready.set, facts, model, result)

    def _take(
        self, data: EvaluationSet, facts: Facts | None, model: str, result: dict[str, Any]
    ) -> None:
        cell = Cell(
            dataset=data.name,
            model=model,
            seed=result["seed"],
            outcome=result["event"],
            time_limit=self._plan.time_limit,
            fingerprint=data.fingerprint,
            version=VERSION,
            **{name: result.get(name) for name in FIGURES},
            **({} if facts is None else asdict(facts)),
        )
        with self._lock:
            self._journal.add([cell])
            self._listener(cell, result.get("right", []))
            self._done += 1
            self._progress(self._done, len(self._keys), f"{data.name}: {model}")
