"""A plan for very many claims, from what stages cost when they were measured.

    python benchmarks/plan.py
    python benchmarks/plan.py --claims 1e9 --sources 1e6 --nodes 4 --cores 16

The figures of `Measured` are those of ``make bench-cost``, for 50,000 sources who make six claims
each, ``make bench-scale`` and ``make bench-spark``; give others for other machines. Everything else
is arithmetic, and stands here.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields

US, HOUR, GB = 1e-6, 3600.0, 1e9


@dataclass(frozen=True)
class Measured:
    """What one claim, pass or source costs; times in microseconds of one core.

    Attributes
    ----------
    read, prepare, evaluate, once, write
        Per claim: to read it and put it into a block; to make the objective of its block; to
        evaluate that; to do all that is done once (judging, intervals, guards); to write results.
    prepares, evaluates
        How often a fit does so.
    on_spark
        How much longer a pass takes on Spark than on one machine.
    job
        Seconds of a Spark job besides its work.
    block_bytes
        Of the blocks and what is made of them, per claim.
    source_bytes
        Of the driver, per source.
    """

    read: float = 2.7
    prepare: float = 0.4
    evaluate: float = 0.3
    once: float = 7.2
    write: float = 1.1
    prepares: int = 1
    evaluates: int = 30
    on_spark: float = 2.0
    job: float = 0.5
    block_bytes: float = 120.0
    source_bytes: float = 180.0


@dataclass(frozen=True)
class Cluster:
    """Nodes, the cores of each, and what each sends and receives in a second."""

    nodes: int
    cores: int = 16
    bytes_per_second: float = 1.25e9

    @property
    def n_cores(self) -> int:
        """Cores of all nodes."""
        return self.nodes * self.cores


CLAIMS_PER_BLOCK = 500_000
#: Plans that are shown if nothing is asked for: claims, sources, nodes.
SHOWN = ((10**9, 10**6, 1), (10**9, 10**6, 4), (10**10, 10**7, 32), (10**11, 10**8, 256))
#: The share of time in which cores have work: blocks differ, and the last ones are waited for.
BUSY = 0.8


@dataclass(frozen=True)
class Plan:
    """What a fit to so many claims of so many sources takes on a cluster."""

    claims: int
    sources: int
    cluster: Cluster
    measured: Measured

    @property
    def is_one_machine(self) -> bool:
        """Whether no cluster is needed."""
        return self.cluster.nodes == 1

    @property
    def slower(self) -> float:
        """How much longer work takes than on one machine."""
        return 1.0 if self.is_one_machine else self.measured.on_spark

    def core_hours(self, microseconds: float) -> float:
        """Return the core hours of work that takes so long for each claim."""
        return self.claims * microseconds * US * self.slower / HOUR

    @property
    def evaluating(self) -> float:
        """Microseconds per claim of all evaluations."""
        return self.measured.evaluates * self.measured.evaluate

    @property
    def working(self) -> float:
        """Microseconds per claim of everything."""
        m = self.measured
        return m.read + m.prepares * m.prepare + self.evaluating + m.once + m.write

    @property
    def sent_out(self) -> float:
        """Bytes that an iteration sends to executors: the parameters, to each node."""
        return 0.0 if self.is_one_machine else 8.0 * self.sources * self.cluster.nodes

    @property
    def sent_back(self) -> float:
        """Bytes that the sums of blocks take in an iteration: place and number of each parameter.

        A block has no more sources than claims; the estimate is for sources that are equally busy,
        which is the worst case.
        """
        if self.is_one_machine:
            return 0.0
        blocks = max(self.claims / CLAIMS_PER_BLOCK, 1.0)
        missed = (1.0 - 1.0 / self.sources) ** CLAIMS_PER_BLOCK
        return 16.0 * blocks * self.sources * (1.0 - missed)

    @property
    def network_hours(self) -> float:
        """Hours in which parameters and sums are on their way."""
        # The driver sends each parameter to a few, who pass it on; sums meet on all nodes.
        out = 8.0 * self.sources * 2 / self.cluster.bytes_per_second
        back = self.sent_back / (self.cluster.nodes * self.cluster.bytes_per_second)
        each = 0.0 if self.is_one_machine else out + back + self.measured.job
        return self.measured.evaluates * each / HOUR

    @property
    def hours(self) -> float:
        """Hours in all."""
        return self.core_hours(self.working) / (self.cluster.n_cores * BUSY) + self.network_hours

    def row(self) -> list[str]:
        """Return the plan as cells of a table."""
        c, m = self.cluster, self.measured
        blocks = self.claims * m.block_bytes / GB
        return [
            f"{self.claims:.0e}".replace("e+", "e"),
            f"{self.sources:.0e}".replace("e+", "e"),
            f"{c.nodes} x {c.cores}",
            f"{self.core_hours(self.working):,.0f}",
            f"{self.hours:.1f}",
            f"{self.network_hours / self.hours:.0%}",
            f"{blocks / c.nodes:,.0f}",
            f"{self.sources * m.source_bytes / GB:.1f}",
            f"{self.sent_out / GB:,.2f}",
            f"{self.sent_back / GB:,.1f}",
        ]


COLUMNS = (
    "claims",
    "sources",
    "nodes x cores",
    "core hours",
    "hours",
    "of that, network",
    "GB of blocks per node",
    "GB in the driver",
    "GB out per iteration",
    "GB back per iteration",
)


def main() -> None:
    """Print plans."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=float)
    parser.add_argument("--sources", type=float, default=1e6)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--cores", type=int, default=16)
    for field in fields(Measured):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=float, default=field.default)
    options = parser.parse_args()
    measured = Measured(**{field.name: getattr(options, field.name) for field in fields(Measured)})
    asked = (
        [(int(options.claims), int(options.sources), options.nodes)] if options.claims else SHOWN
    )
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "--:|" * len(COLUMNS))
    for claims, sources, nodes in asked:
        plan = Plan(claims, sources, Cluster(nodes, options.cores), measured)
        print("| " + " | ".join(plan.row()) + " |")


if __name__ == "__main__":
    main()
