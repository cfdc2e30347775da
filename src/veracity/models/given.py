"""Given: rules and answers of assessors, which change plausibilities after a fit."""

from __future__ import annotations

from dataclasses import dataclass

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.data.rules.table import Rules
from veracity.data.truth.assessments import Assessments
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.known import KnownTruth
from veracity.models.assessors import given_answer, with_assessments
from veracity.models.rules.bound_rules import BoundRules, RulesAt
from veracity.models.rules.components import marginals
from veracity.models.rules.item_states import ItemStates
from veracity.models.rules.stage import adjust
from veracity.models.rules.told_states import told_by, with_told
from veracity.models.tables import as_known


@dataclass(frozen=True, eq=False)
class Given:
    """Rules, and known truth with what assessors say.

    Without rules and assessors who can err, nothing is left to do after a fit.
    """

    known_truth: GroundTruth | None
    rules: Rules | None

    @classmethod
    def of(cls, known_truth: GroundTruth | None, rules: Rules | None) -> Given | None:
        """Return what acts after a fit, None if nothing does."""
        has_doubts = known_truth is not None and known_truth.has_doubts
        return cls(known_truth, rules) if has_doubts or rules is not None else None


class GivenAt:
    """What was given, and what it does to the plausibilities of claims.

    Parameters
    ----------
    given
        What was given.
    claims, plausibility
        The claims, and the plausibility of each statement as the model has it.
    statements_alone
        Whether the model judges every statement by itself.

    Attributes
    ----------
    plausibility
        Of each statement, given it all; (n_statements,).
    """

    def __init__(
        self, given: Given, claims: Claims, plausibility: Floats, statements_alone: bool
    ) -> None:
        self._matrix, self._alone = claims.matrix, statements_alone
        self._known, self._assessed = _matched(given.known_truth, claims)
        self._before = as_known(plausibility, self._known)
        self._told = self._before
        if self._assessed is not None:
            self._told, _ = with_assessments(
                self._matrix, self._before, self._assessed, self._known, statements_alone
            )
        self._rules: RulesAt | None = None
        self.plausibility = self._told
        if given.rules is not None:
            bound = BoundRules.of(given.rules, claims.attributes, claims.forms, statements_alone)
            self._rules = bound.at(self._matrix, claims.forms)
            names = self._matrix.attributes.to_pylist()
            certain = None if given.known_truth is None else given.known_truth.certain(names)
            self._true = told_by(certain, bound, claims.forms)
            entities = self._rules.entities() | {entity for entity, _ in self._true}
            found = marginals(self._states(self._rules, entities), bound.links)
            self.plausibility, _ = adjust(self._rules, self._told, found)

    def _states(self, at: RulesAt, entities: set[str]) -> list[ItemStates]:
        """Return the states of the items of entities that rules may act on."""
        states = list(at.states(at.items_of(entities).tolist(), self._told, self._known))
        own = {place: true for place, true in self._true.items() if place[0] in entities}
        return with_told(states, own, at.rules)

    def steps(self, item: int) -> list[tuple[str, Floats]]:
        """Return what each answer and each rule leads to, one after the other.

        Each step has its reason, and the plausibilities of the item's statements after it. There is
        none where the truth is known.
        """
        if self._known is not None and self._known.settled[item]:
            return []
        own = slice(self._matrix.statement_start[item], self._matrix.statement_start[item + 1])
        steps, p = [], self._before[own]
        for answer in () if self._assessed is None else self._assessed.of_items:
            if answer.item == item:
                p = given_answer(self._matrix, p, answer, self._alone)
                steps.append((str(answer), p))
        return [*steps, *self._steps_by_rules(item)]

    def _steps_by_rules(self, item: int) -> list[tuple[str, Floats]]:
        at, matrix = self._rules, self._matrix
        if at is None:
            return []
        entity = matrix.entities[int(matrix.entity_index[item])].as_py()
        attribute = matrix.attributes[int(matrix.attribute_index[item])].as_py()
        states = self._states(at, {entity})
        claimed = {number for one in states for number in one.shape.states}
        links = [link for link in at.rules.links if link.first.number in claimed]
        steps = []
        for count in range(1, len(links) + 1):
            found = marginals(states, links[:count]).get((entity, attribute))
            if found is not None:
                reason = f"rule {links[count - 1].rule.number}: {links[count - 1].rule}"
                steps.append((reason, at.adjusted(item, self._told, found)))
        return steps


def _matched(
    truth: GroundTruth | None, claims: Claims
) -> tuple[KnownTruth | None, Assessments | None]:
    """Match known truth and answers of assessors to claims."""
    if truth is None:
        return None, None
    names = claims.matrix.attributes.to_pylist()
    certain, doubtful = truth.certain(names), truth.doubtful(names)
    known = KnownTruth.of(truth, claims) if certain.num_rows else None
    return known, None if doubtful is None else Assessments.of(doubtful, claims)
