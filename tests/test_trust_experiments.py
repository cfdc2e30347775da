"""The experiments behind the page on trust fit what their captions say."""

from __future__ import annotations

from scripts import trust_experiments as experiments

from veracity.datasets import synthetic
from veracity.datasets.synthetic import AttributeSpec
from veracity.models.grbm.objective import Objective


def test_the_likelihood_alone_climbs_higher_than_with_priors() -> None:
    claims = synthetic.draw(8, 60, [AttributeSpec("holds", kind="boolean")], random_state=3).claims
    free = experiments.objective(claims, experiments.Free, below_chance=True)
    held = experiments.objective(claims, Objective, below_chance=True)
    alone, with_priors = experiments.fitted(free), experiments.fitted(held)
    assert free.evaluate(alone)[2] > free.evaluate(with_priors)[2] + 1.0
    assert held.evaluate(with_priors)[0] < held.evaluate(alone)[0] - 1.0


def test_the_mirror_image_is_as_likely_without_priors_only() -> None:
    line, starts = experiments.mirror(n_points=3, n_starts=2)
    ends = {(row["objective"], row["way"]): row["value"] for row in line}
    assert abs(ends["likelihood alone", 1.0] - ends["likelihood alone", 0.0]) < 1.0
    assert ends["with priors", 1.0] < ends["with priors", 0.0] - 5.0
    assert {row["model"] for row in starts} == {
        "likelihood alone",
        "with priors",
        "with priors, and u >= 0",
    }
