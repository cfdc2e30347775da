"""Claims as yes and no about each statement, for models that judge each by itself.

A source that names some values of an item says yes to them and no to the others. Such denials
concern every statement of the item: they are kept as one *speaking* of the source, which stands
for a no to all that it does not claim, so that everything stays linear in the number of claims.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.encode.denials import (
    CLAIMS_TOO,
    DENIES_ALONE,
    SPEAKS,
    SPEAKS_AND_CLAIMS,
    claim_roles,
)
from veracity.data.encode.grouping import distinct
from veracity.data.matrix import ClaimMatrix
from veracity.models.views.one_true_value import Votes


@dataclass(frozen=True, eq=False)
class Sayings:
    """Claims as yes and no about statements.

    Attributes
    ----------
    speakings
        Who speaks about which scope: the source denies every statement in it that it does not
        claim. Sorted by scope.
    claims
        Who claims which statement, once, with all the weight of doing so. Sorted by statement.
    speaking_of_claim
        The speaking that each claim is part of; (n_claims,).
    denials
        Who denies which statement without speaking about others. Sorted by statement.
    scope_of_statement
        The scope of each statement: its item or, if all belong together, 0; (n_statements,).
    n_scopes, n_sources
        Number of scopes, and of sources.
    """

    speakings: Votes
    claims: Votes
    speaking_of_claim: Indices
    denials: Votes
    scope_of_statement: Indices
    n_scopes: int
    n_sources: int

    @classmethod
    def of_speakers(cls, matrix: ClaimMatrix) -> Sayings:
        """Let a source speak about the items that it names a value of; its silence says nothing.

        A source that only denies a value speaks about that statement alone. Claims count by their
        weight, repeats of a claim by their sum, and a list of values with the largest of its
        weights where it implies denials.
        """
        roles = claim_roles(matrix)
        part, weight = roles.role, matrix.claim_weight
        speaks = (part == SPEAKS) | (part == SPEAKS_AND_CLAIMS)
        places = np.flatnonzero(speaks)
        number = np.cumsum(speaks) - 1
        claims, speaking_of_claim = _once(
            matrix,
            np.flatnonzero((part == SPEAKS_AND_CLAIMS) | (part == CLAIMS_TOO)),
            number[roles.speaker],
        )
        largest = np.where(part[places] == SPEAKS, weight[places], 0.0)
        np.maximum.at(largest, speaking_of_claim, claims.weight)
        return cls(
            speakings=Votes(
                matrix.source_index[places],
                matrix.item_of_claim[places].astype(np.int64),
                largest,
            ),
            claims=claims,
            speaking_of_claim=speaking_of_claim,
            denials=_votes(matrix, np.flatnonzero(part == DENIES_ALONE)),
            scope_of_statement=matrix.item_of_statement.astype(np.int64),
            n_scopes=matrix.n_items,
            n_sources=matrix.n_sources,
        )

    @classmethod
    def of_everyone(cls, matrix: ClaimMatrix) -> Sayings:
        """Let every source speak about every statement: who does not claim it denies it.

        Silence counts as a denial of weight 1, and a denial by its weight.
        """
        yes = matrix.claim_value == 1
        source = matrix.source_index.astype(np.int64)
        claims, speaking_of_claim = _once(matrix, np.flatnonzero(yes), source)
        denials = _votes(matrix, np.flatnonzero(~yes & (matrix.claim_weight != 1)))
        return cls(
            speakings=Votes(
                np.arange(matrix.n_sources, dtype=np.int32),
                np.zeros(matrix.n_sources, np.int64),
                np.ones(matrix.n_sources),
            ),
            claims=claims,
            speaking_of_claim=speaking_of_claim,
            denials=Votes(denials.source, denials.about, denials.weight - 1),
            scope_of_statement=np.zeros(matrix.n_statements, np.int64),
            n_scopes=1,
            n_sources=matrix.n_sources,
        )

    @property
    def n_statements(self) -> int:
        """Number of statements."""
        return len(self.scope_of_statement)

    def to_statements(self, if_claimed: Floats, if_denied: Floats) -> Floats:
        """Add up numbers of the sources that claim and that deny each statement; (n_statements,).

        A source gives the one number to what it claims, and the other to what it denies.
        """
        speakings, claims, denials = self.speakings, self.claims, self.denials
        of_speaking = speakings.weight * if_denied[speakings.source]
        of_scope = sum_by(speakings.about, of_speaking, self.n_scopes)
        of_claim = claims.weight * if_claimed[claims.source] - of_speaking[self.speaking_of_claim]
        total = of_scope[self.scope_of_statement] + sum_by(
            claims.about, of_claim, self.n_statements
        )
        if len(denials):
            of_denial = denials.weight * if_denied[denials.source]
            total += sum_by(denials.about, of_denial, self.n_statements)
        return total

    def to_sources(self, of_statement: Floats) -> tuple[Floats, Floats]:
        """Add up numbers, none negative, of what each source claims and of what it denies."""
        speakings, claims, denials = self.speakings, self.claims, self.denials
        claimed = claims.weight * of_statement[claims.about]
        meant = speakings.weight[self.speaking_of_claim] * of_statement[claims.about]
        of_scope = sum_by(self.scope_of_statement, of_statement, self.n_scopes)
        denied = sum_by(
            speakings.source, speakings.weight * of_scope[speakings.about], self.n_sources
        )
        denied -= sum_by(claims.source, meant, self.n_sources)
        if len(denials):
            denied += sum_by(
                denials.source, denials.weight * of_statement[denials.about], self.n_sources
            )
        # All less what is claimed can come out a rounding error below nothing.
        return sum_by(claims.source, claimed, self.n_sources), np.maximum(denied, 0.0)


def _votes(matrix: ClaimMatrix, places: Indices) -> Votes:
    return Votes(
        matrix.source_index[places],
        matrix.statement_index[places].astype(np.int64),
        matrix.claim_weight[places],
    )


def _once(matrix: ClaimMatrix, places: Indices, speaking: Indices) -> tuple[Votes, Indices]:
    """Return claims with their speakings; those of a speaking that are alike become one.

    It has the weight of all of them.
    """
    speaking, weight = speaking[places], matrix.claim_weight[places]
    said = (
        matrix.statement_index[places].astype(np.int64) * (speaking.max(initial=0) + 1) + speaking
    )
    if len(distinct(said)) < len(said):
        _, first, group = np.unique(said, return_index=True, return_inverse=True)
        weight = sum_by(group, weight, len(first))
        places, speaking = places[first], speaking[first]
    return replace(_votes(matrix, places), weight=weight), speaking
