"""The compiled loops over items: exact likelihood with its gradient, and contrastive divergence.

Every kernel is given a range of items and adds to arrays of its caller, so that threads, blocks on
disk and partitions of a cluster run the same code. A claim sees theta through its row; where
features depend on the statement, ``row_of[row, state]`` is the row of theta for a claim with
feature row ``row`` about a statement in state ``state``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.compiled import compiled
from veracity.data.encode.denials import (
    CLAIMS_TOO,
    DENIES_ALONE,
    SPEAKS,
    SPEAKS_AND_CLAIMS,
)
from veracity.models.grbm.theta import Theta
from veracity.models.grbm.theta import softplus as softplus_of

# Columns of ``table``, the functions of theta that the loops need, once per row.
FREE_FALSE, FREE_TRUE, HIDDEN, WEIGHT = 0, 1, 2, 3  # softplus(a), softplus(a + w), b, w
# Columns of ``sums``, from which the gradient of a row is made: the sum of p over the statements
# that the row claims, and of q and p - q over those that it speaks about.
P_CLAIMED, Q_SPOKEN, SURPLUS = 0, 1, 2
# Columns of ``counts``: how many statements the row claims, and how many it speaks about.
N_CLAIMED, N_SPOKEN = 0, 1
# Columns of ``theta`` and of its gradient.
THETA_A, THETA_W, THETA_B = 0, 1, 2
#: A product of numbers in [1, 2] is turned into its logarithm before it grows past this.
LARGE = 1e280


def row_table(theta: Theta) -> Floats:
    """Put the functions of theta that the passes need side by side; (n_rows, 4)."""
    table = np.empty((len(theta.weight), 4))
    table[:, FREE_FALSE] = softplus_of(theta.visible_bias)
    table[:, FREE_TRUE] = softplus_of(theta.visible_bias + theta.weight)
    table[:, HIDDEN] = theta.hidden_bias
    table[:, WEIGHT] = theta.weight
    return table


@compiled
def softplus(x: float) -> Any:
    """log(1 + exp(x)), without overflow."""
    return max(x, 0.0) + np.log1p(np.exp(-abs(x)))


@compiled
def sigmoid(x: float) -> Any:
    """1 / (1 + exp(-x)), without overflow."""
    if x >= 0.0:
        return 1.0 / (1.0 + np.exp(-x))
    e = np.exp(x)
    return e / (1.0 + e)


@compiled
def exact_pass(
    first_item: int,
    last_item: int,
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    table: Any,
    global_hidden_bias: float,
    sums: Any,
    evidence: Any,
    plausibility: Any,
) -> Any:
    """Add likelihood and gradient of a range of items; return (log-likelihood, d/db_0).

    For rows that do not depend on the statement: the sums over an item's speakers are formed once,
    whatever the number of its statements.
    """
    log_likelihood, delta_global, product, divisor = 0.0, 0.0, 1.0, 1.0
    for item in range(first_item, last_item):
        first, last = claim_start[item], claim_start[item + 1]
        first_statement, last_statement = statement_start[item], statement_start[item + 1]
        if_false, if_true, bias = 0.0, 0.0, global_hidden_bias
        for statement in range(first_statement, last_statement):
            plausibility[statement] = 0.0
        simple = True
        for claim in range(first, last):
            kind, r = part[claim], np.uint32(row[claim])  # unsigned: no test for below 0
            if kind == SPEAKS_AND_CLAIMS:
                if_false += table[r, FREE_FALSE]
                if_true += table[r, FREE_TRUE]
                bias += table[r, HIDDEN]
                plausibility[statement_index[claim]] += table[r, WEIGHT]
            elif kind == SPEAKS:
                if_false += table[r, FREE_FALSE]
                if_true += table[r, FREE_TRUE]
                bias += table[r, HIDDEN]
            elif kind == CLAIMS_TOO:
                plausibility[statement_index[claim]] += table[r, WEIGHT]
                simple = simple and row[speaker[claim]] == row[claim]
            elif kind == DENIES_ALONE:
                simple = False
        if not simple:
            likelihood, surplus = item_by_statement(
                item, part, speaker, claim_start, statement_start, statement_index,
                row, table, global_hidden_bias, sums, evidence, plausibility,
            )  # fmt: skip
            log_likelihood += likelihood
            delta_global += surplus
            continue
        n_statements = last_statement - first_statement
        gap = bias + if_true - if_false
        e = np.exp(-abs(gap))
        free, inverse = 1.0 + e, 1.0 / (1.0 + e)
        expected = n_statements * (inverse if gap >= 0.0 else e * inverse)
        surplus = -expected
        for statement in range(first_statement, last_statement):
            x = bias + plausibility[statement]
            evidence[statement] = x
            e = np.exp(-abs(x))
            inverse = 1.0 / (1.0 + e)
            p = inverse if x >= 0.0 else e * inverse
            log_likelihood += max(x, 0.0)
            product *= 1.0 + e  # one logarithm for many: softplus(x) = max(x, 0) + log(1 + e)
            divisor *= free
            if max(product, divisor) > LARGE:
                log_likelihood += np.log(product) - np.log(divisor)
                product, divisor = 1.0, 1.0
            surplus += p
            plausibility[statement] = p
        log_likelihood -= n_statements * (if_false + max(gap, 0.0))
        delta_global += surplus
        for claim in range(first, last):
            kind, r = part[claim], np.uint32(row[claim])  # unsigned: no test for below 0
            if kind == SPEAKS_AND_CLAIMS:
                sums[r, P_CLAIMED] += plausibility[statement_index[claim]]
                sums[r, Q_SPOKEN] += expected
                sums[r, SURPLUS] += surplus
            elif kind == SPEAKS:
                sums[r, Q_SPOKEN] += expected
                sums[r, SURPLUS] += surplus
            elif kind == CLAIMS_TOO:
                sums[r, P_CLAIMED] += plausibility[statement_index[claim]]
    return log_likelihood + np.log(product) - np.log(divisor), delta_global


@compiled
def item_by_statement(
    item: int,
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    table: Any,
    global_hidden_bias: float,
    sums: Any,
    evidence: Any,
    plausibility: Any,
) -> Any:
    """Do one item statement by statement, each with its own set of speakers."""
    log_likelihood, delta_global = 0.0, 0.0
    n_units = claim_start[item + 1] - claim_start[item]
    unit_row = np.empty(n_units, np.int64)
    unit_value = np.empty(n_units, np.bool_)
    for statement in range(statement_start[item], statement_start[item + 1]):
        n = gather_units(
            item, statement, part, speaker, claim_start, statement_index, row, unit_row, unit_value
        )
        likelihood, x, q = statement_terms(n, unit_row, unit_value, table, global_hidden_bias)
        p = sigmoid(x)
        log_likelihood += likelihood
        delta_global += p - q
        evidence[statement] = x
        plausibility[statement] = p
        add_to_sums(n, unit_row, unit_value, p, q, sums)
    return log_likelihood, delta_global


@compiled
def gather_units(
    item: int,
    statement: int,
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_index: Any,
    row: Any,
    unit_row: Any,
    unit_value: Any,
) -> Any:
    """List the visible units of a statement: the row and the value of each; return their number.

    A source that names several values is one unit: with the row of the claim about this statement
    if there is one, else with the row of its first claim on the item.
    """
    n = 0
    first, last = claim_start[item], claim_start[item + 1]
    for claim in range(first, last):
        kind = part[claim]
        here = statement_index[claim] == statement
        if kind == SPEAKS_AND_CLAIMS or kind == SPEAKS:  # noqa: SIM109
            unit_row[n] = claim
            unit_value[n] = here and kind == SPEAKS_AND_CLAIMS
            n += 1
        elif kind == DENIES_ALONE and here:
            unit_row[n] = claim
            unit_value[n] = False
            n += 1
    for claim in range(first, last):
        if part[claim] == CLAIMS_TOO and statement_index[claim] == statement:
            for unit in range(n):
                if unit_row[unit] == speaker[claim]:
                    unit_row[unit] = claim
                    unit_value[unit] = True
                    break
    for unit in range(n):
        unit_row[unit] = row[unit_row[unit]]
    return n


@compiled
def statement_terms(
    n: int, unit_row: Any, unit_value: Any, table: Any, global_hidden_bias: float
) -> Any:
    """Return log-likelihood (less sum a_i v_i), log-odds and model prior q of a statement."""
    if_false, if_true, bias, weight = 0.0, 0.0, global_hidden_bias, 0.0
    for unit in range(n):
        r = unit_row[unit]
        if_false += table[r, FREE_FALSE]
        if_true += table[r, FREE_TRUE]
        bias += table[r, HIDDEN]
        if unit_value[unit]:
            weight += table[r, WEIGHT]
    gap = bias + if_true - if_false
    likelihood = softplus(bias + weight) - if_false - softplus(gap)
    return likelihood, bias + weight, sigmoid(gap)


@compiled
def add_to_sums(n: int, unit_row: Any, unit_value: Any, p: float, q: float, sums: Any) -> None:
    """Add a statement's share to the sums from which the gradient is made."""
    for unit in range(n):
        r = unit_row[unit]
        if unit_value[unit]:
            sums[r, P_CLAIMED] += p
        sums[r, Q_SPOKEN] += q
        sums[r, SURPLUS] += p - q


