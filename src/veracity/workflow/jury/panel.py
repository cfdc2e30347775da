"""A panel: the verdicts of judges as arrays, and the columns that say more about each of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import to_numpy
from veracity.data.claims import Claims
from veracity.data.matrix import ClaimMatrix
from veracity.data.read.frames import as_text
from veracity.workflow.jury.agreement import MISSING
from veracity.workflow.jury.columns import VerdictTable

YES = ("yes", "y", "true", "t", "correct", "right", "1", "pass", "accept", "positive", "valid")
NO = ("no", "n", "false", "f", "incorrect", "wrong", "0", "fail", "reject", "negative", "invalid")
PAIRS = (("a", "b"), ("1", "2"), ("first", "second"), ("left", "right"))
#: What may stand before the name of one of two answers.
NOUNS = re.compile(r"^(response|answer|option|model|assistant|output|candidate|text)(?=.)")
IS_FIRST = {"first": 1.0, "1": 1.0, "a": 1.0, "left": 1.0}
IS_SECOND = {"second": 0.0, "2": 0.0, "b": 0.0, "right": 0.0}
AS_SHOWN = {"ab": 0.0, "12": 0.0, "ba": 1.0, "21": 1.0}
SWAPPED = dict.fromkeys(YES, 1.0) | dict.fromkeys(NO, 0.0) | AS_SHOWN


@dataclass(frozen=True, eq=False)
class Panel:
    """Verdicts in the order of the claim matrix; unless said otherwise, (n_claims,).

    What is not known of a verdict is NaN.

    Attributes
    ----------
    claims
        The verdicts as claims.
    judges
        Names, in the order of their index.
    confidence
        As stated.
    cost
        Of the verdict.
    swapped
        1 if the two answers were shown in the other order.
    took_first, took_longer, took_yes
        1 if the judge took that side, 0 if it took the other.
    """

    claims: Claims
    judges: tuple[str, ...]
    confidence: Floats
    cost: Floats
    swapped: Floats
    took_first: Floats
    took_longer: Floats
    took_yes: Floats

    @property
    def matrix(self) -> ClaimMatrix:
        """The claims as integer arrays."""
        return self.claims.matrix

    @property
    def judge(self) -> Indices:
        """Who says it."""
        return self.matrix.source_index.astype(np.int64)

    @property
    def item(self) -> Indices:
        """What it is about."""
        return self.matrix.item_of_claim.astype(np.int64)

    @property
    def statement(self) -> Indices:
        """What is said."""
        return self.matrix.statement_index.astype(np.int64)

    @property
    def n_items(self) -> int:
        """Number of questions, times attributes."""
        return self.matrix.n_items

    def said(self) -> Indices:
        """Return one verdict of each judge on each item; (n_judges, n_items).

        Values are numbered; of several verdicts on an item the commonest counts, of equally common
        ones the first in the order of values; -1 where there is none.
        """
        matrix = self.matrix
        codes = np.full((len(self.judges), matrix.n_items), MISSING, np.int64)
        pair = self.judge * matrix.n_statements + self.statement
        pairs, counts = np.unique(pair, return_counts=True)
        order = np.argsort(counts, kind="stable")[::-1]
        order = order[np.lexsort((pairs[order], -counts[order]))][::-1]  # the commonest last
        judge, statement = np.divmod(pairs[order], matrix.n_statements)
        value = matrix.value_index[statement]
        codes[judge, matrix.item_of_statement[statement]] = value
        _, dense = np.unique(codes[codes != MISSING], return_inverse=True)
        codes[codes != MISSING] = dense
        return codes

    @classmethod
    def of(cls, claims: Claims, verdicts: VerdictTable) -> Panel:
        """Lay out the verdicts and the columns that belong to them."""
        matrix = claims.matrix
        second, yes = _sides(matrix)
        is_second, is_yes = second[matrix.statement_index], yes[matrix.statement_index]
        swapped = _coded(verdicts, "swapped", SWAPPED, matrix)
        position = _coded(verdicts, "position", IS_FIRST | IS_SECOND, matrix)
        shown = _coded(verdicts, "position", AS_SHOWN, matrix)
        swapped = np.where(np.isnan(swapped), shown, swapped)
        by_order = np.where(swapped == 1, is_second, 1.0 - is_second)
        by_order = np.where(np.isnan(swapped), np.nan, by_order)
        longer = _numbers(verdicts, "length_b", matrix) - _numbers(verdicts, "length_a", matrix)
        longer = np.where(longer == 0, np.nan, longer)
        b_is_longer = np.where(np.isnan(longer), np.nan, (longer > 0).astype(np.float64))
        return cls(
            claims,
            tuple(matrix.sources.to_pylist()),
            _numbers(verdicts, "confidence", matrix),
            _numbers(verdicts, "cost", matrix),
            swapped,
            np.where(np.isnan(position), by_order, position),
            np.where(b_is_longer == 1, is_second, 1.0 - is_second) + 0.0 * b_is_longer,
            is_yes,
        )


def _sides(matrix: ClaimMatrix) -> tuple[Floats, Floats]:
    """Return of each statement whether it names the second of two answers, and whether it is yes.

    NaN where the values of the attribute are not such a pair; (n_statements,).
    """
    second = np.full(matrix.n_statements, np.nan)
    yes = np.full(matrix.n_statements, np.nan)
    attribute = matrix.attribute_index[matrix.item_of_statement]
    for index in range(len(matrix.attributes)):
        own = np.flatnonzero(attribute == index)
        codes = np.unique(matrix.value_index[own])
        words = {int(code): _word(matrix.values[int(code)].as_py()) for code in codes}
        if len(words) != 2:
            continue
        found = set(words.values())
        of_own = matrix.value_index[own]
        for pair in PAIRS:
            if found == set(pair):
                second[own] = [words[int(code)] == pair[1] for code in of_own]
        if any(word in YES for word in found) and any(word in NO for word in found):
            yes[own] = [words[int(code)] in YES for code in of_own]
    return second, yes


def _word(value: str) -> str:
    folded = "".join(sign for sign in value.casefold() if sign.isalnum())
    return NOUNS.sub("", folded)


def _numbers(verdicts: VerdictTable, role: str, matrix: ClaimMatrix) -> Floats:
    """Return the numbers of a column by claim, NaN where there are none."""
    column = verdicts.column(role)
    if column is None:
        return np.full(matrix.n_claims, np.nan)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        numbers = column.cast(pa.float64()).combine_chunks()
    else:
        numbers = pa.array([_number(cell) for cell in as_text(column).to_pylist()], pa.float64())
    return np.asarray(to_numpy(pc.fill_null(numbers, float("nan")))[matrix.row], np.float64)


def _number(cell: str | None) -> float:
    """Read a number, with or without a per cent sign."""
    try:
        return float((cell or "").strip().removesuffix("%").strip())
    except ValueError:
        return float("nan")


def _coded(
    verdicts: VerdictTable, role: str, codes: Mapping[str, float], matrix: ClaimMatrix
) -> Floats:
    """Return what the words of a column stand for by claim, NaN for words that are not known."""
    column = verdicts.column(role)
    if column is None:
        return np.full(matrix.n_claims, np.nan)
    words = as_text(column).to_pylist()
    found = np.array([codes.get(_word(word or ""), np.nan) for word in words], np.float64)
    return np.asarray(found[matrix.row])
