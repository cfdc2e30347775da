"""The stage after a fit: rules act on what a model believes of the items of each entity.

Items of an entity may be in different blocks. So the blocks say which entities rules touch, give
the states of their items, and get back the probabilities of these, given the rules. Only the items
that rules touch are held in one place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.labels.lookup import Labels
from veracity.data.notes import Note, plural
from veracity.data.output.results import redecide
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums, Together
from veracity.models.rules.bound_rules import BoundRules, RulesAt
from veracity.models.rules.components import marginals
from veracity.models.rules.item_states import ItemStates
from veracity.models.rules.told_states import Told, with_told
from veracity.models.tables import Judged

#: A plausibility that rules move by less than this is not counted as changed.
MOVED = 0.01
EXAMPLES = 3

#: The probabilities of the states of items, by entity and attribute.
Marginals = dict[tuple[str, str], Floats]


class Turned(NamedTuple):
    """A verdict that rules changed."""

    entity: str
    attribute: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.attribute} of {self.entity} ({self.before} before, {self.after} now)"


def apply_rules(
    judged: Blocks[Judged], rules: BoundRules, told: Told, random_state: int
) -> tuple[Blocks[Judged], list[Note]]:
    """Return the judgement given the rules, and what a user should know about their effect.

    `told` are statements of rules that are known to be true.
    """
    seen = judged.total(_mentioned, rules)
    entities = seen["entities"].members | {entity for entity, _ in told}
    states = [item for part in judged.results(_states, rules, entities) for item in part]
    found = marginals(with_told(states, told, rules), rules.links)
    changed = judged.total(_changes, rules, found, random_state)
    notes = [*rules.notes, *rules.unclaimed_note(seen["claimed"].members)]
    n_touched = sum((item.entity, item.shape.attribute) in found for item in states)
    notes.append(_note(len(rules.links), n_touched, changed))
    return judged.prepare(_with_rules, rules, found, random_state), notes


def _at(judged: Judged, rules: BoundRules) -> RulesAt:
    return rules.at(judged.block.matrix, judged.block.claims.forms)


def _mentioned(judged: Judged, rules: BoundRules) -> Sums:
    at = _at(judged, rules)
    claimed = frozenset(np.unique(at.number).tolist())
    return {"entities": Together(frozenset(at.entities())), "claimed": Together(claimed)}


def _states(judged: Judged, rules: BoundRules, entities: frozenset[str]) -> list[ItemStates]:
    at = _at(judged, rules)
    items = at.items_of(entities).tolist()
    return list(at.states(items, judged.plausibility, judged.block.known))


def adjust(
    at: RulesAt, plausibility: Floats, found: Marginals
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return plausibilities given the rules, and the items that they act on."""
    matrix = at.matrix
    after, touched = plausibility.copy(), np.zeros(matrix.n_items, np.bool_)
    labels, attributes = Labels(matrix.entities), matrix.attributes.to_pylist()
    for item in at.items_of({entity for entity, _ in found}).tolist():
        entity = labels[int(matrix.entity_index[item])]
        states = found.get((entity, attributes[matrix.attribute_index[item]]))
        if states is not None:
            own = slice(matrix.statement_start[item], matrix.statement_start[item + 1])
            after[own] = at.adjusted(item, plausibility, states)
            touched[item] = True
    return after, touched


def _with_rules(judged: Judged, rules: BoundRules, found: Marginals, random_state: int) -> Judged:
    return _adjusted(judged, rules, found, random_state)[0]


def _adjusted(
    judged: Judged, rules: BoundRules, found: Marginals, random_state: int
) -> tuple[Judged, list[int]]:
    """Return a block's judgement given the rules, and the items that they act on."""
    plausibility, touched = adjust(_at(judged, rules), judged.plausibility, found)
    matrix = judged.block.matrix
    verdict = redecide(matrix, judged.verdict, plausibility, touched, random_state)
    after = replace(judged, plausibility=plausibility, verdict=verdict)
    return after, np.flatnonzero(touched).tolist()


def _changes(judged: Judged, rules: BoundRules, found: Marginals, random_state: int) -> Sums:
    """Count the items that rules move, and name verdicts that they change."""
    after, touched = _adjusted(judged, rules, found, random_state)
    matrix = judged.block.matrix
    moved = np.abs(after.plausibility - judged.plausibility) > MOVED
    before, now = _believed(judged, touched), _believed(after, touched)
    entities, attributes = Labels(matrix.entities), matrix.attributes.to_pylist()
    turned = [
        Turned(
            entities[int(matrix.entity_index[item])],
            attributes[matrix.attribute_index[item]],
            before[item],
            now[item],
        )
        for item in touched
        if before[item] != now[item]
    ]
    return {
        "n_moved": len(np.unique(matrix.item_of_statement[moved])),
        "n_turned": len(turned),
        "examples": Together(frozenset(sorted(turned)[:EXAMPLES])),
    }


def _believed(judged: Judged, items: list[int]) -> dict[int, str]:
    """Return what is believed of items, in words."""
    matrix, verdict = judged.block.matrix, judged.verdict
    labels, believed = Labels(matrix.values), dict[int, list[str]]()
    of_verdict = matrix.item_of_statement[verdict.statement]
    for place in np.flatnonzero(np.isin(of_verdict, items)).tolist():
        item = int(of_verdict[place])
        value = labels[int(matrix.value_index[verdict.statement[place]])]
        if not verdict.holds[place]:
            value = str(matrix.profiles[matrix.attribute_index[item]].negative)
        believed.setdefault(item, []).append(value)
    return {item: "; ".join(sorted(values)) for item, values in believed.items()}


def _note(n_rules: int, n_touched: int, changed: Sums) -> Note:
    """Say what the rules did."""
    if not n_touched:
        return Note("rules", f"No claims meet the {plural(n_rules, 'rule')}; nothing changes.", 0)
    text = (
        f"{plural(n_rules, 'rule acts', 'rules act')} on {plural(n_touched, 'item')}. By them, the "
        f"plausibilities of {plural(changed['n_moved'], 'item')} move by more than {MOVED:g}, and "
        f"{plural(changed['n_turned'], 'verdict changes', 'verdicts change')}"
    )
    examples = sorted(changed["examples"].members)[:EXAMPLES]
    such = f": {'; '.join(map(str, examples))}" if examples else ""
    more = " and others" if changed["n_turned"] > len(examples) > 0 else ""
    return Note("rules", f"{text}{such}{more}.", changed["n_turned"])
