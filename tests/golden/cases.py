"""The cases whose results are kept: which models, on which claims, held where; and running them."""

from __future__ import annotations

import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet
from tests.conftest import shared_data
from tests.engines.worlds import EXECUTORS, in_place, write_world
from tests.golden.record import Record, record_of

import veracity
from veracity import Attribute, Claims, GroundTruth, VeracityError
from veracity.datasets import example, synthetic
from veracity.models import MODELS, make_model

#: A case that takes longer is left out, and this is said instead of its result.
TIME_LIMIT = 20
NUMBERS = {"*": Attribute("single", values="number")}

#: Claims that need no folder of data sets.
SHIPPED = ("example", "drawn_closed", "drawn_mixed", "world")
NUMERIC = ("gdp_germany", "election_polls_margin")
SETS = (
    *SHIPPED,
    *NUMERIC,
    "rte",
    "dog",
    "css_stance",
    "bm_sentiment",
    "labelme_scenes",
    "slr_screening",
    "wrench_youtube",
    "target_detection",
    "nfl_pickem",
    "replication_beliefs",
    "llm_numersense",
    "judgebench",
    "birthplaces",
    "web_relevance",
    "book_lists",
    "book_authors",
    "population",
)
#: What `make test` checks, as far as the data are there.
QUICK = (*SHIPPED, "gdp_germany")

IN_BLOCKS = ("vote", "mle", "rbm", "grbm", "dawid-skene", "one-coin")
BLOCK_SETS = (
    "example",
    "world",
    "rte",
    "slr_screening",
    "wrench_youtube",
    "judgebench",
    "birthplaces",
    "book_lists",
    "book_authors",
    "population",
)
SPARK_SETS = ("world", "slr_screening")
#: A pass over a cluster takes its time, and rounding has not grown after a few.
FEW_PASSES = {"max_iter": 8}
STREAM_SETS = ("example", "world", "rte", "birthplaces", "book_lists", "population")
KNOWN_SETS = ("example", "drawn_mixed", "css_stance", "slr_screening", "birthplaces")
N_KNOWN = 30

GRBM_VARIANTS: dict[str, dict[str, Any]] = {
    "always": {"features": "always"},
    "never": {"features": "never"},
    "mlp": {"reliability": "mlp"},
    "mlp always": {"reliability": "mlp", "features": "always", "max_iter": 10},
    "adversaries": {"allow_adversaries": True},
    "silent": {"speaking": False},
    "class prior": {"class_prior": "uniform"},
    "seed 7": {"random_state": 7, "error_rate": 0.1},
}
GRBM_SETS = ("example", "world", "drawn_mixed", "rte", "css_stance", "judgebench", "book_lists")
PAPER_VARIANTS: dict[str, dict[str, Any]] = {
    "exact": {"objective": "exact"},
    "free": {"weights": "free"},
    "tied": {"tie_hidden_bias": True},
    "one statement": {"one_hot": False},
    "lbfgs": {"objective": "exact", "optimizer": "lbfgs", "penalty": 1.0},
}
BINARY_VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "cd": {"objective": "cd", "max_iter": 20},
    "mlp": {"reliability": "mlp", "max_iter": 10},
    "untied": {"tie_hidden_bias": False},
    "no source effects": {"source_effects": False},
    "pessimistic adam": {"optimizer": "adam", "penalty": 2.0, "anchor": 0.1, "max_iter": 10},
}
BINARY_SETS = ("example", "world", "rte", "book_authors", "birthplaces")


@dataclass(frozen=True)
class Case:
    """One result: a model with parameters, on a data set, held at a place.

    The places are ``memory``, ``known`` (in memory, with the truth of some items), ``stream``,
    ``blocks`` and ``spark``.
    """

    data: str
    place: str
    model: str
    variant: str = ""
    params: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """Return the name of the case within its data set."""
        return "/".join(part for part in (self.place, self.model, self.variant) if part)


def all_cases() -> list[Case]:
    """Return all cases, those of one data set and place side by side."""
    return [case for data in SETS for case in _cases_of(data)]


def _cases_of(data: str) -> Iterator[Case]:
    yield from (Case(data, "memory", name) for name in MODELS)
    if data in GRBM_SETS:
        for variant, params in GRBM_VARIANTS.items():
            yield Case(data, "memory", "grbm", variant, params)
    if data in BINARY_SETS:
        for variant, params in PAPER_VARIANTS.items():
            yield Case(data, "memory", "grbm-paper", variant, params)
        for variant, params in BINARY_VARIANTS.items():
            yield Case(data, "memory", "BinaryGRBM", variant, params)
    if data in KNOWN_SETS:
        yield from _known_cases(data)
    if data in STREAM_SETS:
        for name in ("grbm", "vote"):
            yield Case(data, "stream", name)
            yield Case(data, "stream", name, "no refit")
    if data in BLOCK_SETS:
        yield from (Case(data, "blocks", name) for name in IN_BLOCKS)
        yield Case(data, "blocks", "grbm", "always", {"features": "always", "max_iter": 10})
    if data in SPARK_SETS:
        for name in IN_BLOCKS:
            yield Case(data, "spark", name, "", {} if name == "vote" else FEW_PASSES)


def _known_cases(data: str) -> Iterator[Case]:
    for name in MODELS:
        if make_model(name).uses_known_truth:
            yield Case(data, "known", name)
    yield Case(data, "known", "grbm", "adversaries", {"allow_adversaries": True})
    yield Case(data, "known", "BinaryGRBM")


