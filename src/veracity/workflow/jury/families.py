"""Families of judges that err together, declared or found, and how much their members count.

A family of m judges whose errors have the correlation ρ brings the evidence of m / (1 + (m - 1) ρ)
independent ones (Kish's design effect, 1965), so each of its members counts 1 / (1 + (m - 1) ρ).
For a declared family the model's own rule is the least discount, m^(-1/2) each; where the excess
agreement of its members asks for more, that is taken.

Judges also agree far more than expected if both are far better than the rest. To count these for
less would cost the jury its best members, so a family that was found counts in full if its members
agree with the other judges more than most of these do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices
from veracity.data.output.tables import Table
from veracity.data.read.frames import as_text
from veracity.models.grbm.families import POWER
from veracity.workflow.jury.agreement import MISSING

#: Other judges that are needed to tell what is typical, the share of them that is most, and how
#: far above a typical one a family must agree with them.
MIN_OTHERS, MOST, CLEARLY = 3, 0.75, 0.05


@dataclass(frozen=True)
class Family:
    """Judges that belong together.

    Attributes
    ----------
    name
        As declared, or after its first member.
    members
        The judges.
    correlation
        Mean share of possible excess agreement, over the pairs that agree too much; 0 without any.
    declared
        Whether a column says so; otherwise it was found.
    """

    name: str
    members: tuple[str, ...]
    correlation: float
    declared: bool

    def weight(self, n_members: int) -> float:
        """Return how much each member counts where so many of them speak."""
        kish = 1.0 / (1.0 + (n_members - 1) * self.correlation)
        return min(kish, float(n_members**-POWER)) if self.declared else kish

    @property
    def counts_as(self) -> float:
        """For how many independent judges the whole family counts."""
        return len(self.members) * self.weight(len(self.members))


def declared_families(judges: Sequence[str], column: pa.ChunkedArray, pairs: Table) -> list[Family]:
    """Return the families of a column that have more than one member.

    Parameters
    ----------
    judges
        The judge of each row.
    column
        The family of each row; a missing cell is no family.
    pairs
        The pairs of judges that agree more than they should, as the model found them.
    """
    members: dict[str, set[str]] = {}
    for judge, family in zip(judges, as_text(column).to_pylist(), strict=True):
        if family is not None and judge is not None:
            members.setdefault(family, set()).add(judge)
    return [
        Family(name, tuple(sorted(group)), _correlation(group, pairs), True)
        for name, group in sorted(members.items())
        if len(group) > 1
    ]


def found_families(pairs: Table) -> list[Family]:
    """Return the groups of judges that are connected by pairs that agree more than they should."""
    group: dict[str, set[str]] = {}
    for row in pairs.to_pylist():
        joined = group.get(row["source"], {row["source"]}) | group.get(row["other"], {row["other"]})
        for judge in joined:
            group[judge] = joined
    found = {tuple(sorted(members)) for members in group.values()}
    return [
        Family(f"with {members[0]}", members, _correlation(set(members), pairs), False)
        for members in sorted(found)
    ]


def is_doubtful(said: Indices, members: Sequence[int]) -> bool:
    """Whether a family does not agree with the others more than most of these do.

    Parameters
    ----------
    said
        Verdicts as numbers, `MISSING` where there is none; (n_judges, n_questions).
    members
        The rows of the family.
    """
    inside = np.isin(np.arange(len(said)), members)
    family, others = said[inside], said[~inside]
    if len(others) < MIN_OTHERS:
        return True
    own = [_agreement(row, others) for row in family]
    typical = [_agreement(row, np.delete(others, place, 0)) for place, row in enumerate(others)]
    better = np.nanmean(own) > np.nanmedian(typical) + CLEARLY
    return not (better and np.nanmean(own) >= np.nanquantile(typical, MOST))


def _agreement(row: Indices, among: Indices) -> float:
    """Return how many of some judges say the same, on average over the questions in a row."""
    speak = (among != MISSING) & (row != MISSING)
    n = speak.sum(axis=0)
    same = (speak & (among == row)).sum(axis=0)
    return float(np.mean(same[n > 0] / n[n > 0])) if n.any() else np.nan


def _correlation(members: set[str], pairs: Table) -> float:
    excess = [
        (row["agreement"] - row["expected"]) / max(1.0 - row["expected"], 1e-9)
        for row in pairs.to_pylist()
        if row["source"] in members and row["other"] in members
    ]
    return float(np.clip(np.mean(excess), 0.0, 1.0)) if excess else 0.0


def family_of(families: Sequence[Family]) -> dict[str, Family]:
    """Return the family of each judge that has one."""
    return {judge: family for family in families for judge in family.members}


def row_weights(
    judges: Sequence[str], question: Indices, families: Mapping[str, Family]
) -> Floats | None:
    """Return the weight of each row, less for members of a family that speaks about its question.

    Parameters
    ----------
    judges
        The judge of each row.
    question
        A number for the question of each row.
    families
        The family of each judge that has one.
    """
    if not families:
        return None
    speak: dict[tuple[int, str], set[str]] = {}
    for judge, number in zip(judges, question.tolist(), strict=True):
        if judge in families:
            speak.setdefault((number, families[judge].name), set()).add(judge)
    weights = np.ones(len(judges))
    for row, (judge, number) in enumerate(zip(judges, question.tolist(), strict=True)):
        if judge in families:
            family = families[judge]
            weights[row] = family.weight(len(speak[number, family.name]))
    return weights