@compiled
def expanded_pass(
    first_item: int,
    last_item: int,
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    row_of: Any,
    state: Any,
    table: Any,
    global_hidden_bias: float,
    sums: Any,
    evidence: Any,
    plausibility: Any,
) -> Any:
    """As `exact_pass`, for rows that depend on the statement; units are expanded one at a time."""
    log_likelihood, delta_global = 0.0, 0.0
    for item in range(first_item, last_item):
        n_units = claim_start[item + 1] - claim_start[item]
        unit_row = np.empty(n_units, np.int64)
        unit_value = np.empty(n_units, np.bool_)
        for statement in range(statement_start[item], statement_start[item + 1]):
            n = gather_units(
                item, statement, part, speaker, claim_start, statement_index, row,
                unit_row, unit_value,
            )  # fmt: skip
            for unit in range(n):
                unit_row[unit] = row_of[unit_row[unit], state[statement]]
            likelihood, x, q = statement_terms(n, unit_row, unit_value, table, global_hidden_bias)
            p = sigmoid(x)
            log_likelihood += likelihood
            delta_global += p - q
            evidence[statement] = x
            plausibility[statement] = p
            add_to_sums(n, unit_row, unit_value, p, q, sums)
    return log_likelihood, delta_global


@compiled
def machine_units(
    machine: int,
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    row_of: Any,
    state: Any,
    item: Any,
    statement: Any,
    unit_row: Any,
    unit_value: Any,
) -> Any:
    """List the visible units of a machine: the row of theta and the value of each; return how many.

    Machines beyond the number of statements are those of denials: who says no claims there.
    """
    about = statement[machine]
    n = gather_units(
        item[machine], about, part, speaker, claim_start, statement_index, row,
        unit_row, unit_value,
    )  # fmt: skip
    mirrored = machine >= len(state)
    for unit in range(n):
        unit_row[unit] = row_of[unit_row[unit], state[about]]
        unit_value[unit] = unit_value[unit] != mirrored
    return n


