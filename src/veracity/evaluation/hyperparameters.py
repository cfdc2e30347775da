"""Compare settings of the default model: by held-out claims and, with labels, by accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.stats import binomtest, norm

from veracity.data.claims import Claims
from veracity.data.notes import plural
from veracity.data.output.tables import Table
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.truth_check import check_truth
from veracity.errors import InvalidParameter, listing
from veracity.evaluation.metrics import Outcomes, assess
from veracity.evaluation.significance import paired_test
from veracity.evaluation.text_grid import Grid
from veracity.models import DEFAULT_ALIAS, DEFAULT_MODEL, make_model, model_name
from veracity.models.base import TruthModel
from veracity.models.grbm.estimator import GRBM
from veracity.models.grbm.held_out import HeldOut, gain_of

Progress = Callable[[int, int, str], None]

#: Settings of the default model that are compared if none are given, by what `--set` takes.
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "features=never": {"features": "never"},
    "features=always": {"features": "always"},
    "allow_adversaries=true": {"allow_adversaries": True},
}
#: Other models, compared by accuracy only.
MODELS = ("vote", "one-coin", "dawid-skene")
#: What has to be said wherever held-out claims are compared.
NO_JUDGE = (
    "Held-out log-probability measures how well a setting predicts what sources say, not how "
    "often they are right. Only labels show which setting finds the truth."
)
INTERVAL = 0.95
#: How often a difference should be found that is there, where labels to do so are counted.
POWER = 0.8
COLUMNS = {
    "setting": pa.string(),
    "log_probability": pa.float64(),
    "gain": pa.float64(),
    "standard_error": pa.float64(),
    "n_held_out": pa.int64(),
    "accuracy": pa.float64(),
    "low": pa.float64(),
    "high": pa.float64(),
    "better": pa.int64(),
    "worse": pa.int64(),
    "p": pa.float64(),
    "n_items": pa.int64(),
}


@dataclass(frozen=True)
class Tuning:
    """Settings side by side.

    Attributes
    ----------
    table
        One row per setting or model: setting; log_probability of held-out claims, per claim; gain
        over the first setting, its standard_error, and n_held_out, the claims it is measured on;
        with labels accuracy, low and high (a 95 % Wilson interval), better and worse (items that
        only this setting has right, and that only the first has), p of the exact McNemar test of
        the two, and n_items that were measured. Null where there is nothing to measure.
    notes
        Which settings were left out, and why.
    """

    table: Table
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> str | None:
        """The setting with the highest accuracy, the first of equals; None without labels."""
        rows = self._measured()
        return max(rows, key=lambda row: row["accuracy"])["setting"] if rows else None

    @property
    def is_sure(self) -> bool:
        """Whether the best is better than the first by more than luck, being one of several."""
        rows = self._measured()
        best = next((row for row in rows if row["setting"] == self.best), None)
        return best is not None and best["p"] * (len(rows) - 1) < 1 - INTERVAL

    def verdict(self) -> str:
        """Say what follows from it, in a sentence or two."""
        rows = self._measured()
        if not rows:
            return f"{NO_JUDGE} Give some: `veracity disagreements` lists items worth labelling."
        first, best = rows[0], next(row for row in rows if row["setting"] == self.best)
        if best is first:
            return f"No setting is more accurate than {first['setting']} on these labels."
        others = len(rows) - 1
        among = f", even for the best of {others:,}" if others > 1 else ""
        return (
            f"{best['setting']} is the most accurate on these labels ({best['accuracy']:.1%}, "
            f"{first['setting']} {first['accuracy']:.1%}). The difference "
            f"{f'is unlikely to be luck{among}' if self.is_sure else 'could be luck'} (p = "
            f"{best['p']:.3g}{' by itself' * (others > 1)})."
        )

    def advice(self) -> str | None:
        """Say how much the labels can tell, and how many would tell more; None without labels."""
        rows = self._measured()
        if not rows:
            return None
        first = rows[0]
        wide = 100 * (first["high"] - first["low"])
        known = (
            f"With {plural(first['n_items'], 'labelled item')}, the accuracy of {first['setting']} "
            f"lies between {first['low']:.1%} and {first['high']:.1%} (95 %): {wide:.0f} points."
        )
        differing = [row for row in rows[1:] if row["better"] != row["worse"]]
        if self.is_sure or len(rows) == 1:
            return known
        if not differing:
            return (
                f"{known} All settings are right about as many of these items as "
                f"{first['setting']}, so these labels cannot tell them apart. Label items on which "
                "the settings differ."
            )
        other = max(differing, key=lambda row: row["accuracy"])
        needed = labels_needed(other["better"], other["worse"], first["n_items"])
        if other["p"] < 1 - INTERVAL:
            return known
        apart = 100 * abs(other["accuracy"] - first["accuracy"])
        return (
            f"{known} To tell {other['setting']} from {first['setting']}, if they really are "
            f"{apart:.1f} points apart, takes about {needed:,} labels of this kind."
        )

    def lines(self) -> list[str]:
        """Return all that has to be said beside the table, a sentence or a few each."""
        if self.best is None:
            return [self.verdict()]
        return [NO_JUDGE, self.verdict(), *filter(None, [self.advice()])]

    def grid(self) -> Grid:
        """Return the table for a person."""
        rows = self.table.to_pylist()
        first, labelled = rows[0]["setting"], bool(self._measured())
        header = ["setting", "log-probability", "gain"]
        text = (
            "Log-probability is that of held-out claims, per claim; the gain is over "
            f"{first}, ± its standard error."
        )
        if labelled:
            header += ["accuracy", "95 % interval", f"vs {first} (p)"]
            text += (
                f" vs {first}: labelled items that only this setting is right about, and that only "
                f"{first} is; p is of the exact sign test (McNemar), two-sided and for each by "
                "itself."
            )
        shown = [[row["setting"], *_held_out_cells(row, first)] for row in rows]
        if labelled:
            shown = [
                cells + _accuracy_cells(row, first) for cells, row in zip(shown, rows, strict=True)
            ]
        return Grid("Settings", header, shown, text)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "settings": self.table.to_pylist(),
            "best": self.best,
            "is_sure": self.is_sure,
            "verdict": self.verdict(),
            "advice": self.advice(),
            "held_out": NO_JUDGE,
            "notes": list(self.notes),
        }

    def _measured(self) -> list[dict[str, Any]]:
        return [row for row in self.table.to_pylist() if row["accuracy"] is not None]


def _held_out_cells(row: Mapping[str, Any], first: str) -> list[str]:
    if row["log_probability"] is None:
        return ["", ""]
    gain = f"{row['gain']:+.4f} ±{row['standard_error']:.4f}"
    return [f"{row['log_probability']:.4f}", "" if row["setting"] == first else gain]


def _accuracy_cells(row: Mapping[str, Any], first: str) -> list[str]:
    p = f"{row['p']:.3f}" if row["p"] >= 0.0005 else f"{row['p']:.0e}"
    test = f"+{row['better']} -{row['worse']} ({p})"
    return [
        f"{row['accuracy']:.1%}",
        f"{row['low']:.1%} to {row['high']:.1%}",
        "" if row["setting"] == first else test,
    ]


def labels_needed(better: int, worse: int, n_items: int) -> int:
    """Return how many labels would show a difference that is as large as the one seen.

    With d the share of items on which just one of two is right and e the difference of their
    accuracies, McNemar's test at 5 % finds it four times out of five with

        n = (z_0.975 √d + z_0.8 √(d − e²))² / e²

    labels (Connor, Sample size for testing differences in proportions for the paired-sample
    design, Biometrics 43, 1987). It is rough: d and e are those of a few labels.

    >>> labels_needed(better=2, worse=0, n_items=10)
    37
    """
    if better == worse:
        raise InvalidParameter(
            "better and worse must differ: if they are equal, no number of labels can tell the "
            "settings apart."
        )
    differ, difference = (better + worse) / n_items, (better - worse) / n_items
    level, power = float(norm.ppf((1 + INTERVAL) / 2)), float(norm.ppf(POWER))
    spread = level * math.sqrt(differ) + power * math.sqrt(differ - difference**2)
    return math.ceil((spread / difference) ** 2)


def tune(
    claims: Any,
    *,
    truth: Any = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    models: Sequence[str] | None = None,
    random_state: int = 0,
    progress: Progress = lambda done, total, what: None,
    **options: Any,
) -> Tuning:
    """Compare settings of `GRBM` on claims, and other models where truth is given.

    Every setting is fitted, and fitted again without a fifth of the claims, which it then has to
    predict. Held-out claims are compared where both settings count them.

    Parameters
    ----------
    claims
        `Claims`, a frame, or the path of a file.
    truth
        The truth of some items, to measure by; no setting sees it.
    settings
        By name, the parameters of `GRBM` to compare; the first is what the others are compared
        with. If left out: the default; features the other way round than the default decides, if
        there are any; and sources that may be worse than chance.
    models
        Names of other models, compared by accuracy, so only where truth is given; by default the
        vote, one-coin and dawid-skene.
    random_state
        Seed of what is held out, of what is random in models, and of ties.
    progress
        Called with how many fits are done, of how many, and the name of the next.
    options
        How to read the claims; see `Claims.read`.

    Examples
    --------
    >>> from veracity import datasets
    >>> from veracity.evaluation.hyperparameters import tune
    >>> data = datasets.example.load()
    >>> found = tune(data.claims, truth=data.truth, models=["vote"])
    >>> found.table["setting"].to_pylist()[-1]
    'vote'
    """
    others = other_models(models, truth is not None)
    planned = settings_of(settings, random_state)
    read = Claims.of(claims, **options)
    known = None if truth is None else GroundTruth.beside(truth, options)
    checked = [] if known is None else check_truth(known, read).notes
    trial = _Trial(read, known, len(planned) + len(others), progress)
    first = next(iter(planned))
    trial.predict(first, planned[first].fit(trial.next(first)))
    left_out = same_as_default(planned[first]) if settings is None else {}
    trial.total -= len(left_out)
    for name in [name for name in planned if name != first and name not in left_out]:
        trial.predict(name, planned[name].fit(trial.next(name)))
    for name in others:
        model = make_model(name, random_state=random_state)
        trial.measure(name, model.fit(trial.next(name)))
    rows = [trial.row(name, first) for name in trial.names]
    columns = [pa.array([row.get(name) for row in rows], kind) for name, kind in COLUMNS.items()]
    notes = [str(note) for note in checked]
    notes += [f"{name} is left out: {reason}." for name, reason in left_out.items()]
    if not len(trial.held_out[first].claim):
        notes.append("There are too few claims to hold any out.")
    return Tuning(Table("tuning", pa.table(columns, list(COLUMNS))), tuple(notes))


def settings_of(
    settings: Mapping[str, Mapping[str, Any]] | None, random_state: int
) -> dict[str, GRBM]:
    """Return a model for each setting, those of `SETTINGS` if none are given."""
    given = SETTINGS if settings is None else settings
    if not given:
        raise InvalidParameter("settings must name at least one setting. Got none instead.")
    return {name: GRBM(random_state=random_state).set_params(**given[name]) for name in given}


class _Trial:
    """Results of each setting and model, in the order in which they were tried."""

    def __init__(
        self, claims: Claims, truth: GroundTruth | None, total: int, progress: Progress
    ) -> None:
        self.names: list[str] = []
        self.held_out: dict[str, HeldOut] = {}
        self.outcomes: dict[str, Outcomes] = {}
        self._claims, self._truth = claims, truth
        self.total, self._progress = total, progress

    def next(self, name: str) -> Claims:
        """Say what is next, and return what it is to be fitted to."""
        self._progress(len(self.names), self.total, name)
        self.names.append(name)
        return self._claims

    def predict(self, name: str, model: GRBM) -> None:
        """Record the held-out claims of a setting, and their log-probabilities."""
        self.held_out[name] = model.held_out(self._claims)
        self.measure(name, model)

    def measure(self, name: str, model: TruthModel) -> None:
        """Keep what a model is right about."""
        if self._truth is not None:
            self.outcomes[name] = assess(model.truths_, self._truth, self._claims)[1]

    def row(self, name: str, first: str) -> dict[str, Any]:
        """Return a row of the table, compared with the first setting."""
        return {"setting": name} | self._held_out(name, first) | self._accuracy(name, first)

    def _held_out(self, name: str, first: str) -> dict[str, Any]:
        if name not in self.held_out:
            return {}
        mine, reference = self.held_out[name], self.held_out[first]
        claims, own, its = np.intersect1d(
            mine.claim, reference.claim, assume_unique=True, return_indices=True
        )
        if not len(own):
            return {}
        item = self._claims.matrix.item_of_claim[claims].astype(np.int64)
        gain = gain_of(mine.log_prob[own], reference.log_prob[its], item)
        return {
            "log_probability": float(np.mean(mine.log_prob[own])),
            "gain": gain.mean,
            "standard_error": gain.standard_error,
            "n_held_out": gain.n_claims,
        }

    def _accuracy(self, name: str, first: str) -> dict[str, Any]:
        if name not in self.outcomes:
            return {}
        right = self.outcomes[name].right
        interval = binomtest(int(right.sum()), len(right)).proportion_ci(INTERVAL, "wilson")
        test = paired_test(right, self.outcomes[first].right)
        return {
            "accuracy": float(right.mean()),
            "low": float(interval.low),
            "high": float(interval.high),
            "better": test.better,
            "worse": test.worse,
            "p": test.p,
            "n_items": len(right),
        }


def other_models(models: Iterable[str] | None, has_truth: bool) -> list[str]:
    """Return the models to compare, each once, without the default itself."""
    if models is None:
        return list(MODELS) if has_truth else []
    names = [model_name(name) for name in models]
    if names and not has_truth:
        raise InvalidParameter(
            f"Other models ({listing(names)}) can only be compared by accuracy, which needs the "
            "truth of some items. Give it with --truth or --known-truth (in Python: truth= or "
            "tune_by_labels)."
        )
    return [name for name in dict.fromkeys(names) if name != DEFAULT_MODEL]


def same_as_default(default: GRBM) -> dict[str, str]:
    """Say which of `SETTINGS` would not change the default, given what its fit found."""
    usable = {choice.name for choice in default.feature_choices_ if choice.used}
    if not usable:
        reason = "there are no usable features"
        return {"features=never": reason, "features=always": reason}
    same = f"it is the same as {DEFAULT_ALIAS} here"
    if default.feature_builder_ is None:
        return {"features=never": same}
    return {"features=always": same} if set(default.feature_builder_.used) == usable else {}
