"""FeatureBuilder: from claims to the distinct feature vectors that g sees."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.encode.grouping import distinct
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import plural
from veracity.data.read.frames import as_text
from veracity.errors import InvalidParameter, listing, suggestion
from veracity.features.codes import Coded, combine
from veracity.features.columns import (
    Category,
    Number,
    Scale,
    categories_of,
    is_category,
    numbers_of,
)
from veracity.features.counts import (
    CategoryCounts,
    ColumnCounts,
    NotCounted,
    NumberCounts,
)
from veracity.features.rows import FeatureRows
from veracity.features.screen import screen_column
from veracity.features.statistics import (
    CLAIM_STATISTICS,
    NAMES,
    STATEMENT_STATISTICS,
    TIME_STATISTICS,
)
from veracity.features.thresholds import MAX_BINS, MAX_DISTINCT_SHARE, MAX_VALUE_SHARE

Chosen = Literal["auto"] | Sequence[str]

#: The statistics that are looked at without being named. Those that are counted over a whole table
#: of claims, such as the claims of a source, differ when parts of it are judged by themselves.
STATISTICS = ("sources of item", "values of item", "order in item", "age in item")


@dataclass(frozen=True)
class FeatureChoice:
    """Whether a feature is used, and why not if it is not."""

    name: str
    used: bool
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {'used' if self.used else 'left out'}, {self.reason}"

    def as_dict(self) -> dict[str, Any]:
        """Return the choice as plain data."""
        return asdict(self)


class FeatureBuilder:
    """Builds the feature vectors of claims, learned on one table and applied to others.

    Parameters
    ----------
    columns
        The features to use: names of feature columns and of statistics, or ``"auto"`` for all that
        say something.
    bins
        Numbers with more distinct values than this are put into as many bins of about equally many
        claims; None keeps them as they are.
    scale
        Of numbers: ``"spread"`` for (x - median) / spread, ``"standard"`` for (x - mean) / standard
        deviation, both over claims and implied denials, ``"rank"`` for the share of claims below,
        less a half.
    max_value_share
        A column of claims is left out as derived from the value if the value explains more than
        this share of its variance within items.
    min_off_least
        A number with fewer claims than this off its least value is left out.
    statistics
        Which statistics of claims ``"auto"`` looks at.

    Attributes
    ----------
    choices_
        What was used and what was left out, and why.
    """

    def __init__(
        self,
        columns: Chosen = "auto",
        bins: int | None = MAX_BINS,
        *,
        scale: Scale = "spread",
        max_value_share: float = MAX_VALUE_SHARE,
        min_off_least: int = 0,
        statistics: Sequence[str] = STATISTICS,
    ) -> None:
        self.columns = columns
        self.bins = bins
        self.scale = scale
        self.max_value_share = max_value_share
        self.min_off_least = min_off_least
        self.statistics = statistics

    def fit(self, claims: Claims) -> FeatureBuilder:
        """Choose features and learn their scales and categories."""
        return self.learn(self.count(claims))

    def count(self, claims: Claims) -> dict[str, ColumnCounts]:
        """Count the columns that claims have; counts of disjoint sets of claims add."""
        return {name: self._counts(name, claims) for name in _available(claims)}

    def _counts(self, name: str, claims: Claims) -> ColumnCounts:
        if not self._looks_at(name):
            return NotCounted()
        matrix = claims.matrix
        if name in STATEMENT_STATISTICS:
            sizes = np.diff(matrix.claim_start)[matrix.item_of_statement]
            repeats = sizes if self.scale == "standard" else None
            return NumberCounts.of(STATEMENT_STATISTICS[name](matrix), None, repeats)
        screened = matrix if name.startswith("claim_") else None
        if _has_column(claims.features, name) and is_category(claims.features[name]):
            return CategoryCounts.of(claim_categories(claims, name), screened)
        sizes = np.diff(matrix.statement_start)[matrix.item_of_claim]
        repeats = sizes if self.scale == "standard" else None
        return NumberCounts.of(_claim_numbers(claims, name), screened, repeats)

    def _looks_at(self, name: str) -> bool:
        """Whether a feature may come to be used."""
        if self.columns != "auto":
            return name in self.columns
        if name in CLAIM_STATISTICS or name in TIME_STATISTICS:
            return name in self.statistics
        return name not in STATEMENT_STATISTICS

    def learn(self, counts: Mapping[str, ColumnCounts]) -> FeatureBuilder:
        """Choose features and learn their scales and categories, by what was counted of all."""
        if self.bins is not None and self.bins < 2:
            raise InvalidParameter(f"bins must be 2 or more, or None. Got {self.bins!r} instead.")
        self.choices_: list[FeatureChoice] = []
        self.numbers_: list[Number] = []
        self.categories_: list[Category] = []
        self.statement_numbers_: list[Number] = []
        if self.columns != "auto":
            if isinstance(self.columns, str):
                raise InvalidParameter(
                    f"features must be 'auto' or a list of names. Got {self.columns!r} instead."
                )
            _check_names(self.columns, list(counts))
        for name, column in counts.items():
            of_claims = name in CLAIM_STATISTICS or name in TIME_STATISTICS
            if self.columns != "auto" or not of_claims or name in self.statistics:
                self._consider(name, column)
        return self

    def transform(self, claims: Claims, further: Sequence[Coded] = ()) -> FeatureRows:
        """Return the feature vectors of claims, each distinct one once.

        Columns of `further` features of claims come last.
        """
        matrix = claims.matrix
        per_claim = [number.encode(_claim_numbers(claims, number.name)) for number in self.numbers_]
        per_claim += [
            category.encode(claim_categories(claims, category.name))
            for category in self.categories_
        ]
        per_statement = [
            number.encode(STATEMENT_STATISTICS[number.name](matrix))
            for number in self.statement_numbers_
        ]
        return _cross(per_claim, per_statement, further, matrix)

    def table(self, claims: Claims) -> pa.Table:
        """Return the features in use of each claim of the matrix, as `vectors` takes them."""
        matrix = claims.matrix
        columns = {
            number.name: to_arrow(_claim_numbers(claims, number.name)) for number in self.numbers_
        }
        for category in self.categories_:
            columns[category.name] = claim_categories(claims, category.name).cast(pa.string())
        for number in self.statement_numbers_:
            of_statement = STATEMENT_STATISTICS[number.name](matrix)
            columns[number.name] = to_arrow(of_statement[matrix.statement_index])
        return pa.table(columns)

    def vectors(self, table: pa.Table) -> Floats:
        """Return the feature vector of each row of a table of features; (n_rows, n_features).

        Statistics of claims that the table does not have are taken to be average.
        """
        blocks = [number.encode(_given_numbers(table, number)) for number in self.numbers_]
        blocks += [
            category.encode(_given_categories(table, category.name))
            for category in self.categories_
        ]
        blocks += [
            number.encode(_given_numbers(table, number)) for number in self.statement_numbers_
        ]
        return np.hstack([block.values[block.codes] for block in blocks])

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns of the feature vectors."""
        empty = np.zeros(0)
        blocks = [number.encode(empty) for number in (*self.numbers_, *self.statement_numbers_)]
        no_label = pa.array([], pa.string()).dictionary_encode()
        blocks += [category.encode(no_label) for category in self.categories_]
        return tuple(name for block in blocks for name in block.names)

    def only(self, names: Collection[str]) -> FeatureBuilder:
        """Return a builder of some of the features in use."""
        part = FeatureBuilder.of_state(self.state())
        for kind in ("numbers_", "categories_", "statement_numbers_"):
            setattr(part, kind, [one for one in getattr(self, kind) if one.name in names])
        return part

    def without(self, names: Collection[str], reason: str) -> FeatureBuilder:
        """Return a builder that leaves some columns to others, which use them in another way."""
        if not names:
            return self
        rest = self.only([name for name in self.used if name not in names])
        rest.columns = self.columns
        rest.choices_ = [
            FeatureChoice(choice.name, True, reason) if choice.name in names else choice
            for choice in self.choices_
        ]
        return rest

    @property
    def used(self) -> list[str]:
        """The names of the features in use."""
        numbers = [number.name for number in (*self.numbers_, *self.statement_numbers_)]
        return numbers + [category.name for category in self.categories_]

    def state(self) -> dict[str, Any]:
        """Return what was learned as plain data."""
        return {
            "bins": self.bins,
            "choices": [asdict(choice) for choice in self.choices_],
            "numbers": [asdict(number) for number in self.numbers_],
            "categories": [asdict(category) for category in self.categories_],
            "statement_numbers": [asdict(number) for number in self.statement_numbers_],
        }

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> FeatureBuilder:
        """Return a builder that has learned what `state` says."""
        builder = cls([choice["name"] for choice in state["choices"]], state["bins"])
        builder.choices_ = [FeatureChoice(**choice) for choice in state["choices"]]
        builder.numbers_ = [Number.of_state(number) for number in state["numbers"]]
        builder.categories_ = [Category.of_state(category) for category in state["categories"]]
        builder.statement_numbers_ = [
            Number.of_state(number) for number in state["statement_numbers"]
        ]
        return builder

    def _consider(self, name: str, column: ColumnCounts) -> None:
        if self.columns != "auto" and name not in self.columns:
            self.choices_.append(FeatureChoice(name, False, "not asked for"))
        elif isinstance(column, NotCounted):
            text = (
                "it counts agreeing claims, so it would reward agreement itself; to use it, name "
                "it in `features`"
            )
            self.choices_.append(FeatureChoice(name, False, text))
        elif isinstance(column, CategoryCounts):
            self._consider_category(name, column)
        elif name in STATEMENT_STATISTICS:
            self._consider_statement(name, column)
        else:
            self._consider_number(name, column)

    def _consider_statement(self, name: str, column: NumberCounts) -> None:
        if len(column.levels) < 2:
            self.choices_.append(FeatureChoice(name, False, "the same for all statements"))
            return
        self.statement_numbers_.append(
            Number.learn(name, column, self.bins or MAX_BINS, self.scale)
        )
        self.choices_.append(
            FeatureChoice(name, True, "of the statement that is claimed or denied")
        )

    def _consider_category(self, name: str, column: CategoryCounts) -> None:
        n_labels = len(column.labels)
        if n_labels + (column.n_missing > 0) < 2:
            self.choices_.append(FeatureChoice(name, False, "constant"))
            return
        if n_labels > MAX_DISTINCT_SHARE * column.n and self.columns == "auto":
            self.choices_.append(FeatureChoice(name, False, "almost all distinct"))
            return
        if self._is_derived(name, column):
            return
        self.categories_.append(Category.learn(name, column))
        kept = len(self.categories_[-1].common)
        text = f"{n_labels:,} categories" + (
            f", the rarest pooled ({kept} kept)" * (kept < n_labels)
        )
        self.choices_.append(FeatureChoice(name, True, text))

    def _is_derived(self, name: str, column: NumberCounts | CategoryCounts) -> bool:
        """Leave out a column that derives from the claimed values, unless it is asked for."""
        reason = screen_column(column.share, self.max_value_share)
        if reason is None or self.columns != "auto":
            return False
        self.choices_.append(FeatureChoice(name, False, reason))
        return True

    def _consider_number(self, name: str, column: NumberCounts) -> None:
        forced, levels = self.columns != "auto", column.levels
        if len(levels) + (column.n_missing > 0) < 2:
            self.choices_.append(FeatureChoice(name, False, "constant"))
            return
        whole = bool(np.all(levels == np.floor(levels)))
        if whole and len(levels) == column.n and column.n > 2 and not forced:
            self.choices_.append(FeatureChoice(name, False, "all distinct whole numbers"))
            return
        off_least = column.n - int(column.counts[0]) + column.n_missing if len(levels) else 0
        if off_least < self.min_off_least and not forced:
            text = f"the same for all but {plural(off_least, 'claim')}"
            self.choices_.append(FeatureChoice(name, False, text))
            return
        if self._is_derived(name, column):
            return
        self.numbers_.append(Number.learn(name, column, self.bins, self.scale))
        text = f"{column.n_distinct:,} distinct numbers"
        if column.is_coarse:
            text = f"more than {len(levels):,} distinct numbers, close ones merged"
        self.choices_.append(FeatureChoice(name, True, text))


