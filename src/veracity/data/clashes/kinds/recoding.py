"""Recoding: a source calls A what the others call B, one label for one label."""

from __future__ import annotations

from collections import Counter

from veracity.data.clashes.pairs import Pairs
from veracity.data.clashes.transformation import Proposals, Respelling

#: More labels than this are no coding.
MOST_LABELS = 24
#: A label stands for another if each meets the other most often, and at least so often.
LEAST = 2


def recoding(pairs: Pairs) -> Proposals:
    """Propose to read labels as those that they meet, if each meets one of its own."""
    own, others = Counter(pairs.own), Counter(pairs.others)
    if len(own) > MOST_LABELS or len(others) > MOST_LABELS or len(others) < 2:
        return
    codes = coding(pairs)
    moved = {label: other for label, other in codes.items() if label != other}
    if not moved or not _is_recoding(moved, pairs.usual):
        return
    shown = ", ".join(f"{label!r} for {other!r}" for label, other in list(moved.items())[:3])
    is_swap = len(moved) == 2 and set(moved) == set(moved.values()) == set(others)
    yield Respelling(
        "opposite" if is_swap else "labels",
        "; ".join(f"{label!r} -> {other!r}" for label, other in list(moved.items())[:6]),
        "says the opposite of the others" if is_swap else f"uses other labels ({shown})",
        "swap the two labels" if is_swap else "replace its labels",
        lambda text: codes.get(text, text),
        is_vague=True,
        read=lambda text: codes.get(text, text),
    )


def coding(pairs: Pairs) -> dict[str, str]:
    """Return the label of the others that each label stands for, where it is clear.

    >>> both = Pairs(["0", "1", "0", "1"], ["no", "yes", "no", "yes"], frozenset(["no", "yes"]))
    >>> coding(both)
    {'0': 'no', '1': 'yes'}
    """
    met = Counter(zip(pairs.own, pairs.others, strict=True))
    of_own, of_others = _commonest(met, 0), _commonest(met, 1)
    return {
        label: other
        for label, other in sorted(of_own.values())
        if of_others[other] == (label, other) and met[label, other] >= LEAST
    }


def _commonest(met: Counter[tuple[str, str]], side: int) -> dict[str, tuple[str, str]]:
    """Return the pair that each label of one side is in most often."""
    found: dict[str, tuple[str, str]] = {}
    for pair, _ in sorted(met.items(), key=lambda item: (-item[1], item[0])):
        found.setdefault(pair[side], pair)
    return found


def _is_recoding(moved: dict[str, str], usual: frozenset[str]) -> bool:
    """Whether labels change places, or are labels that few others use.

    A source that uses one label for two, as a careless one does, has no coding of its own.
    """
    targets = set(moved.values())
    return all(
        label not in usual or (label in targets and target in moved)
        for label, target in moved.items()
    )
