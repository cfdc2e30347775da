"""What stated confidence, domains, and smooth functions of place and time are worth.

Run with ``python benchmarks/terms.py [--data FOLDER] [--seeds 3]``. Prints tables of accuracy and
log loss: on public sets that have such columns, and on drawn claims for which these were made. The
default of FOLDER is ``../shared/data``, or what the environment variable VERACITY_DATA says.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from variants import changed

from veracity import GRBM, Claims, GroundTruth, MajorityVote
from veracity.datasets import load, synthetic
from veracity.datasets.synthetic import AttributeSpec, Draw, SourceSpec, Synthetic
from veracity.evaluation.calibration import calibration
from veracity.evaluation.metrics import assess
from veracity.models.grbm.observation.base import FIXED

ROOT = Path(__file__).resolve().parent.parent
GRBM_MODULES = "veracity.models.grbm"
#: What lets everything pass the trial of features.
ANY_GAIN = {"MIN_GAIN": -np.inf, "MIN_GAIN_Z_SCORE": -np.inf, "MAX_OVERTURNED": 1.0}
#: Public sets, and the column in which sources state how sure they are.
STATED = (
    ("roc_readers", "claim_rating"),
    ("general_knowledge", "claim_confidence"),
    ("replication_beliefs", "claim_probability"),
    ("replication_beliefs", "claim_confidence"),
    ("predictionbook", "claim_probability"),
    ("election_polls_winner", "claim_margin"),
    ("judgebench", "claim_margin"),
    ("name_gender", "claim_confidence"),
    ("nfl_pickem", "claim_probability"),
    ("target_detection", "claim_confidence"),
)
#: Public sets, and a column of domains; None for the attribute.
DOMAINS = (
    ("weather", None),
    ("flights_noairline", None),
    ("judgebench", "entity_subject"),
    ("llm_haerae_korean", "entity_category"),
    ("quiz", "entity_category"),
    ("roc_readers", "entity_study"),
    ("replication_beliefs", "entity_project"),
    ("name_gender", "entity_origin"),
    ("rte", "entity_task"),
    ("llm_judges_mixed", "entity_subset"),
)
#: The columns that claims are made of.
OWN = ("source", "entity", "attribute", "value", "time", "claim_order")


# Drawn claims


@dataclass(frozen=True)
class World:
    """Sources whose reliability depends on a column, and how a model is told."""

    reliability: Any
    features: Mapping[str, Draw]
    parameters: Mapping[str, Any]
    n_sources: int = 8

    def draw(self, seed: int) -> Synthetic:
        """Draw the claims of a seed."""
        return synthetic.draw(
            self.n_sources,
            600,
            [AttributeSpec("class", domain="closed", n_values=3)],
            sources=SourceSpec(reliability=self.reliability, items_per_source=600),
            features=self.features,
            random_state=seed,
        )


def sure(seen: Mapping[str, Any]) -> Any:
    """Be right by how sure one is; every other source only seems to be."""
    odds = np.log(seen["claim_confidence"] / (1.0 - seen["claim_confidence"]))
    return 1.0 / (1.0 + np.exp(-0.2 - np.where(seen["source"] % 2, 1.7, 0.0) * odds))


def in_topic(seen: Mapping[str, Any]) -> Any:
    """Know one of three topics; the last two sources know none."""
    topic = np.char.replace(seen["entity_topic"].astype(str), "topic ", "").astype(int)
    return np.where(seen["source"] // 2 == topic, 0.92, 0.4)


def is_day(seen: Mapping[str, Any]) -> Any:
    """Return whether a claim is made between six and eighteen o'clock."""
    return np.abs(seen["claim_time"] % 86_400 / 3_600 - 12.0) < 6.0


