"""What methods make of labels of one set: labels are drawn, and the rest is judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from guarantee import hindsight
from labels_figures import (
    AUDIT,
    LABELLED,
    PEER,
    REPAIR,
    UNCERTAIN,
    UNLABELLED,
    VOTE,
    Figures,
    over_draws,
)
from labels_fit import FittedOnce, Judgement
from labels_peer import Peer
from public_sets import generator

from veracity.data.arrays import Indices, Mask
from veracity.data.output.decisions import is_decided, least_within
from veracity.errors import InputError
from veracity.evaluation.calibration import log_loss
from veracity.evaluation.guarantee import Limit, certify

NUMBERS = (0, 5, 10, 20, 50, 100, 200)
#: At so many labels, other choices than random ones are tried.
CHOSEN = (20, 50)
#: At so many labels, they are also taken as an audit.
AUDITED = (100, 200)
LIMIT = Limit(0.05, 0.95)
#: A loss of more than this is counted.
CLEAR_LOSS = 0.02


def run(base: FittedOnce, name: str, n_draws: int, n_peer_draws: int) -> list[Figures]:
    """Return the figures of a set: at most half of the judged items are labelled."""
    found: dict[tuple[str, int, str], list[Figures]] = {}
    peer, left_out = None, []
    try:
        peer = Peer(base)
    except InputError as error:
        left_out.append(Figures(name, AUDIT, 0, PEER, base.n_items, 0, left_out=str(error)))
    for draw in range(n_draws):
        used = peer if draw < n_peer_draws else None
        for figures in drawn_once(base, name, draw, used):
            found.setdefault(figures.key[1:], []).append(figures)
    for figures in chosen(base, name):
        found.setdefault(figures.key[1:], []).append(figures)
    return [*map(over_draws, found.values()), *left_out]


def drawn_once(base: FittedOnce, name: str, draw: int, peer: Peer | None) -> Iterator[Figures]:
    """Yield the figures of one random order of the items, of which the first are labelled."""
    order = generator(f"{name} labels {draw}").permutation(base.n_items)
    without = base.unlabelled()
    for n_labels in possible(base, NUMBERS):
        items = order[:n_labels]
        rest = np.ones(base.n_items, np.bool_)
        rest[items] = False
        judged = {UNLABELLED: without}
        figures: dict[str, Figures] = {}
        if n_labels:
            learned = base.learn(items)
            fair = base.crossfitted(learned)
            judged |= {LABELLED: base.labelled(learned), VOTE: base.by_vote(learned)}
        else:
            fair = without
            judged |= {LABELLED: without, VOTE: base.by_vote(None)}
        if peer is not None:
            judged[PEER] = peer.judge(items)
        for method, judgement in judged.items():
            figures[method] = figures_of(name, AUDIT, n_labels, method, judgement, rest)
        figures[LABELLED] = replace(figures[LABELLED], **taught(fair), **losses(figures))
        if n_labels in AUDITED:
            kept = fair.verdict == judged[LABELLED].verdict
            for method, ranked, listed in (
                (LABELLED, fair, kept),
                (UNLABELLED, without, np.ones_like(kept)),
            ):
                seed = f"{name} ties {draw} {n_labels}"
                listing = guarantee(ranked, items, listed, seed)
                figures[method] = replace(figures[method], **listing)
        yield from figures.values()


def possible(base: FittedOnce, numbers: tuple[int, ...]) -> list[int]:
    """Return the numbers of labels that leave at least half of the items."""
    return [number for number in numbers if 2 * number <= base.n_items]


def figures_of(
    name: str, choice: str, n_labels: int, method: str, judged: Judgement, rest: Mask
) -> Figures:
    """Hold verdicts on the rest against the truth."""
    right, plausibility, tie = judged.right[rest], judged.plausibility[rest], judged.tie[rest]
    least = least_within(plausibility, tie, LIMIT.error_rate)
    accepted = is_decided(plausibility, tie) & (plausibility >= least)
    return Figures(
        *(name, choice, n_labels, method, len(rest), 1),
        accuracy=float(right.mean()),
        log_loss=log_loss(plausibility, right),
        accepted=float(accepted.mean()),
        wrong=float((accepted & ~right).mean()),
        accuracy_of_all=float((judged.right | ~rest).mean()),
    )


def taught(fair: Judgement) -> dict[str, Any]:
    """Hold verdicts on all items, by labels of others, against the truth."""
    return {
        "taught": float(fair.right.mean()),
        "taught_log_loss": log_loss(fair.plausibility, fair.right),
    }


def losses(figures: Mapping[str, Figures]) -> dict[str, Any]:
    """Say whether the default with labels is clearly under others."""
    own, without, vote = (figures[name].accuracy or 0.0 for name in (LABELLED, UNLABELLED, VOTE))
    return {
        "under_better": float(own < max(without, vote) - CLEAR_LOSS),
        "under_default": float(own < without - CLEAR_LOSS),
    }


def guarantee(ranked: Judgement, audited: Indices, kept: Mask, seed: str) -> dict[str, Any]:
    """Return what labels guarantee as an audit, and whether the list keeps its promise."""
    n_items = len(ranked.right)
    order = np.lexsort((generator(seed).random(n_items), -ranked.plausibility))
    wrong, kept = ~ranked.right[order], kept[order]
    found = certify(np.isin(order, audited), wrong, LIMIT, kept)
    n_wrong = int((wrong & kept)[: found.n_ranked].sum())
    return {
        "guaranteed": found.share,
        "exceeded": float(n_wrong > LIMIT.most_wrong(found.n_listed)),
        "hindsight": hindsight(wrong, LIMIT),
    }


def chosen(base: FittedOnce, name: str) -> Iterator[Figures]:
    """Yield the figures of labels that are not chosen at random."""
    without = base.unlabelled()
    ties = generator(f"{name} ties").random(base.n_items)
    for choice, least in ((REPAIR, without.plausibility), (UNCERTAIN, without.margin)):
        order = np.lexsort((ties, least))
        for n_labels in possible(base, CHOSEN):
            items = order[:n_labels]
            rest = np.ones(base.n_items, np.bool_)
            rest[items] = False
            learned = base.learn(items)
            figures = figures_of(name, choice, n_labels, LABELLED, base.labelled(learned), rest)
            yield replace(figures, **taught(base.crossfitted(learned)))
