"""Look at how sources answer, after a fit: from judged claims to names and confusion matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Indices
from veracity.data.output.tables import Table
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.models.dependence import Dependence
from veracity.models.patterns.answers import ClosedAttributes, read_answers
from veracity.models.patterns.confusions import MOST_CELLS, confusions_table
from veracity.models.patterns.habits import Counted, count_answers
from veracity.models.patterns.informedness import informedness_of
from veracity.models.patterns.naming import MIN_ANSWERS, Patterns, name_sources
from veracity.models.tables import Judged


@dataclass(frozen=True, eq=False)
class Answering:
    """How sources answer.

    Attributes
    ----------
    patterns
        The names of those that answer like spammers.
    confusions
        Their confusion matrices; None without closed attributes, or if they are too many.
    """

    patterns: Patterns
    confusions: Table | None


def look_at_answers(
    claims: ClaimsInBlocks,
    judged: Blocks[Judged],
    n_claims: Indices,
    pairs: Dependence,
) -> Answering:
    """Find out how each source answers.

    Parameters
    ----------
    claims, judged
        The claims, and the judgement of a model on them.
    n_claims
        How many claims each source makes; (n_sources,).
    pairs
        Sources that depend on each other.
    """
    closed = ClosedAttributes.of(claims)
    counted = Counted.none()
    if len(closed):
        answers = judged.prepare(read_answers, closed)
        counted = count_answers(answers, closed, claims.n_sources, MIN_ANSWERS, MOST_CELLS)
    found = informedness_of(counted, closed, claims.n_sources)
    table = confusions_table(counted, closed, claims.sources)
    return Answering(name_sources(found, pairs, n_claims.astype(np.float64)), table)
