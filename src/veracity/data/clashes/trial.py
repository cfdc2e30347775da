"""Trials: whether a transformation reconciles a source with the others by more than chance.

Transformations are proposed by some of the pairs and tried on the others, so that those tried owe
nothing to the pairs that they are tried on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Mask
from veracity.data.clashes.pairs import Matching, Pairs
from veracity.data.clashes.readings import read_plain
from veracity.data.clashes.transformation import Proposals, Transformation
from veracity.data.shares import chance_of

#: Pairs that are needed, that are looked at, and the share of them that propose.
FEWEST, MOST = 12, 400
PROPOSING, MOST_PROPOSING = 0.4, 60
#: A transformation must raise agreement by this much, to this much, and settle this share of
#: disagreements and so many of them.
GAIN, AGREEMENT, SETTLED, LEAST_SETTLED = 0.25, 0.5, 0.5, 5
#: Numbers in another unit are hardly ever close to the others' as they are.
MOST_CLOSE = 0.3
#: The chance of one false report or more among all trials of a table.
LEVEL = 0.01
#: Proposals of a source and attribute that are tried.
TRIED = 3
#: Values are foreign if the others use no more than this share of them.
FOREIGN = 0.2
#: Other pairings by which agreement by chance is measured.
SHIFTS = 40
#: Agreement that two transformations may differ by and count as equal.
AS_GOOD = 0.1
SEED = 20


@dataclass(frozen=True, eq=False)
class Trial:
    """A transformation tried on pairs that did not propose it; `p` is that of chance."""

    transformation: Transformation
    pairs: Pairs
    before: Mask
    after: Mask
    p: float

    @property
    def gain(self) -> int:
        """How many more pairs agree."""
        return int(self.after.sum()) - int(self.before.sum())


def try_all(pairs: Pairs, kinds: Sequence[Callable[[Pairs], Proposals]]) -> list[Trial]:
    """Let some pairs propose transformations, and try the best of them on the rest, in order."""
    if len(pairs) < FEWEST:
        return []
    shuffled = np.random.default_rng(SEED).permutation(len(pairs))[:MOST]
    n_proposing = min(int(PROPOSING * len(shuffled)), MOST_PROPOSING)
    proposing, rest = pairs.at(shuffled[:n_proposing]), pairs.at(shuffled[n_proposing:])
    promising: list[tuple[float, int, Transformation]] = []
    for kind in kinds:
        for proposed in kind(proposing):
            found = proposed.match(proposing)
            after = found.after()
            if helps(found.before, after, least=2):
                promising.append((float(after.mean()), len(promising), proposed))
    most = sorted(promising, key=lambda one: (-one[0], one[1]))[:TRIED]
    return [_tried(proposed, rest) for _, _, proposed in sorted(most, key=lambda one: one[1])]


def _tried(proposed: Transformation, pairs: Pairs) -> Trial:
    found = proposed.match(pairs)
    return Trial(proposed, pairs, found.before, found.after(), chance(proposed, pairs, found))


def helps(before: Mask, after: Mask, least: int = LEAST_SETTLED) -> bool:
    """Whether agreement rises enough to speak of another format."""
    disagree = ~before
    settled = int((after & disagree).sum())
    return bool(
        settled >= max(least, SETTLED * disagree.sum())
        and after.mean() >= AGREEMENT
        and after.mean() - before.mean() >= GAIN
    )


def chance(transformation: Transformation, pairs: Pairs, found: Matching) -> float:
    """Return how likely chance alone brings so much agreement.

    Where the source writes values that the others never do, a transformation that had nothing to do
    with them would help no more often than it does harm (sign test), unless it makes different
    values equal. Otherwise values are compared
    with those of the others on other items: a source that guesses agrees as often with these.
    """
    before, after = found.before, found.after()
    better, worse = int((after & ~before).sum()), int((before & ~after).sum())
    sign = chance_of(better, better + worse, 0.5)
    changed = [text for text, same in zip(pairs.own, before, strict=True) if not same]
    foreign = sum(text not in pairs.common for text in changed) >= (1 - FOREIGN) * len(changed)
    if foreign and found.tells_apart and transformation.kind not in ("labels", "opposite"):
        return sign if _varied(transformation, changed) else 1.0
    if not found.tells_apart and all(read_plain(text) for text in changed):
        return 1.0  # numbers that a key makes equal were close before
    shifts = np.unique(np.linspace(1, len(pairs) - 1, SHIFTS).astype(np.int64))
    hits = sum(int(found.after(int(shift)).sum()) for shift in shifts)
    rate = (hits + 1) / (len(shifts) * len(pairs) + 2)
    guess = chance_of(int(after.sum()), len(pairs), rate)
    return max(guess, sign)


def _varied(transformation: Transformation, texts: Sequence[str]) -> bool:
    """Whether the values vary; a sensor that is stuck is in no other unit."""
    return not _is_number(transformation) or len(set(texts)) >= 3


def _is_number(transformation: Transformation) -> bool:
    return transformation.kind in ("unit", "number")


def best(trials: Sequence[Trial], n_trials: int) -> Trial | None:
    """Return the trial that settles most, of those that are beyond chance; the simpler of equals.

    `n_trials` is the number of all trials of the table (Bonferroni).
    """
    sound = [
        trial
        for trial in trials
        if trial.p <= LEVEL / max(n_trials, 1)
        and helps(trial.before, trial.after)
        and not (_is_number(trial.transformation) and trial.before.mean() > MOST_CLOSE)
    ]
    if not sound:
        return None
    most = max(float(trial.after.mean()) for trial in sound)
    as_good = [trial for trial in sound if trial.after.mean() >= most - AS_GOOD]
    return min(as_good, key=lambda trial: trial.transformation.is_vague)  # the first of these
