"""The search for clashes, attribute by attribute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa

from veracity.data.clashes.answers import Answers, answers_by_attribute
from veracity.data.clashes.clash import EXAMPLES_SHOWN, Clash
from veracity.data.clashes.comparing import Comparing
from veracity.data.clashes.trial import Trial, best
from veracity.data.matrix import ClaimMatrix

#: Sources and attributes that are looked at closely: those with the most disagreement.
MOST_CELLS = 200
#: Clashes of an attribute that are taken one by one, where it is open who the others are.
MOST_ROUNDS = 20

Trials = dict[int, list[Trial]]


def find_clashes(matrix: ClaimMatrix) -> list[Clash]:
    """Return the clashes in claims, those with the most claims first."""
    return clashes_among(answers_by_attribute(matrix), matrix.sources)


def clashes_among(answers: Iterable[Answers], sources: pa.StringArray) -> list[Clash]:
    """Return the clashes in answers about some attributes, given the names of sources."""
    attributes = [Comparing.of(about_one) for about_one in answers]
    cells = [
        (int(one.n_disagreements[source]), index, source)
        for index, one in enumerate(attributes)
        for source in one.doubtful()
    ]
    cells.sort(key=lambda cell: (-cell[0], cell[1:]))
    trials: list[Trials] = [{} for _ in attributes]
    for _, index, source in cells[:MOST_CELLS]:
        trials[index][source] = attributes[index].trials(source)
    n_trials = sum(len(found) for by_source in trials for found in by_source.values())
    clashes = [
        _clash(sources[source].as_py(), comparing, source, trial)
        for comparing, by_source in zip(attributes, trials, strict=True)
        for comparing, source, trial in _settled(comparing, by_source, n_trials)
    ]
    return sorted(clashes, key=lambda clash: (-clash.n_claims, clash.source, clash.attribute))


def _settled(
    comparing: Comparing, trials: Mapping[int, list[Trial]], n_trials: int
) -> Iterator[tuple[Comparing, int, Trial]]:
    """Return the clashes of an attribute: who clashes, and what reconciles.

    Those who clash are the odd ones out if most answers are by others. Otherwise each side is odd
    to the other: they are taken one by one, and who clashes is asked again after each.
    """
    found = _beyond_chance(trials, n_trials)
    n_clashing = sum(comparing.answers.count(source) for source in found)
    if 2 * n_clashing < len(comparing.answers):
        yield from ((comparing, source, trial) for source, trial in found.items())
        return
    for _ in range(MOST_ROUNDS):
        if not found:
            return
        source = max(found, key=lambda one: (found[one].transformation.restores, found[one].gain))
        yield comparing, source, found[source]
        write = found[source].transformation.writer(found[source].pairs.common)
        comparing = Comparing.of(comparing.answers.rewritten(source, write))
        left = {other: comparing.trials(other) for other in found if other != source}
        found = _beyond_chance(left, n_trials)


def _beyond_chance(trials: Mapping[int, list[Trial]], n_trials: int) -> dict[int, Trial]:
    chosen = {source: best(found, n_trials) for source, found in trials.items()}
    return {source: trial for source, trial in chosen.items() if trial is not None}


def _clash(name: str, comparing: Comparing, source: int, trial: Trial) -> Clash:
    pairs = trial.pairs
    shown = dict.fromkeys(
        (pairs.own[place], pairs.others[place])
        for place in (trial.after & ~trial.before).nonzero()[0].tolist()
    )
    return Clash(
        name,
        comparing.answers.attribute,
        int(comparing.n_compared[source]),
        float(trial.before.mean()),
        float(trial.after.mean()),
        trial.transformation,
        list(shown)[:EXAMPLES_SHOWN],
        pairs.common,
    )
