"""Comparing: the answers of each source about an attribute beside those of the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.clashes.answers import Answers
from veracity.data.clashes.kinds import DIGIT_KINDS, NUMBER_KINDS, TEXT_KINDS
from veracity.data.clashes.other_numbers import are_numbers, median_of_others
from veracity.data.clashes.others import UNKNOWN, most_others
from veracity.data.clashes.pairs import Pairs, Spread
from veracity.data.clashes.readings import plain_numbers, read_plain
from veracity.data.clashes.trial import FEWEST, GAIN, MOST, SEED, Trial, try_all


@dataclass(frozen=True, eq=False)
class Comparing:
    """The answers about an attribute beside those of the others.

    Attributes
    ----------
    answers
        What sources say.
    others
        The value that most others give, for each answer.
    numbers, spread
        The median of the others, and how far apart those that agree are; None if the attribute has
        no numbers.
    decimals
        How many decimals numbers have most often.
    n_compared, n_agreements, n_disagreements
        Counts of the answers of each source. Numbers that are close agree, and disagree where they
        are not spelled alike.
    """

    answers: Answers
    others: Indices
    numbers: Floats | None
    spread: Spread | None
    decimals: int
    n_compared: Floats
    n_agreements: Floats
    n_disagreements: Floats

    @classmethod
    def of(cls, answers: Answers) -> Comparing:
        """Compare each answer with those of the others."""
        others = most_others(answers.item, answers.value)
        compared = others != UNKNOWN
        agree = compared & (others == answers.value)
        differ = compared & ~agree
        number = _numbers(answers)
        numbers, spread, decimals = None, None, 0
        if are_numbers(number):
            numbers, spread = median_of_others(answers.item, number)
            with_number = np.isfinite(numbers)
            close = with_number & spread.close(number, numbers)
            agree, differ = agree | close, differ | (with_number & ~close)
            compared = compared | with_number
            decimals = _commonest_decimals(answers.texts)
        n_sources = int(answers.source.max(initial=-1)) + 1
        counts = (
            sum_by(answers.source, marked.astype(np.float64), n_sources)
            for marked in (compared, agree, differ)
        )
        return cls(answers, others, numbers, spread, decimals, *counts)

    def doubtful(self) -> list[int]:
        """Return the sources that disagree often enough to look for a reason."""
        often = self.n_disagreements >= GAIN * self.n_compared
        return np.flatnonzero(often & (self.n_compared >= FEWEST)).tolist()

    def trials(self, source: int) -> list[Trial]:
        """Try transformations of the values of a source."""
        own = self.answers.of_source(source)
        tried = []
        if self.numbers is not None:
            tried = try_all(self._number_pairs(own[np.isfinite(self.numbers[own])]), NUMBER_KINDS)
        kinds = TEXT_KINDS if self.numbers is None else DIGIT_KINDS
        return tried + try_all(self._text_pairs(own[self.others[own] != UNKNOWN]), kinds)

    def _text_pairs(self, own: Indices) -> Pairs:
        texts, value = self.answers.texts, self.answers.value
        common = frozenset(texts[code] for code in np.unique(self.others[own]).tolist())
        usual = frozenset(texts[code] for code in self._usual(np.unique(value[own])).tolist())
        own = _some(own)
        return Pairs(
            [texts[code] for code in value[own].tolist()],
            [texts[code] for code in self.others[own].tolist()],
            common,
            usual,
        )

    def _usual(self, values: Indices) -> Indices:
        """Return those values of a source that at least half of the others use."""
        n_users, n_sources = self.users
        return values[2 * (n_users[values] - 1) >= n_sources - 1]

    @cached_property
    def users(self) -> tuple[Indices, int]:
        """How many sources use each value, and how many sources there are."""
        answers = self.answers
        n_sources = int(answers.source.max(initial=0)) + 1
        used = np.unique(answers.value * n_sources + answers.source)
        n_users = np.bincount(used // n_sources, minlength=len(answers.texts))
        return n_users, len(np.unique(answers.source))

    def _number_pairs(self, own: Indices) -> Pairs:
        assert self.numbers is not None
        own = _some(own)
        texts, value = self.answers.texts, self.answers.value
        others = [
            texts[code] if code != UNKNOWN else f"{number:.{self.decimals}f}"
            for code, number in zip(self.others[own], self.numbers[own], strict=True)
        ]
        return Pairs(
            [texts[code] for code in value[own].tolist()],
            others,
            frozenset(others),
            numbers=self.numbers[own],
            spread=self.spread,
        )


def _some(places: Indices) -> Indices:
    """Return places to look at: some of many, drawn at random."""
    if len(places) <= MOST:
        return places
    return np.random.default_rng(SEED).choice(places, MOST, replace=False)


def _numbers(answers: Answers) -> Floats:
    """Return the answers as numbers, NaN where they are none; (n_answers,)."""
    return np.asarray(plain_numbers(answers.texts)[answers.value])


def _commonest_decimals(texts: list[str]) -> int:
    some = texts[:: max(len(texts) // MOST, 1)]
    counts = Counter(len(text.partition(".")[2]) for text in some if read_plain(text))
    return counts.most_common(1)[0][0] if counts else 0
