"""Verdicts of a drawn jury: judges with chosen skill, preferences, confidence and relatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from scipy.special import expit, logit

from veracity.data.arrays import Floats, Mask
from veracity.data.output.write import write_table
from veracity.errors import InvalidParameter

#: The two verdicts of each kind of question; of yes and no, yes comes first.
VERDICTS = {"pair": ("A", "B"), "yes-no": ("yes", "no")}
#: How much the log-odds of being right vary from question to question.
SPREAD = 1.0

Kind = Literal["pair", "yes-no"]


@dataclass(frozen=True)
class JudgeSpec:
    """How one judge of a drawn jury decides.

    Parameters
    ----------
    name
        What it is called.
    reliability
        How often it is right on a question of usual hardness.
    first, longer, yes
        Preferences in log-odds: for the answer shown first, for the longer one, for yes.
    family, shared
        The family it belongs to, and how often it gives the verdict that its family has in common.
    confidence
        Shift and slope of the log-odds that it states; (0, 1) is honest. None: it states nothing.
    cost
        What a verdict costs.
    """

    name: str
    reliability: float = 0.8
    first: float = 0.0
    longer: float = 0.0
    yes: float = 0.0
    family: str | None = None
    shared: float = 0.0
    confidence: tuple[float, float] | None = None
    cost: float | None = None


@dataclass(frozen=True)
class JuryTables:
    """A drawn jury: the table of verdicts, and the true ones.

    Attributes
    ----------
    verdicts
        question, judge and verdict; of pairs also swapped, length_a and length_b; confidence, cost
        and family where a judge has such.
    truth
        question and verdict.
    """

    verdicts: pa.Table
    truth: pa.Table

    def save(self, folder: str | Path) -> None:
        """Write ``verdicts.jsonl`` and ``answers.csv`` into a folder that exists."""
        write_table(self.verdicts, Path(folder) / "verdicts.jsonl", "jsonl")
        write_table(self.truth, Path(folder) / "answers.csv", "csv")


@dataclass(frozen=True)
class _Questions:
    """Drawn questions: which verdict is true, and what the judges get to see."""

    true: Mask  # whether the first of the two verdicts is
    log_length: tuple[Floats, Floats]

    @property
    def sign(self) -> Floats:
        return np.where(self.true, 1.0, -1.0)

    @property
    def longer(self) -> Floats:
        return np.where(self.log_length[0] > self.log_length[1], 1.0, -1.0)


def draw_jury(
    judges: Sequence[JudgeSpec],
    n_questions: int = 400,
    *,
    kind: Kind = "pair",
    both_orders: bool = False,
    true_share: float = 0.5,
    random_state: int = 0,
) -> JuryTables:
    """Draw the verdicts of judges on questions with two possible answers.

    Parameters
    ----------
    judges
        Who judges; every judge sees every question.
    n_questions
        How many questions there are.
    kind
        ``"pair"``: which of two answers, A or B, is better; ``"yes-no"``: whether something holds.
    both_orders
        Whether judges see each pair twice, the second time in the other order.
    true_share
        How often A, or yes, is true.
    random_state
        Seed of everything random.

    Examples
    --------
    >>> drawn = draw_jury([JudgeSpec("ann"), JudgeSpec("bob", 0.6)], 3)
    >>> drawn.verdicts.num_rows, drawn.truth.column_names
    (6, ['question', 'verdict'])
    """
    if kind not in VERDICTS:
        raise InvalidParameter(f"kind must be pair or yes-no. Got {kind!r} instead.")
    rng = np.random.default_rng(random_state)
    lengths = (rng.normal(5, 0.5, n_questions), rng.normal(5, 0.5, n_questions))
    questions = _Questions(rng.random(n_questions) < true_share, lengths)
    families = sorted({judge.family for judge in judges if judge.family is not None})
    common = {name: _family_says(judges, name, questions, rng) for name in families}
    parts = []
    for judge in judges:
        own = None if judge.family is None else common[judge.family]
        swaps = (False, True) if both_orders else (None,)
        parts += [_verdicts(judge, questions, own, kind, swap, rng) for swap in swaps]
    table = pa.concat_tables(parts)
    empty = [name for name in table.column_names if table[name].null_count == table.num_rows]
    words = np.array(VERDICTS[kind])
    truth = {"question": _names(n_questions), "verdict": words[np.where(questions.true, 0, 1)]}
    return JuryTables(table.drop_columns(empty), pa.table(truth))


def example_jury(n_questions: int = 500, random_state: int = 0) -> JuryTables:
    """Draw the jury of the guide: eight judges that compare two answers.

    ``first`` likes the answer shown first, ``coin`` answers at random, ``mini`` and ``nano`` are
    siblings, which no column says, and ``fair`` is surer than it should be.
    """
    judges = (
        JudgeSpec("good", 0.88, confidence=(0.0, 1.0), cost=3.0),
        JudgeSpec("fair", 0.8, confidence=(2.0, 0.5), cost=1.0),
        JudgeSpec("plain", 0.8, cost=1.0),
        JudgeSpec("steady", 0.78, cost=1.0),
        JudgeSpec("first", 0.78, first=1.0, cost=1.0),
        JudgeSpec("coin", 0.5, cost=1.0),
        JudgeSpec("mini", 0.75, family="siblings", shared=0.95, cost=0.2),
        JudgeSpec("nano", 0.75, family="siblings", shared=0.95, cost=0.2),
    )
    drawn = draw_jury(judges, n_questions, random_state=random_state)
    return replace(drawn, verdicts=drawn.verdicts.drop_columns(["family"]))


def _family_says(
    judges: Sequence[JudgeSpec], family: str, questions: _Questions, rng: np.random.Generator
) -> Mask:
    """Draw the verdict that the members of a family have in common, by their mean skill."""
    skill = float(np.mean([judge.reliability for judge in judges if judge.family == family]))
    return np.asarray(rng.random(len(questions.true)) < expit(questions.sign * logit(skill)))


def _verdicts(
    judge: JudgeSpec,
    questions: _Questions,
    common: Mask | None,
    kind: Kind,
    swap: bool | None,
    rng: np.random.Generator,
) -> pa.Table:
    """Draw what one judge says about all questions, in one order."""
    count = len(questions.true)
    swapped = rng.random(count) < 0.5 if swap is None else np.full(count, swap)
    knows = logit(judge.reliability) + SPREAD * rng.normal(size=count)
    leaning = questions.sign * knows
    if kind == "pair":
        leaning = leaning + judge.first * np.where(swapped, -1.0, 1.0)
        leaning = leaning + judge.longer * questions.longer
    else:
        leaning = leaning + judge.yes
    says = rng.random(count) < expit(leaning)
    if common is not None:
        says = np.where(rng.random(count) < judge.shared, common, says)
    columns: dict[str, object] = {
        "question": _names(count),
        "judge": [judge.name] * count,
        "verdict": np.array(VERDICTS[kind])[np.where(says, 0, 1)],
    }
    if kind == "pair":
        lengths = [np.exp(one).astype(np.int64) for one in questions.log_length]
        columns |= {"swapped": swapped, "length_a": lengths[0], "length_b": lengths[1]}
    columns["confidence"] = pa.array(_stated(judge, knows), pa.float64())
    columns["cost"] = pa.array([judge.cost] * count, pa.float64())
    columns["family"] = pa.array([judge.family] * count, pa.string())
    return pa.table(columns)


def _stated(judge: JudgeSpec, knows: Floats) -> list[float | None]:
    """Return the confidence that a judge states, to two decimals."""
    if judge.confidence is None:
        return [None] * len(knows)
    shift, slope = judge.confidence
    return [float(one) for one in np.round(expit(shift + slope * knows), 2)]


def _names(count: int) -> list[str]:
    width = len(str(count))
    return [f"q{number:0{width}}" for number in range(1, count + 1)]
