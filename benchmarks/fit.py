"""How long whole fits take, from a DataFrame to results, beside crowd-kit's Dawid-Skene.

Run with ``make bench-fit``, or ``python benchmarks/fit.py [--sizes 1000000] [--large 10000000]``.
Everything is a ratio to crowd-kit's ``DawidSkene(n_iter=20)`` on the same claims in the same run.
Compiling is not counted: a small fit comes first in every process.

The whole default, guards included, is also compared with one plain fit of the model that it ends
with: the same features, fitted at once, and nothing else tried or checked.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import synthetic
from measure import Measured, measure

SMALL = 20_000
WHOLE = "GRBM, the whole default"
#: One plain fit of what the default may end with, by whether it uses features.
PLAIN = {True: "GRBM, one plain fit with features", False: "GRBM, one plain fit without"}


def dawid_skene(n_claims: int) -> Callable[[], Any]:
    """Crowd-kit's labels and probabilities."""
    from crowdkit.aggregation import DawidSkene

    frame = synthetic.frame(n_claims)

    def work() -> Callable[[], dict[str, Any]]:
        labels = DawidSkene(n_iter=20).fit_predict(frame)
        return lambda: {
            "accuracy": synthetic.accuracy(n_claims, labels.index, labels),
            "n_iter": 20,
        }

    return work


def ours(n_claims: int, name: str) -> Callable[[], Any]:
    """All tables of one of our models."""
    features = name != "RBM"
    _make(name).fit(synthetic.frame(SMALL, features=features))
    frame = synthetic.frame(n_claims, features=features)

    def work() -> Callable[[], dict[str, Any]]:
        model = _make(name).fit(frame)
        return lambda: _found(n_claims, model)

    return work


def _make(name: str) -> Any:
    from plain import OnePlainFit

    from veracity import GRBM, RBM, BinaryGRBM

    return {
        "RBM": lambda: RBM(),
        PLAIN[True]: lambda: OnePlainFit(features="always"),
        PLAIN[False]: lambda: OnePlainFit(features="never"),
        WHOLE: lambda: GRBM(),
        "GRBM, network": lambda: GRBM("mlp"),
        "BinaryGRBM": lambda: BinaryGRBM(),
    }[name]()


def _found(n_claims: int, model: Any) -> dict[str, Any]:
    truths = model.truths_.to_arrow()
    task, label = (truths[name].to_pylist() for name in ("entity", "value"))
    return {
        "accuracy": synthetic.accuracy(n_claims, task, label),
        "n_iter": model.n_iter_,
        "converged": model.converged_,
        "uses_features": getattr(model, "feature_builder_", None) is not None,
    }


ROWS = ("RBM", *PLAIN.values(), WHOLE, "BinaryGRBM")


def line(name: str, run: Measured, reference: Measured | None) -> str:
    """Write one row: cost, ratio to the reference, and what came of it."""
    ratio = f"{run.cpu / reference.cpu:.2f}" if reference else ""
    found = run.result
    ended = "" if found.get("converged", True) else " (limit)"
    return (
        f"| {name} | {run.wall:.1f} s | {run.cpu:.1f} s | {run.peak_mb:,.0f} MB | {ratio} "
        f"| {found['n_iter']}{ended} | {100 * found['accuracy']:.2f} % |"
    )


def compare(n_claims: int, models: list[str], reference: bool, repeats: int) -> None:
    """Measure one size and print its rows."""
    print(f"\n{n_claims:,} claims\n")
    print(
        "| from DataFrame to results | wall | CPU | peak memory | CPU ratio | iterations | right |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
    base = measure(dawid_skene, n_claims, repeats=repeats) if reference else None
    if base:
        print(line("crowd-kit: DawidSkene(n_iter=20)", base, base), flush=True)
    runs = {}
    for name in models:
        runs[name] = measure(ours, n_claims, name, repeats=repeats)
        print(line(f"veracity: {name}", runs[name], base), flush=True)
    if WHOLE in runs:
        whole = runs[WHOLE]
        plain = PLAIN[whole.result["uses_features"]]
        if plain in runs:
            ratio = whole.cpu / runs[plain].cpu
            print(f"\nThe whole default takes {ratio:.2f} times the CPU time of {plain!r}.")


def main() -> None:
    """Measure every size with all models, and the large one with RBM alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000_000])
    parser.add_argument("--large", type=int, nargs="*", default=[10_000_000])
    parser.add_argument("--models", nargs="+", choices=[*ROWS, "GRBM, network"], default=list(ROWS))
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    for size in arguments.sizes:
        compare(size, arguments.models, True, arguments.repeats)
    for size in arguments.large:
        compare(size, ["RBM"], False, 1)


if __name__ == "__main__":
    main()
