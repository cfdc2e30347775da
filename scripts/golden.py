"""Keep results of all models, and check that they stay what they are.

    scripts/golden.py write                   # keep the results of the code as it is
    scripts/golden.py check                   # compare; exit code 1 if anything differs
    scripts/golden.py check --models grbm,rbm --sets rte,dog --places memory,blocks

The results are in ``tests/golden``, one file for each data set; `make test` checks some of them.
The folder of data sets is what the environment variable VERACITY_DATA says, else
``../shared/data``; sets that are not there are left out, and so is Spark without Java.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import groupby
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.golden import files
from tests.golden.cases import QUICK, Case, all_cases, is_there, run
from tests.golden.record import Difference
from tests.spark_cluster import has_java, running_cluster


def main() -> int:
    """Write or check; return 1 if anything differs."""
    options = _options()
    cases = _chosen(options)
    cluster: Any = running_cluster() if _on_spark(cases) else nullcontext()
    with cluster:
        return _write(cases) if options.command == "write" else _check(cases, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=["write", "check"])
    for name in ("models", "sets", "places"):
        parser.add_argument(f"--{name}", type=_names, metavar="NAME,...", help=f"only these {name}")
    parser.add_argument("--quick", action="store_true", help="only the sets that tests check")
    parser.add_argument("--share", type=float, default=1.0, help="a random share of the cases")
    parser.add_argument("--seed", type=int, default=0, help="which share that is")
    parser.add_argument("--tolerance", type=float, help="how far numbers may be from those kept")
    parser.add_argument(
        "--notes", choices=["fail", "warn", "skip"], default="fail", help="changes of notes"
    )
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return text.split(",")


def _chosen(options: argparse.Namespace) -> list[Case]:
    draw = random.Random(options.seed)
    cases = [case for case in all_cases() if is_there(case.data) and _is_asked(case, options)]
    if not has_java():
        cases = [case for case in cases if case.place != "spark"]
    return [case for case in cases if draw.random() < options.share]


def _is_asked(case: Case, options: argparse.Namespace) -> bool:
    asked = (
        (options.models, case.model),
        (options.sets, case.data),
        (options.places, case.place),
        (QUICK if options.quick else None, case.data),
    )
    return all(names is None or name in names for names, name in asked)


def _on_spark(cases: list[Case]) -> bool:
    return any(case.place == "spark" for case in cases)


def _write(cases: list[Case]) -> int:
    commit = files.commit()
    for data, group in groupby(cases, key=lambda case: case.data):
        kept, began = files.read(data), time.process_time()
        for case in group:
            kept[case.key] = {"commit": commit[:12] + commit[40:], **run(case)}
        known = {case.key for case in all_cases() if case.data == data}
        files.write(data, {key: record for key, record in kept.items() if key in known})
        _say(f"{data}: {len(kept)} cases kept, {time.process_time() - began:.1f} s")
    return 0


def _check(cases: list[Case], options: argparse.Namespace) -> int:
    always, n_bad = files.constants(), 0
    for case in cases:
        tolerance = options.tolerance or files.tolerance_of(case)
        began = time.process_time()
        found = files.check(case, always)
        bad = list(_serious(found, tolerance, options.notes))
        largest = max((one.size for one in found if not one.about_notes), default=0.0)
        word = "DIFFERS" if bad else "same"
        seconds = time.process_time() - began
        _say(f"{word:8} {largest:8.1e} {case.data} {case.key} ({seconds:.1f} s)")
        shown = bad if options.notes == "fail" else bad + _about_notes(found, options.notes)
        for one in shown:
            _say(f"         {one}")
        n_bad += bool(bad)
    _say(f"{n_bad} of {len(cases)} cases differ")
    return int(n_bad > 0)


def _serious(found: list[Difference], tolerance: float, notes: str) -> Iterator[Difference]:
    for one in found:
        if one.size > tolerance and (notes == "fail" or not one.about_notes):
            yield one


def _about_notes(found: list[Difference], notes: str) -> list[Difference]:
    return [one for one in found if one.about_notes] if notes == "warn" else []


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