@compiled
def batch_pass(
    machines: Any,
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    row_of: Any,
    state: Any,
    item: Any,
    statement: Any,
    table: Any,
    global_hidden_bias: float,
    sums: Any,
    counts: Any,
    evidence: Any,
) -> Any:
    """Add likelihood, gradient and counts of some machines; return (log-likelihood, d/db_0).

    The log-odds of each are written to `evidence`, in the order of `machines`.
    """
    log_likelihood, delta_global = 0.0, 0.0
    for position in range(len(machines)):
        machine = machines[position]
        n_units = claim_start[item[machine] + 1] - claim_start[item[machine]]
        unit_row = np.empty(n_units, np.int64)
        unit_value = np.empty(n_units, np.bool_)
        n = machine_units(
            machine, part, speaker, claim_start, statement_start, statement_index, row,
            row_of, state, item, statement, unit_row, unit_value,
        )  # fmt: skip
        for unit in range(n):
            counts[unit_row[unit], N_SPOKEN] += 1.0
            if unit_value[unit]:
                counts[unit_row[unit], N_CLAIMED] += 1.0
        likelihood, x, q = statement_terms(n, unit_row, unit_value, table, global_hidden_bias)
        p = sigmoid(x)
        log_likelihood += likelihood
        delta_global += p - q
        evidence[position] = x
        add_to_sums(n, unit_row, unit_value, p, q, sums)
    return log_likelihood, delta_global


@compiled
def clamp_pass(
    machines: Any,
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    row_of: Any,
    state: Any,
    item: Any,
    statement: Any,
    known: Any,
    table: Any,
    global_hidden_bias: float,
    sums: Any,
) -> Any:
    """Hold machines at their known truth; return what that adds to log-likelihood and d/db_0.

    Another pass saw these machines without it. With h known, P(v, h) stands in the place of P(v):
    h x instead of softplus(x), and h instead of p.
    """
    log_likelihood, delta_global = 0.0, 0.0
    for position in range(len(machines)):
        machine = machines[position]
        n_units = claim_start[item[machine] + 1] - claim_start[item[machine]]
        unit_row = np.empty(n_units, np.int64)
        unit_value = np.empty(n_units, np.bool_)
        n = machine_units(
            machine, part, speaker, claim_start, statement_start, statement_index, row,
            row_of, state, item, statement, unit_row, unit_value,
        )  # fmt: skip
        _, x, _ = statement_terms(n, unit_row, unit_value, table, global_hidden_bias)
        step = known[machine] - sigmoid(x)
        log_likelihood += known[machine] * x - softplus(x)
        delta_global += step
        add_to_sums(n, unit_row, unit_value, step, 0.0, sums)
    return log_likelihood, delta_global


