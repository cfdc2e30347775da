"""Sources that answer like spammers, named for what they do.

``constant``
    nearly always the same answer, whatever the others say;
``random``
    answers that are independent of the truth;
``adversarial``
    answers that avoid the truth, or labels that are swapped;
``copier``
    repeats another source, errors included.

A source is never named because the evidence is too thin to tell it from a spammer. For the first
two, its answers must show that it is not even half as informed as the median source (at least
`LEAST_INFORMED`), and must not show that they depend on the truth at all. So a source that always
says what is nearly always true is named only once the others disagree with it often enough.

The evidence is a ratio of likelihoods, an e-value: chance alone makes it e or more for at most one
source in e. Those of all sources are judged together, after Wang and Ramdas (2022), so that of the
names at most a share of `FALSE_NAMES` is to be expected by chance, even though sources are judged
by each other. Copiers come from `veracity.models.dependence`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Mask
from veracity.data.notes import plural
from veracity.data.output.tables import Table
from veracity.models.dependence import Dependence
from veracity.models.patterns.copiers import copied_by
from veracity.models.patterns.informedness import Informedness

CONSTANT, RANDOM, ADVERSARIAL, COPIER = PATTERNS = ("constant", "random", "adversarial", "copier")
#: The columns in the table of sources.
PATTERN, PATTERN_OF = "pattern", "pattern_of"
#: The share of names that may be given by chance.
FALSE_NAMES = 0.05
#: Answers that a source must give, to questions that others answer too.
MIN_ANSWERS = 20
#: Spammers are told from sources half as informed as the median, within these bounds.
LEAST_INFORMED, MOST_INFORMED = 0.15, 0.4
#: A constant source gives the same answer at least so often.
CONSTANT_SHARE = 0.95
#: An adversarial source is worse than chance by this much.
WORSE = -0.1
#: How many sources a note names.
NAMED = 5


@dataclass(frozen=True, eq=False)
class Patterns:
    """The names that sources are given.

    Attributes
    ----------
    pattern
        One of `PATTERNS`, by the place of the source; most have none.
    pattern_of
        The place of the source that a copier repeats, by its own.
    """

    pattern: dict[int, str]
    pattern_of: dict[int, int]


def name_sources(found: Informedness, pairs: Dependence, n_claims: Floats) -> Patterns:
    """Name the sources whose answers tell that they are spammers; most have no name."""
    n_sources = len(n_claims)
    pattern: dict[int, str] = {}
    informed = np.full(n_sources, np.nan)
    informed[found.source] = found.best
    spam = _uninformed(found)
    avoids = significant(found.evidence_of_avoiding) & (found.best <= WORSE)
    constant = found.largest_share >= CONSTANT_SHARE
    for marked, name in (
        (spam & ~constant, RANDOM),
        (spam & constant, CONSTANT),
        (avoids, ADVERSARIAL),
    ):
        pattern |= dict.fromkeys(found.source[marked].tolist(), name)
    copied = copied_by(pairs, n_claims, informed)
    return Patterns(pattern | dict.fromkeys(copied, COPIER), copied)


def _uninformed(found: Informedness) -> Mask:
    """Mark sources that know too little, and maybe nothing."""
    if not len(found.source):
        return np.zeros(0, np.bool_)
    half = float(np.median(found.best)) / 2.0
    evidence = found.evidence_against(min(max(half, LEAST_INFORMED), MOST_INFORMED))
    return significant(evidence) & found.may_be_independent


def significant(log_evidence: Floats) -> Mask:
    """Mark the e-values that stand out among all: the e-BH procedure of Wang and Ramdas."""
    marks = np.zeros(len(log_evidence), np.bool_)
    order = np.argsort(-log_evidence, kind="stable")
    limit = np.log(len(order) / FALSE_NAMES / np.arange(1, len(order) + 1))
    above = np.flatnonzero(log_evidence[order] >= limit)
    if len(above):
        marks[order[: above[-1] + 1]] = True
    return marks


def with_patterns(sources: Table, found: Patterns) -> Table:
    """Add the names to the table of sources, in the order of their places."""
    names = {source: PATTERNS.index(name) for source, name in found.pattern.items()}
    pattern = pa.array(PATTERNS, pa.string()).take(_column(names, len(sources)))
    copied = sources["source"].take(_column(found.pattern_of, len(sources))).cast(pa.string())
    table = sources.to_arrow().append_column(PATTERN, pattern)
    return Table(sources.name, table.append_column(PATTERN_OF, copied))


def _column(of_source: Mapping[int, int], n_sources: int) -> pa.Array:
    """Return a number for each source, nothing for those without."""
    column, is_empty = np.zeros(n_sources, np.int32), np.ones(n_sources, np.bool_)
    for source, number in of_source.items():
        column[source], is_empty[source] = number, False
    return pa.array(column, mask=is_empty)


def spammers_sentence(sources: pa.Table) -> str | None:
    """Say in one sentence who answers like a spammer; None if nobody does."""
    if PATTERN not in sources.column_names:
        return None
    names = sources["source"].to_pylist()
    patterns = sources[PATTERN].to_pylist()
    parts = []
    for word in PATTERNS:
        own = [name for name, pattern in zip(names, patterns, strict=True) if pattern == word]
        if own:
            more = f" and {len(own) - NAMED:,} more" if len(own) > NAMED else ""
            parts.append(f"{word} {', '.join(map(repr, own[:NAMED]))}{more}")
    count = sum(pattern is not None for pattern in patterns)
    if not parts:
        return None
    who = plural(count, "source answers like a spammer", "sources answer like spammers")
    return f"{who}: {'; '.join(parts)}."