# Claims


def is_there(data: str) -> bool:
    """Whether the claims can be had."""
    folder = shared_data()
    return data in SHIPPED or (folder is not None and (folder / data).is_dir())


@lru_cache(maxsize=1)
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="veracity-golden-")


@lru_cache(maxsize=1)
def claims_file(data: str) -> Path:
    """Return the file of claims, written first if they are drawn."""
    if data == "example":
        return example.path()
    if data == "world":
        return write_world(Path(_scratch().name) / "world.parquet")
    folder = shared_data()
    assert folder is not None, "no data folder"
    return folder / data / "claims.csv.gz"


@lru_cache(maxsize=1)
def claims_in_memory(data: str) -> Claims:
    """Return claims side by side in memory."""
    if data.startswith("drawn"):
        return _drawn(data).claims
    return Claims.read(claims_file(data), attributes=NUMBERS if data in NUMERIC else {})


@lru_cache(maxsize=1)
def _drawn(data: str) -> synthetic.Synthetic:
    if data == "drawn_closed":
        spec = synthetic.AttributeSpec("colour", domain="closed", n_values=4, clustering=1.0)
        sources = synthetic.SourceSpec(adversaries=0.05, spammers=0.1, tail=0.5)
        return synthetic.draw(30, 200, [spec], sources=sources, difficulty=0.5, random_state=1)
    attributes = [
        synthetic.AttributeSpec("town"),
        synthetic.AttributeSpec("open", kind="boolean", domain="closed"),
        synthetic.AttributeSpec("author", kind="multiple"),
    ]
    sources = synthetic.SourceSpec(copiers=0.2, one_claim_share=0.1, denials=0.05)
    features = {
        "source_kind": synthetic.category("shop", "press", "guide"),
        "claim_sure": synthetic.uniform(),
        "entity_size": synthetic.normal(),
    }
    return synthetic.draw(25, 90, attributes, sources=sources, features=features, random_state=2)


@lru_cache(maxsize=1)
def claims_in_blocks(data: str, place: str) -> Any:
    """Return claims in about five blocks, here or on a cluster that is running."""
    size = max(len(claims_in_memory(data)) // 5, 1)
    return in_place(claims_file(data), place, size)


def known_truth(data: str) -> pa.Table:
    """Return the truth of some items: of rows that lie evenly apart, in the order of labels."""
    columns = ["entity", "attribute", "value"]
    truth = _truth(data).to_arrow().select(columns)
    truth = truth.sort_by([(column, "ascending") for column in columns])
    step = max(len(truth) // N_KNOWN, 1)
    return truth.take(list(range(0, len(truth), step)))


def _truth(data: str) -> GroundTruth:
    if data.startswith("drawn"):
        return _drawn(data).truth
    path = claims_file(data)
    return GroundTruth.read(path.with_name(path.name.replace("claims", "truth")))


def _read_text(path: Path) -> pa.Table:
    """Read a file whose columns are all strings."""
    with csv.open_csv(path) as reader:
        names = reader.schema.names
    types = dict.fromkeys(names, pa.string())
    return csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=types))


@lru_cache(maxsize=1)
def _batches(data: str) -> list[Path]:
    """Cut the claims into three files, along the order of the rows."""
    path = claims_file(data)
    table = parquet.read_table(path) if path.suffix == ".parquet" else _read_text(path)
    third = len(table) // 3
    files = [Path(_scratch().name) / f"{data}-{number}.parquet" for number in range(3)]
    for number, file in enumerate(files):
        size = third if number < 2 else len(table)
        parquet.write_table(table.slice(number * third, size), file)
    return files


# Running


def run(case: Case) -> Record:
    """Return the record of a case; why there is none if it fails or takes too long."""
    began = time.process_time()
    try:
        # A call to Spark must not be broken off: the connection would be of no use after that.
        with _quietly(), nullcontext() if case.place == "spark" else _at_most(3 * TIME_LIMIT):
            record = record_of(_fitted(case))
    except VeracityError as error:
        return {"error": type(error).__name__}
    except TimeoutError:
        return {"skipped": f"takes more than {TIME_LIMIT} s"}
    if time.process_time() - began > TIME_LIMIT:
        return {"skipped": f"takes more than {TIME_LIMIT} s"}
    return record


def _fitted(case: Case) -> Any:
    model = _made(case)
    if case.place == "stream":
        for number, batch in enumerate(_batches(case.data)):
            options = {"refit": False} if number and case.variant == "no refit" else {}
            model.partial_fit(Claims.read(batch), **options)
        return model
    if case.place == "blocks":
        return model.fit(claims_in_blocks(case.data, "blocks on disk"))
    if case.place == "spark":
        return model.fit(claims_in_blocks(case.data, EXECUTORS))
    known = known_truth(case.data) if case.place == "known" else None
    return model.fit(claims_in_memory(case.data), known_truth=known)


def _made(case: Case) -> Any:
    """Make the model, with one thread where it lets that be chosen: sums then have one order."""
    is_named = case.model in MODELS
    model: Any = make_model(case.model) if is_named else getattr(veracity, case.model)()
    threads = {"threads": 1} if "threads" in model.get_params() else {}
    return model.set_params(**threads, **case.params)


@contextmanager
def _quietly() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in work that takes longer; only the main thread can be stopped so."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
