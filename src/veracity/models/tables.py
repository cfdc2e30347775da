"""From the judgement of a model to its tables: truths, statements and sources.

What a model learned is sent to the blocks of claims, each of which is judged by itself. Claims in
memory are one block, and their tables are plain ones; those of several blocks are made block by
block, when somebody asks for them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import get_annotations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.output.gate import check_plausibility
from veracity.data.output.results import (
    Estimates,
    SourceRates,
    Verdict,
    decide,
    n_agreeing,
    rated_sources,
    redecide,
    shown_verdict,
    statements_table,
    truths_table,
)
from veracity.data.output.tables import Table
from veracity.data.truth.known import TRUE, UNKNOWN, KnownTruth
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.assessors import with_assessments

if TYPE_CHECKING:
    from veracity.models.base import Judgement, TruthModel


Model = TypeVar("Model", bound="TruthModel")


class FitResults:
    """Result tables of a fit. A model does not need them to judge other claims."""

    claims_: Any
    truths_: Table
    statements_: Table
    sources_: Table
    crossfit_: Table | None
    sources_by_attribute_: Table | None
    confusions_: Table | None
    tables_: dict[str, Table]
    plausibility_: Floats
    #: What `sources_` and `confusions_` are made of, until somebody asks for them.
    _unseen: Any = None
    _stream: Any = None
    #: Returns the results of the run that the model was loaded from, by name.
    _saved: Any = None
    #: What the fit was given besides claims, if rules or assessors were among it.
    _given: Any = None
    _known_truth: Any = None
    #: While a fit is being reported: its contests of values, if there are other attributes, too.
    _contests: Any = None
    #: Likewise, the claims about the attributes of each other form.
    _form_claims: Any = MappingProxyType({})


def bare(model: Model) -> Model:
    """Return a copy of a model without the results of its fit."""
    needed = copy.copy(model)
    for name in get_annotations(FitResults):
        vars(needed).pop(name, None)
    return needed


def sent(model: Model, blocks: Blocks[Any]) -> Model:
    """Return a model as it is sent to blocks: itself if there is one in memory, else bare."""
    return bare(model) if blocks.only is None else model


# Judging blocks


@dataclass(frozen=True, eq=False)
class Judged:
    """A block, and the judgement of a model on it."""

    block: ClaimBlock
    plausibility: Floats
    verdict: Verdict
    estimates: Estimates | None = None
    hardness: Floats | None = None
    columns: Mapping[str, pa.Array] = field(default_factory=dict)

    @classmethod
    def of(
        cls, block: ClaimBlock, found: Judgement, random_state: int, statements_alone: bool
    ) -> Judged:
        """Decide by what a model found, by what is known, and by what assessors say."""
        known, score = block.known, found.score
        check_plausibility(block.matrix, found.plausibility)
        plausibility = as_known(found.plausibility, known)
        score = None if score is None else as_known(score, known, -np.inf, np.inf)
        verdict = decide(block.matrix, plausibility, random_state, score, found.estimates)
        if block.assessed is not None:
            plausibility, again = with_assessments(
                block.matrix, plausibility, block.assessed, known, statements_alone
            )
            check_plausibility(block.matrix, plausibility)
            verdict = redecide(block.matrix, verdict, plausibility, again, random_state)
        return cls(block, plausibility, verdict, found.estimates, found.hardness, found.columns)

    @property
    def belief(self) -> Floats:
        """How plausible each verdict is."""
        return self.verdict.belief(self.plausibility)

    @property
    def shown(self) -> Verdict:
        """The verdict without what is known to be false, since the truth is not claimed."""
        return shown_verdict(self.block.matrix, self.verdict, self.block.known)


def judge_blocks(
    model: TruthModel, claims: ClaimsInBlocks, found: Judgement | None = None
) -> Blocks[Judged]:
    """Judge every block by what was learned; `found` is what is known already of the only one."""
    return claims.blocks.prepare(_judge, sent(model, claims.blocks), found)


def _judge(block: ClaimBlock, model: TruthModel, found: Judgement | None) -> Judged:
    found = found or model._to_judge()._judge_block(block)
    return Judged.of(block, found, model.random_state, model.judges_statements)


def as_known(
    of_statement: Floats, known: KnownTruth | None, false: float = 0.0, true: float = 1.0
) -> Floats:
    """Set the number of each statement whose truth is known."""
    if known is None:
        return of_statement
    given = np.where(known.statement == TRUE, true, false)
    return np.where(known.statement == UNKNOWN, of_statement, given)


# Tables


def truths(
    judged: Blocks[Judged], error_rate: float, least: float, silent: pa.Table | None = None
) -> Table:
    """Return the value to believe for each item.

    Parameters
    ----------
    judged
        The claims, judged.
    error_rate
        The share of errors among accepted verdicts to aim at.
    least
        The plausibility from which on they are accepted; see `least_accepted`.
    silent
        Given truth of items that no block is about.
    """
    if judged.only is not None:
        return Table("truths", _truths_of(judged.only, error_rate, least))
    return TableInBlocks("truths", judged, _truths_of, error_rate, least, rest=silent)


def statements(judged: Blocks[Judged]) -> Table:
    """Return every statement with its plausibility; the table is made when somebody asks."""
    if judged.only is not None:
        return MadeLater("statements", _statements_of, judged.only)
    return TableInBlocks("statements", judged, _statements_of)


def crossfit(model: TruthModel, claims: ClaimsInBlocks) -> Table | None:
    """Return the verdicts that do not rest on the labels of their items; None without labels.

    They are made when somebody asks for them.
    """
    if not model.has_labels:
        return None
    return TableInBlocks("crossfit", claims.blocks, _crossfit_of, sent(model, claims.blocks))


def count_by_source(judged: Blocks[Judged], n_sources: int) -> dict[str, Any]:
    """Count each source's claims, and how many of them agree with the believed values."""
    sums = judged.total(_count_by_source, n_sources)
    return {name: counts.everywhere() for name, counts in sums.items()}


