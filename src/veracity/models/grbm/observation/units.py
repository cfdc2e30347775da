"""Units of the paper's machine: exact likelihood, plausibility and gradient, over threads.

With one hidden unit the partition function has two terms. For a statement with claims
v_1 .. v_n in {0, 1} and B = b_0 + sum b_i:

    log P(v) = sum a_i v_i + softplus(B + sum w_i v_i)
               - logaddexp( sum softplus(a_i), B + sum softplus(a_i + w_i) )

    p = sigmoid(B + sum w_i v_i)                                    plausibility, eq. (10)
    q = sigmoid(B + sum softplus(a_i + w_i) - sum softplus(a_i))    the model's own prior

    d/da_i = v_i   - [ q sigmoid(a_i + w_i) + (1 - q) sigmoid(a_i) ]
    d/dw_i = p v_i -   q sigmoid(a_i + w_i)
    d/db_i = d/db_0 = p - q

Theta belongs to rows, the distinct feature vectors, of which there are fewer than claims. All
functions of theta alone are computed once per row; the pass over the claims gathers, adds and
scatters.

Every statement is a machine. Where yes/no items are one-hot, as in the paper, the denial of their
statement is a machine of its own: who says no claims it, and who says yes denies it. Given that
one of the two is true, the log-odds of the statement are those of the one less those of the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, freeze
from veracity.data.encode.denials import ClaimRoles
from veracity.engines.threads import over_threads
from veracity.models.grbm.observation import statement_kernels as kernels
from veracity.models.grbm.theta import Theta, rates_of


@dataclass(frozen=True, eq=False)
class Units:
    """Claims with the rows by which they see theta.

    Attributes
    ----------
    roles
        Claims by item and statement.
    row
        Feature row of each claim; (n_claims,).
    state
        State of each statement, for features that depend on it, else all 0; (n_statements,).
    row_of
        Row of theta for a feature row and a state; (n_feature_rows, n_states).
    n_rows
        Number of rows of theta.
    known
        1 or 0 for each statement whose truth is given, -1 for others; None if none is;
        (n_statements,).
    mirrored
        The statements whose denial is a machine of its own.
    """

    roles: ClaimRoles
    row: npt.NDArray[np.int32]
    state: npt.NDArray[np.int32]
    row_of: npt.NDArray[np.int32]
    n_rows: int
    known: npt.NDArray[np.int8] | None = None
    mirrored: Indices = field(default_factory=lambda: np.empty(0, np.int64))

    def __post_init__(self) -> None:
        freeze(self)

    @classmethod
    def of(cls, roles: ClaimRoles, row: npt.NDArray[np.int32], n_rows: int) -> Units:
        """Return units whose rows do not depend on the statement."""
        state = np.zeros(roles.n_statements, np.int32)
        return cls(roles, row, state, np.arange(n_rows, dtype=np.int32)[:, None], n_rows)

    @property
    def depends_on_statement(self) -> bool:
        """Whether a source that speaks about several statements may be seen differently."""
        return len(self.row_of.T) > 1

    @cached_property
    def statement_of(self) -> Indices:
        """The statement of each machine; (n_machines,)."""
        return np.append(np.arange(self.n_statements), self.mirrored)

    @cached_property
    def item_of(self) -> Indices:
        """The item of each machine; (n_machines,)."""
        start = self.roles.statement_start
        return np.asarray(np.searchsorted(start, self.statement_of, side="right") - 1)

    @cached_property
    def known_machines(self) -> npt.NDArray[np.int8]:
        """1 or 0 for each machine whose truth is given, -1 for others; (n_machines,)."""
        if self.known is None:
            return np.full(self.n_machines, -1, np.int8)
        denied = self.known[self.mirrored]
        return np.append(self.known, np.where(denied >= 0, 1 - denied, -1)).astype(np.int8)

    def machines_of(self, items: Indices) -> Indices:
        """Return the machines of items, those of denials last."""
        start = self.roles.statement_start
        size = start[items + 1] - start[items]
        place = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        of_items: Indices = np.repeat(start[items], size) + place
        if not len(self.mirrored):
            return of_items
        chosen = np.flatnonzero(np.isin(self.mirrored, of_items))
        return np.append(of_items, self.n_statements + chosen)

    @property
    def denials(self) -> Indices:
        """The machines of denials."""
        return np.arange(self.n_statements, self.n_machines)

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return self.n_statements + len(self.mirrored)

    @property
    def units_per_machine(self) -> float:
        """How many sources speak about a statement, on average."""
        return float(self.counts[:, 1].sum()) / self.n_machines

    @property
    def n_statements(self) -> int:
        """Number of statements."""
        return self.roles.n_statements

    @property
    def own_row(self) -> npt.NDArray[np.int32]:
        """The row by which each claim is seen about its own statement; (n_claims,)."""
        return np.asarray(self.row_of[self.row, self.state[self.roles.statement_index]])

    @cached_property
    def counts(self) -> Floats:
        """How many statements each row claims and speaks about; (n_rows, 2)."""
        counts = np.zeros((self.n_rows, 2))
        kernels.count_pass(*self.claims(), self.row_of, self.state, counts)
        if len(self.mirrored):
            silent = np.zeros((self.n_rows, 4))
            kernels.batch_pass(
                self.denials, *self.machines(), silent, 0.0, silent.copy(), counts,
                np.empty(len(self.mirrored)),
            )  # fmt: skip
        return counts

    def claims(self) -> tuple[npt.NDArray[np.generic], ...]:
        """The arrays that every kernel begins with."""
        roles = self.roles
        return (
            roles.role,
            roles.speaker,
            roles.claim_start,
            roles.statement_start,
            roles.statement_index,
            self.row,
        )

    def machines(self) -> tuple[npt.NDArray[np.generic], ...]:
        """The arrays that every kernel over single machines begins with."""
        return *self.claims(), self.row_of, self.state, self.item_of, self.statement_of


@dataclass
class Summary:
    """What a pass over items yields; summaries of disjoint sets of items add.

    Attributes
    ----------
    log_likelihood
        Of the claims.
    delta_theta
        Its gradient with respect to a, w and b of each row; (n_rows, 3).
    delta_global
        Its gradient with respect to b_0.
    """

    log_likelihood: float
    delta_theta: Floats
    delta_global: float

    @classmethod
    def of(
        cls, log_likelihood: float, delta_global: float, sums: Floats, counts: Floats, theta: Theta
    ) -> Summary:
        """Make the gradient from the sums that a pass leaves, and the counts of its units."""
        n_claimed, n_spoken = counts.T
        rates, expected = rates_of(theta), sums[:, kernels.Q_SPOKEN]
        delta = np.empty((len(sums), 3))
        delta[:, 0] = n_claimed - expected * rates.tpr - (n_spoken - expected) * rates.fpr
        delta[:, 1] = sums[:, kernels.P_CLAIMED] - expected * rates.tpr
        delta[:, 2] = sums[:, kernels.SURPLUS]
        # The pass leaves out sum a_i v_i, which needs no pass.
        return cls(log_likelihood + float(n_claimed @ theta.visible_bias), delta, delta_global)

    def __add__(self, other: Summary) -> Summary:
        return Summary(
            self.log_likelihood + other.log_likelihood,
            self.delta_theta + other.delta_theta,
            self.delta_global + other.delta_global,
        )


def summarise(
    units: Units, theta: Theta, global_hidden_bias: float, threads: int | None = None
) -> tuple[Summary, Floats]:
    """Return the summary of all items, and the log-odds of their statements.

    The same number of threads gives the same result to the bit.
    """
    table = kernels.row_table(theta)
    evidence = np.empty(units.roles.n_statements)
    plausibility = np.empty(units.roles.n_statements)

    def work(first: int, last: int) -> tuple[float, float, Floats]:
        sums = np.zeros((units.n_rows, 4))
        claims, tail = units.claims(), (table, global_hidden_bias, sums, evidence, plausibility)
        if units.depends_on_statement:
            result = kernels.expanded_pass(first, last, *claims, units.row_of, units.state, *tail)
        else:
            result = kernels.exact_pass(first, last, *claims, *tail)
        return result[0], result[1], sums

    parts = over_threads(work, units.roles.claim_start, threads)
    log_likelihood = sum(part[0] for part in parts)
    sums = sum((part[2] for part in parts[1:]), parts[0][2])
    delta_global = sum(part[1] for part in parts)
    if len(units.mirrored):
        of_denials = np.empty(len(units.mirrored))
        more = kernels.batch_pass(
            units.denials, *units.machines(), table, global_hidden_bias, sums,
            np.zeros((units.n_rows, 2)), of_denials,
        )  # fmt: skip
        log_likelihood, delta_global = log_likelihood + more[0], delta_global + more[1]
        evidence[units.mirrored] -= of_denials
    held = hold_known(units, np.arange(units.n_machines), table, global_hidden_bias, sums)
    return (
        Summary.of(log_likelihood + held[0], delta_global + held[1], sums, units.counts, theta),
        evidence,
    )


def hold_known(
    units: Units, machines: Indices, table: Floats, global_hidden_bias: float, sums: Floats
) -> tuple[float, float]:
    """Hold machines at their known truth, where it is given: correct sums, return what to add.

    They are in the sums as if it were not.
    """
    if units.known is None:
        return 0.0, 0.0
    known = units.known_machines
    more_likelihood, more_global = kernels.clamp_pass(
        machines[known[machines] >= 0], *units.machines(), known, table, global_hidden_bias, sums
    )
    return more_likelihood, more_global


def summarise_machines(
    units: Units, theta: Theta, global_hidden_bias: float, machines: Indices
) -> Summary:
    """Return the exact summary of some of the machines."""
    sums, counts = np.zeros((units.n_rows, 4)), np.zeros((units.n_rows, 2))
    table, evidence = kernels.row_table(theta), np.empty(len(machines))
    likelihood, delta_global = kernels.batch_pass(
        machines, *units.machines(), table, global_hidden_bias, sums, counts, evidence
    )
    held = hold_known(units, machines, table, global_hidden_bias, sums)
    return Summary.of(likelihood + held[0], delta_global + held[1], sums, counts, theta)


def diverge(
    units: Units,
    theta: Theta,
    global_hidden_bias: float,
    machines: Indices,
    cd_steps: int,
    seed: int,
) -> Summary:
    """Estimate the gradient of some machines by contrastive divergence; the likelihood is NaN."""
    delta = np.zeros((units.n_rows, 3))
    delta_global = kernels.divergence_pass(
        machines, *units.machines(), units.known_machines, np.stack(theta, axis=1),
        global_hidden_bias, cd_steps, seed, delta,
    )  # fmt: skip
    return Summary(float("nan"), delta, delta_global)
