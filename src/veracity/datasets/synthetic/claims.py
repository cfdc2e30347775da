"""Claims by attribute: truth is drawn, answers are given, and the best decision is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Indices, Mask
from veracity.datasets.synthetic.decisions import Decisions, judge_multiple, judge_single
from veracity.datasets.synthetic.multiple import draw_denied_sets, draw_named_sets, draw_true_sets
from veracity.datasets.synthetic.rates import Rates
from veracity.datasets.synthetic.single import draw_answers, draw_truth
from veracity.datasets.synthetic.specs import AttributeSpec
from veracity.datasets.synthetic.visits import Visits


@dataclass(frozen=True)
class Block:
    """All that is drawn about one attribute.

    Attributes
    ----------
    visit, value, asserts
        The claims: the visit at which each was made, and what it says.
    true_entity, true_value
        The truth, one entry per true value.
    decisions
        How well the best decision does.
    """

    visit: Indices  # (n_claims,)
    value: Indices  # (n_claims,)
    asserts: Mask  # (n_claims,)
    true_entity: Indices  # (n_true,)
    true_value: Indices  # (n_true,)
    decisions: Decisions


def draw_blocks(
    rng: np.random.Generator,
    attributes: Sequence[AttributeSpec],
    visits: Visits,
    rates: Rates,
    n_entities: int,
    denials: float,
) -> list[Block]:
    """Draw truth and claims, attribute by attribute."""
    blocks = []
    for number, spec in enumerate(attributes):
        chosen, part = visits.about(number)
        draw_block = _multiple_block if spec.kind == "multiple" else _single_block
        blocks.append(draw_block(rng, spec, chosen, part, rates.at(chosen), n_entities, denials))
    return blocks


def _single_block(
    rng: np.random.Generator,
    spec: AttributeSpec,
    visit: Indices,
    visits: Visits,
    rates: Rates,
    n_entities: int,
    denials: float,
) -> Block:
    truth = draw_truth(rng, spec, n_entities)
    answers = draw_answers(rng, spec, truth, visits, rates, denials)
    decisions = judge_single(spec, truth, visits, rates, answers)
    entities = np.arange(n_entities)
    return Block(visit, answers.value, answers.asserts, entities, truth.value, decisions)


def _multiple_block(
    rng: np.random.Generator,
    spec: AttributeSpec,
    visit: Indices,
    visits: Visits,
    rates: Rates,
    n_entities: int,
    denials: float,
) -> Block:
    true_set = draw_true_sets(rng, spec, n_entities)
    named = draw_named_sets(rng, true_set, visits, rates)
    denied = draw_denied_sets(rng, named, visits, denials)
    decisions = judge_multiple(spec, true_set, visits, rates, named, denied)
    row, value = np.nonzero(named | denied)
    entity, true_value = np.nonzero(true_set)
    return Block(visit[row], value, named[row, value], entity, true_value, decisions)