def _available(claims: Claims) -> list[str]:
    """Name all features that claims have: their own columns, then the statistics."""
    names = list(claims.features.column_names)
    names += list(CLAIM_STATISTICS)
    if claims.time is not None:
        names += list(TIME_STATISTICS)
    return names + list(STATEMENT_STATISTICS)


def _check_names(wanted: Sequence[str], available: Sequence[str]) -> None:
    for name in wanted:
        if name not in available:
            raise InvalidParameter(
                f"There is no feature {name!r}.{suggestion(name, available)} "
                f"The features of these claims are: {listing(available, limit=30)}."
            )


def _claim_numbers(claims: Claims, name: str) -> Floats:
    """Return a number for each claim of the matrix: a feature column or a statistic."""
    matrix = claims.matrix
    if name in CLAIM_STATISTICS:
        return CLAIM_STATISTICS[name](matrix)
    if name in TIME_STATISTICS:
        time = claims.time
        if time is None:
            raise InvalidParameter(f"Feature {name!r} needs claims with a time column.")
        return TIME_STATISTICS[name](matrix, time)
    _require_column(claims, name)
    column = claims.features[name]
    if is_category(column):
        raise InvalidParameter(f"Feature {name!r} was a number when the model was fitted.")
    return np.asarray(numbers_of(column)[matrix.row])