def near(seen: Mapping[str, Any]) -> Any:
    """Be right near home, in one of four corners."""
    corner = seen["source"] % 4
    far = np.hypot(seen["entity_x"] - corner % 2, seen["entity_y"] - corner // 2)
    return np.where(far < 0.6, 0.92, 0.4)


TIMES = {"claim_time": synthetic.uniform(1.7e9, 1.7e9 + 40 * 86_400)}
WORLDS: Mapping[str, World] = {
    "some know how sure they are": World(
        sure, {"claim_confidence": synthetic.uniform(0.02, 0.98)}, {"features": "auto"}
    ),
    "specialists": World(
        in_topic,
        {"entity_topic": synthetic.category("topic 0", "topic 1", "topic 2")},
        {"domain": "entity_topic"},
    ),
    "reliable by day": World(
        lambda seen: np.where(is_day(seen), 0.9, 0.38), TIMES, {"smooth": "claim_time"}
    ),
    "larks and owls": World(
        lambda seen: np.where(is_day(seen) != (seen["source"] % 2 == 1), 0.9, 0.38),
        TIMES,
        {"smooth": "claim_time"},
    ),
    "reliable in the south-west": World(
        lambda seen: np.where((seen["claim_x"] < 0.5) & (seen["claim_y"] < 0.5), 0.93, 0.42),
        {"claim_x": synthetic.uniform(), "claim_y": synthetic.uniform()},
        {"smooth": ("claim_x", "claim_y")},
    ),
    "reliable near home": World(
        near,
        {"entity_x": synthetic.uniform(), "entity_y": synthetic.uniform()},
        {"smooth": ("entity_x", "entity_y")},
    ),
}


# Tables


def judged(claims: Claims, truth: GroundTruth, **parameters: Any) -> tuple[float, float, GRBM]:
    """Fit the default with parameters; return accuracy, log loss and the model."""
    model = GRBM(**{"features": "never", "confidence": "never", **parameters}).fit(claims)
    evaluation, outcomes = assess(model.truths_, truth, claims)
    return evaluation.accuracy, calibration(outcomes).log_loss, model


def only(folder: Path, column: str | None) -> tuple[Claims, GroundTruth]:
    """Return a set with one feature column; that of attributes if None."""
    found = load(folder)
    assert found.truth is not None
    table = found.claims.to_arrow()
    if column is None:
        table = table.append_column("entity_attribute", table["attribute"])
    keep = [name for name in (*OWN, column or "entity_attribute") if name in table.column_names]
    return Claims.from_frame(table.select(keep)), found.truth


def cell(result: tuple[float, float, GRBM]) -> str:
    """Show accuracy and log loss."""
    return f"{result[0]:.3f} / {result[1]:.3f}".replace("0.", ".")


def stated_confidence(data: Path) -> None:
    """Print what stated confidence brings on public sets."""
    print("| set, column | without | as a feature | one slope | own slopes | gain | result |")
    for name, column in STATED:
        claims, truth = only(data / name, column)
        without = judged(claims, truth)
        feature = judged(claims, truth, features="auto")
        with (
            changed(f"{GRBM_MODULES}.feature_trial", ANY_GAIN),
            changed(f"{GRBM_MODULES}.selection", {"MAX_OVERTURNED": 1.0}),
        ):
            with changed(f"{GRBM_MODULES}.terms.confidence:Confidence", {"own_precision": FIXED}):
                common = judged(claims, truth, confidence=column)
            own = judged(claims, truth, confidence=column)
        tried = judged(claims, truth, confidence=column)
        gain = ", ".join(f"{trial.gain.z_score:.1f}" for trial in tried[2].feature_trials_)
        cells = [cell(one) for one in (without, feature, common, own)]
        print(f"| {name}, {column} |", " | ".join([*cells, gain, cell(tried)]), "|", flush=True)


def domains(data: Path) -> None:
    """Print what domains bring on public sets."""
    print("| set, column | without | with domains |")
    for name, column in DOMAINS:
        claims, truth = only(data / name, column)
        results = [
            judged(claims, truth),
            judged(claims, truth, domain=column or "entity_attribute"),
        ]
        print(f"| {name}, {column} |", " | ".join(map(cell, results)), "|", flush=True)


def drawn_claims(n_seeds: int) -> None:
    """Print what each term brings on claims for which it was made; means over seeds."""
    print("| drawn | vote | default without it | with it |")
    for name, world in WORLDS.items():
        rows = []
        for seed in range(n_seeds):
            made = world.draw(seed)
            claims, truth = made.claims, made.truth
            vote = assess(MajorityVote().fit(claims).truths_, truth, claims)[0].accuracy
            told = judged(claims, truth, **{"confidence": "auto", **world.parameters})
            rows.append((vote, judged(claims, truth)[0], told[0]))
        shown = (f"{mean:.3f}".replace("0.", ".") for mean in np.mean(rows, axis=0))
        print(f"| {name} |", " | ".join(shown), "|", flush=True)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of data sets")
    parser.add_argument("--seeds", type=int, default=3, help="how often to draw claims")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    drawn_claims(arguments.seeds)
    if arguments.data.is_dir():  # claims can be drawn without any
        stated_confidence(arguments.data)
        domains(arguments.data)


if __name__ == "__main__":
    main()