@compiled
def count_pass(
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    row_of: Any,
    state: Any,
    counts: Any,
) -> None:
    """Count the statements that each row claims, and those that it speaks about."""
    by_statement = row_of.shape[1] > 1
    for item in range(len(claim_start) - 1):
        first, last = claim_start[item], claim_start[item + 1]
        n_statements = statement_start[item + 1] - statement_start[item]
        simple = not by_statement
        for claim in range(first, last):
            if part[claim] == DENIES_ALONE:
                simple = False
            elif part[claim] == CLAIMS_TOO:
                simple = simple and row[speaker[claim]] == row[claim]
        if simple:
            for claim in range(first, last):
                kind, r = part[claim], row[claim]
                if kind == SPEAKS_AND_CLAIMS or kind == CLAIMS_TOO:  # noqa: SIM109
                    counts[r, N_CLAIMED] += 1.0
                if kind == SPEAKS_AND_CLAIMS or kind == SPEAKS:  # noqa: SIM109
                    counts[r, N_SPOKEN] += n_statements
            continue
        unit_row = np.empty(last - first, np.int64)
        unit_value = np.empty(last - first, np.bool_)
        for statement in range(statement_start[item], statement_start[item + 1]):
            n = gather_units(
                item, statement, part, speaker, claim_start, statement_index, row,
                unit_row, unit_value,
            )  # fmt: skip
            for unit in range(n):
                r = row_of[unit_row[unit], state[statement]]
                counts[r, N_SPOKEN] += 1.0
                if unit_value[unit]:
                    counts[r, N_CLAIMED] += 1.0


@compiled
def divergence_pass(
    machines: Any,
    part: Any,
    speaker: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    row_of: Any,
    state: Any,
    item: Any,
    statement: Any,
    known: Any,
    theta: Any,
    global_hidden_bias: float,
    cd_steps: int,
    seed: int,
    delta_theta: Any,
) -> Any:
    """Add the contrastive-divergence estimate of the gradient for some machines; return d/db_0.

    The random numbers of a machine depend on the seed and the machine alone.
    """
    delta_global = 0.0
    for position in range(len(machines)):
        machine = machines[position]
        n_units = claim_start[item[machine] + 1] - claim_start[item[machine]]
        unit_row = np.empty(n_units, np.int64)
        unit_value = np.empty(n_units, np.bool_)
        sampled = np.empty(n_units, np.bool_)
        n = machine_units(
            machine, part, speaker, claim_start, statement_start, statement_index, row,
            row_of, state, item, statement, unit_row, unit_value,
        )  # fmt: skip
        h0, h1 = diverge_machine(
            n, unit_row, unit_value, sampled, theta, global_hidden_bias, known[machine],
            cd_steps, seed, machine,
        )  # fmt: skip
        delta_global += h0 - h1
        for unit in range(n):
            r = unit_row[unit]
            v0 = 1.0 if unit_value[unit] else 0.0
            v1 = 1.0 if sampled[unit] else 0.0
            delta_theta[r, THETA_A] += v0 - v1
            delta_theta[r, THETA_W] += v0 * h0 - v1 * h1
            delta_theta[r, THETA_B] += h0 - h1
    return delta_global


@compiled
def diverge_machine(
    n: int,
    unit_row: Any,
    unit_value: Any,
    sampled: Any,
    theta: Any,
    global_hidden_bias: float,
    known: int,
    cd_steps: int,
    seed: int,
    machine: int,
) -> Any:
    """Sample h0 given the claims, then v1 given h0 and h1 given v1 (`cd_steps` times).

    Algorithm 1, right: the gradient is (v0 - v1, v0 h0 - v1 h1, h0 - h1). Where the truth is known,
    that is h0. Returns h0 and h1, and leaves v1 in `sampled`.
    """
    random = scatter(np.uint64(seed) + np.uint64(machine) * np.uint64(0x9E3779B97F4A7C15))
    bias, weight = global_hidden_bias, 0.0
    for unit in range(n):
        bias += theta[unit_row[unit], THETA_B]
        if unit_value[unit]:
            weight += theta[unit_row[unit], THETA_W]
    random = next_random(random)
    h0 = uniform(random) < sigmoid(bias + weight)
    if known >= 0:
        h0 = known == 1
    h1 = h0
    for _ in range(cd_steps):
        weight = 0.0
        for unit in range(n):
            r = unit_row[unit]
            random = next_random(random)
            logit = theta[r, THETA_A] + (theta[r, THETA_W] if h1 else 0.0)
            sampled[unit] = uniform(random) < sigmoid(logit)
            if sampled[unit]:
                weight += theta[r, THETA_W]
        random = next_random(random)
        h1 = uniform(random) < sigmoid(bias + weight)
    return (1.0 if h0 else 0.0), (1.0 if h1 else 0.0)


@compiled
def scatter(x: Any) -> Any:
    """Scatter the bits of a number (the finisher of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def next_random(x: Any) -> Any:
    """Step the xorshift64* generator; a state of zero is moved away from."""
    if x == np.uint64(0):
        x = np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    return x


@compiled
def uniform(x: Any) -> Any:
    """Turn a state into a number in [0, 1)."""
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