def claim_categories(claims: Claims, name: str) -> pa.DictionaryArray:
    """Return the cells of a feature column, one for each claim of the matrix, as categories."""
    _require_column(claims, name)
    column = categories_of(claims.features[name])
    if not is_category(column):
        column = column.cast(pa.string()).dictionary_encode()
    return column.take(pa.array(claims.matrix.row))


def _given_numbers(table: pa.Table, number: Number) -> Floats:
    if _has_column(table, number.name):
        return numbers_of(table[number.name])
    if number.name in NAMES:
        return np.full(table.num_rows, number.median)
    raise missing_column(number.name, table.column_names)


def _given_categories(table: pa.Table, name: str) -> pa.DictionaryArray:
    if not _has_column(table, name):
        raise missing_column(name, table.column_names)
    return as_text(table[name]).dictionary_encode()


def _has_column(table: pa.Table, name: str) -> bool:
    """Whether a table has a column, without making a list of all of them."""
    return bool(table.schema.get_field_index(name) >= 0)


def _require_column(claims: Claims, name: str) -> None:
    if not _has_column(claims.features, name):
        raise missing_column(name, claims.features.column_names)


def missing_column(name: str, names: Sequence[str]) -> InvalidParameter:
    """Return an error: claims lack a feature column that the fitted model uses."""
    return InvalidParameter(
        f"The claims have no feature column {name!r}, which the model was fitted with."
        f"{suggestion(name, names)} Their feature columns are: {listing(names) or 'none'}."
    )


