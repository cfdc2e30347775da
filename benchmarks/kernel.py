"""How fast one pass over the claims is: likelihood, posterior and gradient.

Run with ``make bench-kernel``, or ``python benchmarks/kernel.py [--sizes 1000000 10000000]``.
Every figure is the best of several passes and is set beside references from the same run:

- the same objective in torch, its gradient by autograd, sums by ``index_add_``; log-likelihood and
  gradient are checked to be the same numbers;
- ``numpy.bincount`` with weights over the same claims, by source and by statement, on one core;
- two threads against one.

Compiling is not counted. CPU time is what the ratios are made of, but for two threads against one:
there it is wall time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import synthetic
from measure import measure

PASSES = 7


def make_problem(n_claims: int) -> tuple[Any, Any]:
    """Return units with a row for each source, and a theta for each row."""
    import numpy as np

    from veracity.data.encode.denials import SPEAKS_AND_CLAIMS, ClaimRoles
    from veracity.models.grbm.observation.free_binary import Units
    from veracity.models.grbm.theta import Theta, tied_hidden_bias

    drawn = synthetic.draw(n_claims)
    order = np.argsort(drawn["item"] * synthetic.LABELS + drawn["label"], kind="stable")
    item, label, source = (drawn[name][order] for name in ("item", "label", "source"))
    new_item = np.append(True, item[1:] != item[:-1])
    new_statement = new_item | np.append(True, label[1:] != label[:-1])
    statement = np.cumsum(new_statement, dtype=np.int32) - np.int32(1)
    claim_start = np.append(np.flatnonzero(new_item), n_claims)
    statement_start = np.append(statement[claim_start[:-1]], statement[-1] + 1).astype(np.int64)
    roles = ClaimRoles(
        np.full(n_claims, SPEAKS_AND_CLAIMS, np.uint8),
        np.arange(n_claims),
        claim_start,
        statement_start,
        statement,
    )
    rng = np.random.default_rng(1)
    a, w = rng.normal(-2, 0.5, synthetic.SOURCES), rng.normal(3, 0.5, synthetic.SOURCES)
    units = Units.of(roles, source.astype(np.int32), synthetic.SOURCES)
    return units, Theta(a, w, tied_hidden_bias(a, w) + rng.normal(0, 0.1, len(a)))


def best_of(work: Callable[[], Any]) -> dict[str, float]:
    """Run several times, the first not counted, and return the least wall and CPU time."""
    work()
    runs = []
    for _ in range(PASSES):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        runs.append((time.perf_counter() - wall, time.process_time() - cpu))
    return {"wall": min(run[0] for run in runs), "cpu": min(run[1] for run in runs)}


def result_of(log_likelihood: float, delta: Any, delta_global: float) -> dict[str, Any]:
    """Return what must agree, in few numbers: sums of the gradient with fixed random weights."""
    import numpy as np

    directions = np.random.default_rng(2).normal(size=(4, *delta.shape))
    return {
        "log_likelihood": float(log_likelihood),
        "gradient": [*(float(np.sum(d * delta)) for d in directions), float(delta_global)],
    }


def ours(n_claims: int, threads: int) -> Callable[[], Any]:
    """One pass of the library."""
    from veracity.models.grbm.observation.free_binary import summarise

    units, theta = make_problem(n_claims)

    def work() -> dict[str, Any]:
        summary, _ = summarise(units, theta, 0.3, threads)
        found = result_of(summary.log_likelihood, summary.delta_theta, summary.delta_global)
        shape = {"statements": units.roles.n_statements, "items": units.roles.n_items}
        return best_of(lambda: summarise(units, theta, 0.3, threads)) | found | shape

    return work


def torch_autograd(n_claims: int) -> Callable[[], Any]:
    """The same in torch on one core, with implied denials and sums per item, as in the library."""
    import numpy as np
    import torch

    torch.set_num_threads(1)
    units, theta = make_problem(n_claims)
    roles = units.roles
    source = torch.from_numpy(units.row.astype(np.int64))
    statement = torch.from_numpy(roles.statement_index.astype(np.int64))
    n_items, n_statements = roles.n_items, roles.n_statements
    item_of_statement = torch.repeat_interleave(
        torch.arange(n_items), torch.from_numpy(np.diff(roles.statement_start))
    )
    item = item_of_statement[statement]
    parameters = [torch.tensor(column, requires_grad=True) for column in theta]
    shared = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)

    def one_pass() -> Any:
        for parameter in (*parameters, shared):
            parameter.grad = None
        a, w, b = parameters
        zeros = torch.zeros(n_items, dtype=torch.float64)
        free_false = zeros.index_add(0, item, torch.nn.functional.softplus(a)[source])
        free_true = zeros.index_add(0, item, torch.nn.functional.softplus(a + w)[source])
        bias = shared + zeros.index_add(0, item, b[source])
        zeros = torch.zeros(n_statements, dtype=torch.float64)
        weight = zeros.index_add(0, statement, w[source])
        normaliser = torch.logaddexp(free_false, bias + free_true)[item_of_statement]
        evidence = bias[item_of_statement] + weight
        likelihood = torch.nn.functional.softplus(evidence).sum() - normaliser.sum()
        likelihood = likelihood + a[source].sum()
        likelihood.backward()
        return likelihood, torch.sigmoid(evidence)

    def work() -> dict[str, Any]:
        likelihood, _ = one_pass()
        delta = np.stack([parameter.grad.numpy() for parameter in parameters], axis=1)
        found = result_of(likelihood.item(), delta, shared.grad.item())
        return best_of(one_pass) | found

    return work


def bincount(n_claims: int) -> Callable[[], Any]:
    """Weighted counts by source and by statement."""
    import numpy as np

    units, _ = make_problem(n_claims)
    source, statement = units.row, units.roles.statement_index
    weights = np.random.default_rng(0).random(n_claims)
    n_statements = units.roles.n_statements

    def one_pass() -> Any:
        by_source = np.bincount(source, weights, minlength=synthetic.SOURCES)
        return by_source, np.bincount(statement, weights, minlength=n_statements)

    return lambda: best_of(one_pass)


def check_same(ours: dict[str, Any], other: dict[str, Any]) -> None:
    """Fail unless log-likelihood and gradient agree."""
    pairs = [(ours["log_likelihood"], other["log_likelihood"])]
    pairs += zip(ours["gradient"], other["gradient"], strict=True)
    for mine, theirs in pairs:
        if abs(mine - theirs) > 1e-8 * max(1.0, abs(theirs)):
            raise AssertionError(f"torch finds {theirs!r}, the kernel {mine!r}")


def best(work: Callable[..., Any], *arguments: Any, repeats: int) -> dict[str, Any]:
    """Return the least of wall and CPU times over processes."""
    runs = [measure(work, *arguments, repeats=1).result for _ in range(repeats)]
    return runs[0] | {name: min(run[name] for run in runs) for name in ("wall", "cpu")}


def compare(n_claims: int, repeats: int) -> None:
    """Measure one size and print its rows."""
    one = best(ours, n_claims, 1, repeats=repeats)
    two = best(ours, n_claims, 2, repeats=repeats)
    torch = best(torch_autograd, n_claims, repeats=1)
    counted = best(bincount, n_claims, repeats=repeats)
    check_same(one, torch)
    check_same(two, torch)
    print(
        f"\n{n_claims:,} claims, {one['items']:,} items, {one['statements']:,} statements; "
        "log-likelihood and gradient agree with torch's\n"
    )
    print("| one pass | wall | CPU | CPU a claim | CPU ratio to the kernel |")
    print("|---|--:|--:|--:|--:|")
    rows = {
        "veracity, one thread": one,
        "veracity, two threads": two,
        "torch autograd, one thread": torch,
        "numpy.bincount by source and by statement": counted,
    }
    for name, run in rows.items():
        print(
            f"| {name} | {1e3 * run['wall']:.1f} ms | {1e3 * run['cpu']:.1f} ms "
            f"| {1e9 * run['cpu'] / n_claims:.1f} ns | {run['cpu'] / one['cpu']:.2f} |"
        )
    print(
        f"\n{torch['cpu'] / one['cpu']:.1f} times faster than torch (aim: 15), "
        f"{one['cpu'] / counted['cpu']:.2f} times the time of bincount (aim: 2), "
        f"two threads {one['wall'] / two['wall']:.2f} times faster than one (aim: 1.7).",
        flush=True,
    )


def main() -> None:
    """Measure every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    for size in arguments.sizes:
        compare(size, arguments.repeats)


if __name__ == "__main__":
    main()
