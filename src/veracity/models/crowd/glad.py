"""GLAD: abilities of sources and difficulties of items."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import take_labels, to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.labels.arrays import arrays_to_labels, labels_to_arrays
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.tables import Table
from veracity.data.truth.known import KnownTruth
from veracity.engines.threads import over_threads
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.crowd.crowd_model import CrowdModel, check_positive
from veracity.models.crowd.glad_kernels import glad_pass
from veracity.models.per_source import Learned, largest_change
from veracity.models.views.by_class import Ballots
from veracity.models.whole_table import WholeTable

Codes = npt.NDArray[np.uint32]


class GLAD(WholeTable, CrowdModel):
    """Learn how able each source is, and how difficult each item.

    Generative model of labels, abilities and difficulties (Whitehill, Ruvolo, Wu, Bergsma and
    Movellan, Whose vote should count more, NIPS 2009). With alpha_s the ability of a source,
    beta_i > 0 the easiness of an item, 1 / beta_i its difficulty, and D the number of answers
    that a question may have:

        P(s is right about i) = sigmoid(alpha_s beta_i)

    and every wrong answer is equally likely. All answers are equally probable beforehand; alpha
    and log beta have normal prior distributions. It assumes that what is difficult is so for every
    source, and that sources err independently of each other; one of ability 0 guesses, one of
    negative ability is wrong more often than a coin.

    The parameters are those of the largest posterior density, found by expectation maximisation.
    Its maximisation step is partial: one safe Newton step for each item's log beta, then the
    maximum over alpha of a parabola that lies below the expected log-likelihood and touches it
    (Jaakkola and Jordan, 2000). So the posterior density never falls.

    A closed attribute has its claimed values as answers, a boolean one yes and no. Each value of an
    attribute with several true ones is a question for yes and no by itself, but the item has one
    difficulty for all of them. A question of an open attribute may have the claimed answers and one
    more. Items that were not seen in the fit have the easiness that their prior is centred on.

    Parameters
    ----------
    ability_prior, easiness_prior
        Mean and standard deviation of alpha and of log beta; the means are those of the paper.
    max_iter, tol
        Iterations at most, and the largest change of an alpha or log beta to stop at; None for
        `max_iter` iterations.
    random_state
        Seed for breaking ties.

    Attributes
    ----------
    difficulty_
        How difficult each item is: entity, attribute, difficulty.

    Examples
    --------
    >>> from veracity import GLAD
    >>> colours = ["blue", "blue", "red", "green", "green", "red"]
    >>> entities = ["sky"] * 3 + ["grass"] * 3
    >>> claims = {"source": ["a", "b", "c"] * 2, "entity": entities, "value": colours}
    >>> GLAD().fit_predict(claims)["value"].to_pylist()
    ['green', 'blue']
    """

    def __init__(
        self,
        ability_prior: tuple[float, float] = (1.0, 1.0),
        easiness_prior: tuple[float, float] = (1.0, 1.0),
        max_iter: int = 500,
        tol: float | None = 1e-4,
        random_state: int = 0,
    ) -> None:
        self.ability_prior = ability_prior
        self.easiness_prior = easiness_prior
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        for name in ("ability_prior", "easiness_prior"):
            pair = getattr(self, name)
            if len(pair) != 2 or not np.isfinite(pair[0]):
                raise InvalidParameter(f"{name} must be two numbers. Got {pair!r} instead.")
            check_positive(**{f"{name}[1]": pair[1]})

    def _fit_table(self, claims: Claims, known: KnownTruth | None) -> Judgement:
        matrix = claims.matrix
        ballots = self._all_ballots(matrix, known)
        mean, deviation = self.ability_prior
        ability = next_ability = np.full(matrix.n_sources, float(mean))
        easiness = next_easiness = np.full(matrix.n_items, float(self.easiness_prior[0]))
        belief = np.empty(0)
        voters = sources_of_votes(ballots)

        def step() -> dict[str, float]:
            nonlocal ability, next_ability, easiness, next_easiness, belief
            ability, easiness = next_ability, next_easiness
            found, sums, next_easiness, belief = self._pass(ballots, voters, ability, easiness)
            slope, curvature = sums.T
            next_ability = (slope + mean / deviation**2) / (curvature + 1 / deviation**2)
            change = max(
                largest_change(next_ability, ability), largest_change(next_easiness, easiness)
            )
            return {"log_likelihood": found + self._log_prior(ability, easiness), "change": change}

        self._iterate(step)
        self.learned_ = Learned.with_average({"log_easiness": easiness}, ability=ability)
        self._entity_labels, self._attribute_labels = matrix.entities, matrix.attributes
        self._item_key = item_keys(matrix, len(matrix.attributes))
        return Judgement(ballots.plausibility(belief))

    def _log_prior(self, ability: Floats, easiness: Floats) -> float:
        """Return the logarithm of the prior density, up to a constant."""
        total = 0.0
        for numbers, (mean, deviation) in (
            (ability, self.ability_prior),
            (easiness, self.easiness_prior),
        ):
            total -= 0.5 * float(np.sum(((numbers - mean) / deviation) ** 2))
        return total

    def _pass(
        self,
        ballots: Ballots,
        voters: tuple[Codes, Codes],
        ability: Floats,
        easiness: Floats,
        learning: bool = True,
    ) -> tuple[float, Floats, Floats, Floats]:
        """Return log-likelihood, sums for the abilities, next easiness, and belief in answers."""
        belief = np.empty(ballots.questions.n_answers)
        following = np.empty(len(easiness))
        mean, deviation = self.easiness_prior

        def work(first: int, last: int) -> tuple[float, Floats]:
            sums = np.zeros((len(ability), 2))
            log_likelihood = glad_pass(
                first, last, ballots.poll, *voters, ability, easiness,
                float(mean), 1.0 / deviation**2, learning, following, sums, belief,
            )  # fmt: skip
            return log_likelihood, sums

        parts = over_threads(work, ballots.poll.item_start)
        sums = np.sum([part[1] for part in parts], axis=0)
        return sum(part[0] for part in parts), sums, following, belief

    def _believe(self, ballots: Ballots, claims: Claims) -> Floats:
        ability = self._learned_at(claims).of_source["ability"]
        place = self._item_places(claims.matrix)
        learned = self.learned_.shared["log_easiness"]
        easiness = np.where(place >= 0, learned[place], float(self.easiness_prior[0]))
        voters = sources_of_votes(ballots)
        return self._pass(ballots, voters, ability, easiness, learning=False)[-1]

    def _item_places(self, matrix: ClaimMatrix) -> Indices:
        """Return the place of each item among those of the fit, -1 for new ones; (n_items,)."""
        entity = codes_among(matrix.entities, self._entity_labels)[matrix.entity_index]
        attribute = codes_among(matrix.attributes, self._attribute_labels)[matrix.attribute_index]
        wanted = entity * len(self._attribute_labels) + attribute
        order = np.argsort(self._item_key, kind="stable")
        keys = self._item_key[order]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found = (keys[place] == wanted) & (entity >= 0) & (attribute >= 0)
        return np.where(found, order[place], -1)

    @property
    def difficulty_(self) -> Table:
        """How difficult each item is: entity, attribute, difficulty."""
        self._check_fitted("difficulty_")
        n_attributes = len(self._attribute_labels)
        columns = {
            "entity": take_labels(self._entity_labels, self._item_key // n_attributes),
            "attribute": take_labels(self._attribute_labels, self._item_key % n_attributes),
            "difficulty": to_arrow(np.exp(-self.learned_.shared["log_easiness"])),
        }
        return Table("difficulty", pa.table(columns))

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        state, arrays = super()._state()
        text, offsets = labels_to_arrays(self._entity_labels)
        arrays |= {"entities": text, "entity_starts": offsets, "items": self._item_key}
        return {**state, "attributes": self._attribute_labels.to_pylist()}, arrays

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        super()._restore(state, arrays, module)
        self._entity_labels = arrays_to_labels(arrays["entities"], arrays["entity_starts"])
        self._attribute_labels = pa.array(state["attributes"], pa.string())
        self._item_key = arrays["items"]


def sources_of_votes(ballots: Ballots) -> tuple[Codes, Codes]:
    """Return who each vote is by, and each blanket vote."""
    source, poll = ballots.cells.source.astype(np.uint32), ballots.poll
    return source[poll.vote_cell], source[poll.blanket_cell]


def item_keys(matrix: ClaimMatrix, n_attributes: int) -> Indices:
    """Return one number for the entity and the attribute of each item; (n_items,)."""
    return matrix.entity_index.astype(np.int64) * n_attributes + matrix.attribute_index


def codes_among(labels: pa.StringArray, among: pa.StringArray) -> Indices:
    """Return the place of each label among others, -1 if it is not there."""
    found = pc.fill_null(pc.index_in(labels, value_set=among), -1)
    return to_numpy(found).astype(np.int64)