def _cross(
    per_claim: Sequence[Coded],
    per_statement: Sequence[Coded],
    further: Sequence[Coded],
    matrix: ClaimMatrix,
) -> FeatureRows:
    """Cross claims' vectors with statements' states, keeping the pairs that may occur."""
    claim_rows, claim_codes = combine((*per_claim, *further), matrix.n_claims)
    states, state_codes = combine(per_statement, matrix.n_statements)
    names = tuple(name for coded in (*per_claim, *per_statement, *further) for name in coded.names)
    n_states = max(len(states), 1)
    if n_states == 1:
        pairs = np.arange(len(claim_rows))
    else:
        pairs = _occurring_pairs(matrix, claim_codes, state_codes, n_states)
    row_of = np.full((len(claim_rows), n_states), -1, np.int32)
    row_of.reshape(-1)[pairs] = np.arange(len(pairs), dtype=np.int32)
    split = sum(len(coded.names) for coded in per_claim)
    chosen = claim_rows[pairs // n_states]
    values = np.hstack([chosen[:, :split], states[pairs % n_states], chosen[:, split:]])
    return FeatureRows(
        values, names, claim_codes.astype(np.int32), state_codes.astype(np.int32), row_of
    )


def _occurring_pairs(matrix: ClaimMatrix, claim_codes: Any, state_codes: Any, n_states: int) -> Any:
    """Find the pairs of vector and state that occur, block by block of claims."""
    n_statements = np.diff(matrix.statement_start)
    found = np.empty(0, np.int64)
    for first in range(0, matrix.n_claims, 65_536):
        claims = np.arange(first, min(first + 65_536, matrix.n_claims))
        item = matrix.item_of_claim[claims]
        repeats = n_statements[item]
        offset = np.arange(int(repeats.sum())) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        statement = np.repeat(matrix.statement_start[item], repeats) + offset
        keys = np.repeat(claim_codes[claims], repeats) * n_states + state_codes[statement]
        found = distinct(np.concatenate([found, distinct(keys)]))
    return found
