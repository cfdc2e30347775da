"""BoundRules: rules, matched to the attributes of claims and to the statements of a block."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.clean.values import ValueForms
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.labels.lookup import Labels
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note, plural
from veracity.data.rules.consistency import Literal, checked
from veracity.data.rules.table import Rules
from veracity.data.truth.known import KnownTruth, label_codes
from veracity.errors import listing
from veracity.models.rules.components import Premise, RuleLink
from veracity.models.rules.item_states import OTHERS, UNCLAIMED, ItemStates, Shape

#: Less than this is left of the probabilities of an item by rounding alone.
ROUNDING = 1e-9

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class BoundRules:
    """Rules that fit the claims.

    Attributes
    ----------
    links
        The rules that say something; those of weight 0 are left out.
    numbers
        The number of each statement that rules speak of; of a boolean attribute, that of yes.
    premises
        What each statement stands for in the rules.
    with_one_value
        The attributes whose items have one true value, and are judged as such.
    notes
        What a user should know about the rules.
    """

    links: tuple[RuleLink, ...]
    numbers: dict[Literal, int]
    premises: dict[Literal, Premise]
    with_one_value: frozenset[str]
    notes: tuple[Note, ...]

    @classmethod
    def of(
        cls,
        rules: Rules,
        attributes: Sequence[AttributeProfile],
        forms: ValueForms,
        statements_alone: bool,
    ) -> BoundRules:
        """Match rules to the attributes of claims; refuse those that do not fit or contradict.

        `statements_alone` says that the model judges every statement by itself.
        """
        ends = checked(tuple(rules), attributes, forms.key)
        words = {
            profile.name: (
                forms.key(profile.name, str(profile.positive)),
                forms.key(profile.name, str(profile.negative)),
            )
            for profile in attributes
            if profile.kind == "boolean"
        }
        numbers: dict[Literal, int] = {}
        premises: dict[Literal, Premise] = {}

        def premise(literal: Literal) -> Premise:
            yes, no = words.get(literal.attribute, (literal.key, None))
            says_no = literal.key == no
            about = literal._replace(key=yes) if says_no else literal
            number = numbers.setdefault(about, len(numbers))
            return premises.setdefault(literal, Premise(number, literal.attribute, says_no))

        idle = [end.rule for end in ends if end.rule.penalty == 0.0]
        links = tuple(
            RuleLink(end.rule, premise(end.first), premise(end.second))
            for end in ends
            if end.rule.penalty > 0.0
        )
        notes = []
        if idle:
            text = f"{plural(len(idle), 'rule has', 'rules have')} weight 0 and changes nothing."
            text = text if len(idle) == 1 else text.replace("changes", "change")
            notes.append(Note("rules", text, len(idle)))
        single = [profile.name for profile in attributes if profile.kind == "single"]
        with_one_value = frozenset(() if statements_alone else single)
        return cls(links, numbers, premises, with_one_value, tuple(notes))

    @property
    def attributes(self) -> set[str]:
        """The attributes that rules speak of."""
        return {literal.attribute for literal in self.numbers}

    def at(self, matrix: ClaimMatrix, forms: ValueForms) -> RulesAt:
        """Find the statements of a block that rules speak of."""
        number = np.full(matrix.n_statements, OTHERS, np.int64)
        attributes = matrix.attributes.to_pylist()
        of_statement = matrix.attribute_index[matrix.item_of_statement]
        for name in self.attributes & set(attributes):
            own = np.flatnonzero(of_statement == attributes.index(name))
            of_value = np.full(len(matrix.values), OTHERS, np.int64)
            for value, key in self._values(name, matrix.value_index[own], matrix.values, forms):
                of_value[value] = self.numbers.get(Literal(name, key), OTHERS)
            number[own] = of_value[matrix.value_index[own]]
        return RulesAt(self, matrix, number)

    def _values(
        self,
        attribute: str,
        claimed: npt.NDArray[np.int32],
        labels: pa.StringArray,
        forms: ValueForms,
    ) -> Iterator[tuple[int, str]]:
        """Return the values of an attribute that rules may speak of, with their forms."""
        if forms.change_anything():
            texts = Labels(labels)
            for value in np.unique(claimed).tolist():
                yield value, forms.key(attribute, texts[value])
            return
        keys = [literal.key for literal in self.numbers if literal.attribute == attribute]
        for value, key in zip(_places(keys, labels).tolist(), keys, strict=True):
            if value >= 0:
                yield value, key

    def unclaimed_note(self, claimed: Collection[int]) -> list[Note]:
        """Say which statements of rules nobody claims about any entity."""
        missing = [
            f"{literal.attribute} = {literal.key}"
            for literal, number in self.numbers.items()
            if number not in claimed
        ]
        if not missing:
            return []
        text = (
            f"Nobody claims {plural(len(missing), 'statement')} that rules speak of, about any "
            f"entity: {listing(missing, 5)}."
        )
        return [Note("rules", text, len(missing))]


@dataclass(frozen=True, eq=False)
class RulesAt:
    """Rules, and the number that each statement of a block has among those of the rules.

    ``number`` is `OTHERS` for a statement that no rule speaks of; (n_statements,).
    """

    rules: BoundRules
    matrix: ClaimMatrix
    number: Places

    def entities(self) -> set[str]:
        """Return the entities about which somebody claims the first statement of a rule."""
        first = np.array([link.first.number for link in self.rules.links], np.int64)
        about = self.matrix.item_of_statement[np.isin(self.number, first)]
        labels = Labels(self.matrix.entities)
        return {labels[int(entity)] for entity in np.unique(self.matrix.entity_index[about])}

    def items_of(self, entities: Iterable[str]) -> Places:
        """Return the items of entities whose attributes rules speak of."""
        wanted = _places(list(entities), self.matrix.entities)
        attributes = self.matrix.attributes.to_pylist()
        spoken = [place for place, name in enumerate(attributes) if name in self.rules.attributes]
        chosen = np.isin(self.matrix.entity_index, wanted[wanted >= 0])
        return np.flatnonzero(chosen & np.isin(self.matrix.attribute_index, spoken))

    def states(
        self, items: Iterable[int], plausibility: Floats, known: KnownTruth | None
    ) -> Iterator[ItemStates]:
        """Return the states of items and how likely they are, by the plausibilities."""
        matrix = self.matrix
        entities, attributes = Labels(matrix.entities), matrix.attributes.to_pylist()
        settled = np.zeros(matrix.n_items, np.bool_) if known is None else known.settled
        for item in items:
            first, last = matrix.statement_start[item], matrix.statement_start[item + 1]
            attribute = attributes[matrix.attribute_index[item]]
            number, p = self.number[first:last], plausibility[first:last]
            mentioned = np.flatnonzero(number != OTHERS)
            states, probability = number[mentioned].tolist(), p[mentioned].tolist()
            one_value = self._has_one_value(item)
            if one_value:
                others = float(np.delete(p, mentioned).sum())
                left = max(1.0 - float(p.sum()), 0.0)
                if len(mentioned) < len(number):
                    states, probability = [*states, OTHERS], [*probability, others]
                if matrix.domain_size[item] > len(number) or left > ROUNDING:
                    states, probability = [*states, UNCLAIMED], [*probability, left]
            shape = Shape(attribute, tuple(states), one_value)
            entity = entities[int(matrix.entity_index[item])]
            yield ItemStates(entity, shape, np.array(probability), bool(settled[item]))

    def adjusted(self, item: int, plausibility: Floats, states: Floats) -> Floats:
        """Return the plausibilities of an item's statements, given those of its states."""
        matrix = self.matrix
        first, last = matrix.statement_start[item], matrix.statement_start[item + 1]
        number, p = self.number[first:last], plausibility[first:last].copy()
        mentioned = np.flatnonzero(number != OTHERS)
        others = np.flatnonzero(number == OTHERS)
        own = states[: len(mentioned)]
        p[mentioned] = np.where(np.isnan(own), p[mentioned], own)
        if self._has_one_value(item) and len(others):
            before = p[others].sum()
            share = p[others] / before if before > 0.0 else np.full(len(others), 1 / len(others))
            p[others] = share * states[len(mentioned)]
        return np.clip(p, 0.0, 1.0)

    def _has_one_value(self, item: int) -> bool:
        profile = self.matrix.profiles[self.matrix.attribute_index[item]]
        return profile.name in self.rules.with_one_value


def _places(texts: list[str], labels: pa.StringArray) -> Places:
    """Return the place of each text among labels, -1 where it is none of them."""
    return label_codes(pa.chunked_array([pa.array(texts, pa.string())]), labels)
