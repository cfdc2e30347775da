"""What an iteration of every method costs, beside crowd-kit's where it has the method.

Run with ``make bench-methods``, or ``python benchmarks/methods.py [--sizes 100000 1000000]``. The
cost of an iteration is the difference between a long and a short fit of the same claims, divided by
the iterations between them, so that reading, start and results are left out; both methods go on
whatever they have reached. Beside it stands the CPU time of a whole fit with the method's defaults,
from encoded claims to results, and the memory that it takes on top of them.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable
from typing import Any

import synthetic
from measure import Measured, measure

warnings.simplefilter("ignore")

SHORT, LONG = 2, 12
SMALL = 20_000
#: Methods that go through no rounds.
ONE_PASS = ("vote", "mean", "median")
NUMERIC = ("gtm", "mean", "median")
#: What makes a method go on, and how its rounds are called, where they are not ``max_iter``.
ENDLESS: dict[str, dict[str, Any]] = {"ltm": {"burn_in": 0, "gap": 1}, "mace": {"n_restarts": 1}}
ROUNDS = {"ltm": "n_iter"}
#: Crowd-kit's methods that would take hours on more claims than this.
PEER_AT_MOST = {"glad": 10_000}
PEERS = {
    "dawid-skene": "DawidSkene",
    "one-coin": "OneCoinDawidSkene",
    "glad": "GLAD",
    "mace": "MACE",
    "vote": "MajorityVote",
}


def ours(name: str, n_claims: int, rounds: int | None) -> Callable[[], Any]:
    """Fit a model to claims that are encoded already; `rounds` None for its defaults."""
    from veracity.models import make_model

    def make() -> Any:
        model = make_model(name)
        if rounds is None:
            return model
        endless = {"tol": 0.0} if "tol" in model.get_params() else {}
        endless |= ENDLESS.get(name, {})
        return model.set_params(**{ROUNDS.get(name, "max_iter"): rounds}, **endless)

    make().fit(_claims(name, SMALL))
    claims = _claims(name, n_claims)
    claims.matrix.item_of_claim, claims.matrix.item_of_statement  # noqa: B018  (kept once made)
    return lambda: {"n_iter": getattr(make().fit(claims), "n_iter_", 0)}


def _claims(name: str, n_claims: int) -> Any:
    from veracity import Attribute, Claims

    frame = synthetic.frame(n_claims)
    if name not in NUMERIC:
        return Claims.from_frame(frame)
    frame["label"] = frame["label"].str.removeprefix("label-")
    return Claims.from_frame(frame, attributes={"*": Attribute(values="number")})


def peer(name: str, n_claims: int, rounds: int | None) -> Callable[[], Any]:
    """Fit crowd-kit's model of the same name."""
    import crowdkit.aggregation as kit

    kind = getattr(kit, PEERS[name])
    frame = synthetic.frame(n_claims)
    settings: dict[str, Any] = {}
    if rounds is not None:
        settings = {"n_iter": rounds, "tol": -math.inf}
        settings |= {"n_restarts": 1} if name == "mace" else {}
        if name == "mace":
            del settings["tol"]
    if name in ("glad", "mace"):
        settings |= {"silent": True} if name == "glad" else {"verbose": 0}
    return lambda: (kind(**settings).fit(frame), {})[1]


def per_round(
    work: Callable[..., Any], name: str, n_claims: int, repeats: int, rounds: tuple[int, int]
) -> float:
    """Return CPU seconds of one round."""
    short, long = (measure(work, name, n_claims, count, repeats=repeats) for count in rounds)
    return max(long.cpu - short.cpu, 1e-9) / (rounds[1] - rounds[0])


def slower(name: str, n_claims: int, one: float) -> str:
    """Return how many times more CPU time a claim costs crowd-kit in one round."""
    if name not in PEERS:
        return ""
    if name in ONE_PASS:
        return f"{measure(peer, name, n_claims, None, repeats=1).cpu / one:.1f}"
    size = min(n_claims, PEER_AT_MOST.get(name, n_claims))
    rounds = (1, 3) if name in PEER_AT_MOST else (SHORT, LONG)
    theirs = per_round(peer, name, size, 1, rounds)
    ratio = (theirs / size) / (one / n_claims)
    return f"{ratio:,.0f}" + (f" (at {size:,} claims)" if size < n_claims else "")


def row(name: str, n_claims: int, with_peer: bool, repeats: int) -> tuple[str, float]:
    """Measure one method at one size; return its row, and the cost by which growth is judged."""
    whole: Measured = measure(ours, name, n_claims, None, repeats=repeats)
    one = whole.cpu
    if name not in ONE_PASS:
        one = per_round(ours, name, n_claims, repeats, (SHORT, LONG))
    rounds = whole.result["n_iter"] or 1
    ratio = slower(name, n_claims, one) if with_peer else ""
    text = (
        f"| {name} | {1e3 * one:,.1f} ms | {1e9 * one / n_claims:,.0f} ns | {whole.cpu:.2f} s "
        f"| {rounds} | {whole.peak_mb:,.0f} MB | {ratio} |"
    )
    return text, one


def main() -> None:
    """Measure every method at every size, and how its cost grows between them."""
    from veracity.models import MODELS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--no-peers", action="store_true")
    arguments = parser.parse_args()
    cost: dict[str, list[float]] = {name: [] for name in arguments.models}
    for size in arguments.sizes:
        print(f"\n{size:,} claims\n")
        print(
            "| method | CPU a round | a claim | whole fit | rounds | memory "
            "| crowd-kit's round, times ours |"
        )
        print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
        for name in arguments.models:
            text, one = row(name, size, not arguments.no_peers, arguments.repeats)
            cost[name].append(one)
            print(text, flush=True)
    if len(arguments.sizes) > 1:
        print("\n| method | growth exponent of a round |\n|---|--:|")
        span = math.log(arguments.sizes[-1] / arguments.sizes[0])
        for name, ones in cost.items():
            print(f"| {name} | {math.log(ones[-1] / ones[0]) / span:.2f} |")


if __name__ == "__main__":
    main()
