"""AccuCopy: sources of different accuracy, some of which copy from others."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.data.notes import Note, plural
from veracity.data.output.tables import Table
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.per_source import Learned, SourceModel, largest_change
from veracity.models.views.one_true_value import Clamp, Questions
from veracity.models.web.accu import accuracies, answer_plausibility, check_accuracy, wrong_values
from veracity.models.web.copying import (
    NEGLIGIBLE,
    Candidates,
    Pairs,
    Said,
    candidate_pairs,
    compared,
    copying_table,
    discounted,
)

#: From then on, accuracies go half the way only, lest rounds alternate between two explanations.
FREE_ROUNDS = 10


class AccuCopy(SourceModel):
    """Find out who copies whom, and count copied votes for less.

    The model of dependent sources by Dong, Berti-Équille and Srivastava (Integrating conflicting
    data: the role of source dependence, VLDB 2009). Two sources that share a true value need not
    know of each other; two that share the same wrong one, of many possible, probably do. The model
    assumes that sources are as in `Accu`, except that of each pair one may copy from the other,
    with probability `dependence_prior`; a copier repeats a share `copy_rate` of what both speak
    about, and answers the rest by itself. In every round,

    1. the probabilities that one copies the other follow by Bayes' rule from the answers that the
       two share, weighted by plausibility, and from those where they differ;
    2. votes are counted as in `Accu`, but each as far as it is no copy. The sources of a value
       are taken by falling accuracy, and count

           I(s) = product over the earlier sources s' of (1 - copy_rate P(s and s' depend))

       times their full vote;
    3. the accuracies follow from the plausibilities.

    The first round starts from plain shares of the votes. Where the truth of an answer is certain,
    step 1 is the paper's formula; in between, both cases are weighed by the plausibility, as its
    authors do later (Li, Dong, Lyons, Meng and Srivastava, Scaling up copy detection, ICDE 2015).
    The direction follows from the accuracies alone: the original is the one whose accuracy is
    that of what the two share. If both are as accurate as that, each direction has half of the
    probability.

    Not all pairs are compared, but those that share `min_shared` answers, of which at least one is
    disputed; see `candidate_pairs` for the bounds on time and memory. Denials that follow from
    naming other values of an attribute with several true ones are no shared answers; two sources
    that do not name the same values of an item differ once. Weights count in the votes, and
    not in the comparison of sources.

    What to beware of: to this model, sources that are right together against the vote look like
    copiers, since the answers that they share seem wrong to begin with. A crowd of ordinary
    sources is then believed against a few experts, and with confidence. Where values are few (yes
    and no, above all), shared errors are common and the probabilities are weak evidence. Rounds
    may come to alternate between two explanations. From the eleventh on, accuracies therefore go
    half the way only (the paper leaves this open); if that does not help, the last round is kept,
    with a note.

    Parameters
    ----------
    dependence_prior
        The probability that two sources depend on each other, before anything is seen; alpha in
        the paper, with its 0.2. This is for any two sources: with thousands of them it expects
        everybody to copy from hundreds, so that 1 / n_sources is nearer the mark.
    copy_rate
        The share of its values that a copier copies; c in the paper, with its 0.8.
    n_false
        The number of wrong values of an item with one true value; by default as in `Accu`. The
        larger, the stronger the evidence of a shared wrong value.
    min_shared
        Compare sources that give the same answer at least this often.
    max_supporters
        Do not look for pairs among the sources of an answer that has more of them; this is noted.
    max_pairs
        Compare at most so many pairs, those that share the least common answers; this is noted.
    initial_accuracy
        The accuracy of every source to begin with. With a lower one, the first rounds are less
        sure of the majority, and shared mistakes of a majority are more easily found; but at 0.5,
        a vote for yes or no counts nothing.
    max_iter, tol
        Rounds at most, and the largest change of an accuracy to stop at.
    random_state
        Seed for breaking ties.

    Attributes
    ----------
    copying_
        Pairs that depend on each other with a probability of at least 0.01: the ``source`` that
        ``copies_from`` another in the more probable direction, the ``probability`` of that and the
        one of a copy ``either_way``, the number of questions that both answer (``n_shared``) and
        the expected number of wrong answers that they share (``n_shared_false``).
    source_parameters_
        The ``accuracy`` of each source.

    Examples
    --------
    >>> from veracity import AccuCopy
    >>> said = {"a": "abcdefgh", "b": "abcdefgx", "c": "abzzewgh", "d": "abzzewgh"}
    >>> rows = [(name, str(i), v) for name, values in said.items() for i, v in enumerate(values)]
    >>> source, entity, value = zip(*rows)
    >>> model = AccuCopy().fit({"source": source, "entity": entity, "value": value})
    >>> model.copying_
    copying: 2 rows
    source  copies_from  probability  either_way  n_shared  n_shared_false
    c       d                 0.4968      0.9936         8          3.0164
    b       a                 0.0491      0.0737         8          0.0100
    >>> "".join(model.truths_["value"].to_pylist())
    'abcdefgh'
    """

    uses_known_truth: ClassVar[bool] = True

    _pairs: Pairs

    def __init__(
        self,
        dependence_prior: float = 0.2,
        copy_rate: float = 0.8,
        n_false: float | None = None,
        min_shared: int = 3,
        max_supporters: int = 1000,
        max_pairs: int = 2_000_000,
        initial_accuracy: float = 0.8,
        max_iter: int = 100,
        tol: float | None = 1e-3,
        random_state: int = 0,
    ) -> None:
        self.dependence_prior = dependence_prior
        self.copy_rate = copy_rate
        self.n_false = n_false
        self.min_shared = min_shared
        self.max_supporters = max_supporters
        self.max_pairs = max_pairs
        self.initial_accuracy = initial_accuracy
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        self._check_parameters()
        n_false = wrong_values(questions, self.n_false)
        said = Said.of(questions)
        found = candidate_pairs(
            questions, said, self.min_shared, self.max_supporters, self.max_pairs
        )
        self._note_left_out(found)
        pairs = found.pairs
        accuracy = np.full(questions.n_sources, self.initial_accuracy)
        belief = clamp(questions.shares(questions.n_votes))

        def step() -> dict[str, float]:
            nonlocal pairs, accuracy, belief
            pairs = compared(
                pairs,
                said,
                questions,
                belief,
                n_false,
                accuracy,
                self.dependence_prior,
                self.copy_rate,
            )
            heard = discounted(questions, said, pairs, accuracy, self.copy_rate)
            belief = clamp(answer_plausibility(heard, accuracy, n_false))
            new = accuracies(questions, belief, self.initial_accuracy)
            if len(self.history_) >= FREE_ROUNDS:
                new = (accuracy + new) / 2
            change, accuracy = largest_change(new, accuracy), new
            return {"change": change, "n_dependent": float(np.sum(pairs.dependence >= 0.5))}

        self._iterate(step)
        self._pairs = pairs.take(np.flatnonzero(pairs.dependence >= NEGLIGIBLE))
        return Learned.with_average(accuracy=accuracy)

    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        return self._believe_with(questions, learned, self._pairs)

    def _judge(self, claims: Claims) -> Judgement:
        questions, place = Questions.of(claims.matrix), self._places(claims.matrix)
        learned = self.learned_.at(place)
        pairs = self._pairs.at(place, len(self._source_labels))
        belief = self._believe_with(questions, learned, pairs)
        return Judgement(np.clip(belief[questions.answer_of_statement], 0.0, 1.0))

    def _believe_with(self, questions: Questions, learned: Learned, pairs: Pairs) -> Floats:
        accuracy = learned.of_source["accuracy"]
        heard = discounted(questions, Said.of(questions), pairs, accuracy, self.copy_rate)
        return answer_plausibility(heard, accuracy, wrong_values(questions, self.n_false))

    @property
    def copying_(self) -> Table:
        """Who copies whom, the most probable first."""
        self._check_fitted("copying_")
        return copying_table(self._pairs, self._source_labels)

    def _note_left_out(self, found: Candidates) -> None:
        if found.n_common_answers:
            text = (
                f"{plural(found.n_common_answers, 'answer was', 'answers were')} not used to find "
                f"copiers: with more than {self.max_supporters:,} sources, an answer is weak "
                "evidence of copying. Raise max_supporters to use them."
            )
            self.notes_.append(Note("copying", text, found.n_common_answers))
        if found.n_left_out:
            text = (
                f"{plural(found.n_left_out, 'pair of sources was', 'pairs of sources were')} not "
                "compared, and count as independent. Raise max_pairs to compare more."
            )
            self.notes_.append(Note("copying", text, found.n_left_out))

    def _check_parameters(self) -> None:
        check_accuracy(self.n_false, self.initial_accuracy)
        for name in ("dependence_prior", "copy_rate"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise InvalidParameter(f"{name} must be between 0 and 1. Got {value!r} instead.")
        for name in ("min_shared", "max_supporters", "max_pairs"):
            value = getattr(self, name)
            if value < 1:
                raise InvalidParameter(f"{name} must be 1 or more. Got {value!r} instead.")

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        state, arrays = super()._state()
        return state, arrays | {f"pair_{name}": a for name, a in self._pairs.arrays().items()}

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        super()._restore(state, arrays, module)
        prefix = "pair_"
        self._pairs = Pairs(
            **{n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        )