def sources(labels: pa.StringArray, counts: dict[str, Any], rates: SourceRates) -> Table:
    """Return every source with its counts and rates."""
    return rated_sources(labels, counts["n_claims"], rates, counts["agreeing"])


def _truths_of(judged: Judged, error_rate: float, least: float) -> pa.Table:
    block = judged.block
    return truths_table(
        block.matrix,
        judged.plausibility,
        judged.verdict,
        judged.estimates,
        block.known,
        error_rate,
        least,
        judged.hardness,
        judged.columns,
    ).to_arrow()


def _crossfit_of(block: ClaimBlock, model: TruthModel) -> pa.Table:
    found = model._judge_crossfitted(block)
    assert found is not None
    bare_block = replace(block, known=None, assessed=None)
    judged = Judged.of(bare_block, found, model.random_state, model.judges_statements)
    verdicts = truths_table(block.matrix, judged.plausibility, judged.verdict)
    return verdicts.to_arrow().select(["entity", "attribute", "value", "plausibility"])


def _statements_of(judged: Judged) -> pa.Table:
    return statements_table(judged.block.matrix, judged.plausibility).to_arrow()


def _count_by_source(judged: Judged, n_sources: int) -> Sums:
    matrix, place = judged.block.matrix, judged.block.place
    n_claims = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    agreeing = n_agreeing(matrix, judged.verdict)
    return {
        "n_claims": Scattered(place, n_claims, n_sources),
        "agreeing": Scattered(place, agreeing, n_sources),
    }


class MadeLater(Table):
    """A table that is made when somebody asks for it."""

    def __init__(self, name: str, make: Callable[..., pa.Table], *arguments: Any) -> None:
        self.name = name
        self._make, self._arguments = make, arguments

    @cached_property
    def _table(self) -> pa.Table:
        made = self._make(*self._arguments)
        self._arguments = ()  # as large as the claims
        return made


class TableInBlocks(Table):
    """A table that is made block by block, and as a whole only if somebody asks for all of it."""

    def __init__(
        self,
        name: str,
        judged: Blocks[Any],
        make: Callable[..., pa.Table],
        *shared: Any,
        rest: pa.Table | None = None,
    ) -> None:
        """Let `make` make the part of each block; `rest` are rows of no block, which come last."""
        self.name = name
        self._judged, self._make, self._shared = judged, make, shared
        self._rest = [] if rest is None or not rest.num_rows else [rest]

    def parts(self) -> Iterator[pa.Table]:
        """Return the table block by block."""
        return _with_rest(self._judged.results(self._make, *self._shared), self._rest)

    def parts_by(self, function: Callable[[pa.Table], pa.Table]) -> Iterator[pa.Table]:
        """Apply a function to the part of each block, where the block is."""
        of_blocks = self._judged.results(_part_by, function, self._make, self._shared)
        return _with_rest(of_blocks, map(function, self._rest))

    def to_spark(self, session: Any = None) -> Any:
        """Return the table as a Spark DataFrame; one that is made of blocks there stays there."""
        if hasattr(self._judged, "frame"):
            frame = self._judged.frame(self._make, *self._shared)
            for rest in self._rest:
                made = frame.sparkSession.createDataFrame(rest)
                frame = frame.unionByName(made, allowMissingColumns=True)
            return frame
        return super().to_spark(session)

    @cached_property
    def _table(self) -> pa.Table:
        return pa.concat_tables(self.parts())


def _with_rest(parts: Iterator[pa.Table], rest: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Return parts, then the rest; of columns that only the parts have, it has no values."""
    schema = None
    for part in parts:
        schema = part.schema
        yield part
    for table in rest:
        if schema is None:
            yield table
            continue
        columns = {
            column.name: table[column.name]
            if column.name in table.column_names
            else pa.nulls(len(table), column.type)
            for column in schema
        }
        yield pa.table(columns, schema=schema)


def _part_by(
    judged: Judged,
    function: Callable[[pa.Table], pa.Table],
    make: Callable[..., pa.Table],
    shared: tuple[Any, ...],
) -> pa.Table:
    return function(make(judged, *shared))
