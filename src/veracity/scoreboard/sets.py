"""The data sets of a scoreboard: found in a folder, known by their content, ready for workers."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from veracity.data.claims import Claims
from veracity.data.read.formats import locate
from veracity.data.read.settings import Attribute
from veracity.data.read.tables import FileOptions, open_location
from veracity.data.read.workbench import Workbench
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.known import FALSE, TRUE, KnownTruth
from veracity.datasets.folder import file_names, find_table, load
from veracity.engines.truth_check import check_truth
from veracity.errors import InputError, InvalidParameter, listing, suggestion

#: The tables that decide what a data set is.
TABLES = ("claims", "truth", "oracle")
#: So many claims are enough to import and compile all that a fit needs.
WARM_UP_CLAIMS = 400


@dataclass(frozen=True)
class Facts:
    """Facts about a data set that do not depend on a model; see `Cell`."""

    n_claims: int
    n_truth_items: int
    n_items: int
    ceiling: float
    oracle: float | None = None


@dataclass(frozen=True)
class Material:
    """Input of a worker: claims, their truth, and some claims to warm up with."""

    claims: Claims
    truth: GroundTruth
    warm_up: Claims

    def save(self, path: Path) -> None:
        """Write everything to a file for workers of this very run."""
        try:
            path.write_bytes(pickle.dumps(self, protocol=5))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InvalidParameter(
                f"The claims cannot be sent to another process: {error}. A function that compares "
                "values must be one that can be imported, not a lambda."
            ) from error

    @classmethod
    def open(cls, path: Path) -> Material:
        """Read what `save` wrote."""
        material = pickle.loads(path.read_bytes())  # noqa: S301 - written by our own parent
        assert isinstance(material, cls)
        return material


@dataclass(frozen=True)
class EvaluationSet:
    """A data set with known truth, under a name; `read` reads it when it is needed."""

    name: str
    fingerprint: str
    read: Callable[[], tuple[Claims, GroundTruth]]
    oracle: Callable[[], float | None] = lambda: None

    def prepare(self, path: Path) -> Facts:
        """Read the claims and the truth, and write them to a file for workers."""
        claims, truth = self.read()
        facts = describe(claims, truth, self.oracle())
        Material(claims, truth, few_of(claims)).save(path)
        return facts


def find_sets(
    data: Path, names: Sequence[str] | None = None
) -> tuple[list[EvaluationSet], list[str]]:
    """Find the data sets of a folder that have truth, and say what was left out.

    The folder holds one folder for each set, or is one itself.
    """
    if not data.is_dir():
        raise InputError(f"There is no folder {data}. Expected one that holds data sets.")
    if find_table(data, "claims") is not None:
        folders = {data.resolve().name: data}
    else:
        inside = sorted(place for place in data.iterdir() if place.is_dir())
        folders = {place.name: place for place in inside if find_table(place, "claims")}
    if not folders:
        raise InputError(
            f"The folder {data} holds no data sets: neither it nor a folder in it has "
            f"{file_names('claims')}."
        )
    for name in names or ():
        if name not in folders:
            raise InvalidParameter(
                f"There is no data set {name!r} in {data}.{suggestion(name, folders)} "
                f"There are: {listing(folders, 40)}."
            )
    chosen = {name: folders[name] for name in dict.fromkeys(names or folders)}
    without = [name for name, place in chosen.items() if find_table(place, "truth") is None]
    if len(without) == len(chosen):
        raise InputError(
            f"No data set in {data} has known truth to measure against: looked for "
            f"{file_names('truth')} in {listing(without, 40)}."
        )
    notes = []
    if without:
        notes.append(f"Left out, since without {file_names('truth')}: {listing(without, 40)}.")
    return [in_folder(name, chosen[name]) for name in chosen if name not in without], notes


def in_folder(name: str, place: Path) -> EvaluationSet:
    """Return the data set of a folder."""

    def read() -> tuple[Claims, GroundTruth]:
        dataset = load(place)
        assert dataset.truth is not None
        return dataset.claims, dataset.truth

    return EvaluationSet(name, _fingerprint(place), read, lambda: _oracle(place))


def _fingerprint(place: Path) -> str:
    """Return a hash of what is in the tables of a folder."""
    found = hashlib.sha256()
    for stem in TABLES:
        if (path := find_table(place, stem)) is not None:
            found.update(path.name.encode() + b"\0")
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def _oracle(place: Path) -> float | None:
    """Return the accuracy of the best decisions about drawn data, None of other data."""
    path = find_table(place, "oracle")
    if path is None:
        return None
    with Workbench() as workbench:
        raw = open_location(workbench, locate(path), FileOptions())
        if not {"n_decisions", "accuracy"} <= set(raw.names):
            return None
        count, right = (f"{raw.column(name)}::DOUBLE" for name in ("n_decisions", "accuracy"))
        (accuracy,) = workbench.row(
            f"SELECT sum({count} * {right}) / sum({count}) FROM ({raw.relation})"
        )
        return None if accuracy is None else float(accuracy)


def describe(claims: Claims, truth: GroundTruth, oracle: float | None = None) -> Facts:
    """Count claims and truth items, and work out how often the truth is claimed at all.

    The oracle's decisions about items with several true values are about statements, which is
    not what accuracy counts, so that it has no figure there.
    """
    matrix = claims.matrix
    check_truth(truth, claims)
    known = KnownTruth.of(truth, claims)
    n_items = int(known.settled.sum())
    yes = matrix.claim_value == 1
    said_yes = np.bincount(matrix.statement_index[yes], minlength=matrix.n_statements) > 0
    said_no = np.bincount(matrix.statement_index[~yes], minlength=matrix.n_statements) > 0
    boolean = matrix.kind_is("boolean")[matrix.item_of_statement]
    claimed = ((known.statement == TRUE) & said_yes) | (
        (known.statement == FALSE) & boolean & said_no
    )
    n_claimed = int((matrix.sum_by_item(claimed.astype(np.float64)) > 0).sum())
    several = matrix.kind_is("multiple").any()
    return Facts(
        matrix.n_claims, len(truth), n_items, n_claimed / n_items, None if several else oracle
    )


def few_of(claims: Claims) -> Claims:
    """Return a few of the claims, of the same kinds and with the same features."""
    table = claims.in_use().slice(0, WARM_UP_CLAIMS)
    present = set(table["attribute"].to_pylist())
    attributes = {
        profile.name: Attribute(
            profile.kind,
            profile.domain,
            values=claims.forms.comparison(profile.name),
            positive=profile.positive,
            notation=claims.settings.for_attribute(profile.name).rule.of_spellings(),
        )
        for profile in claims.attributes
        if profile.name in present
    }
    categories = [name for name, kind in claims.feature_types.items() if kind == "category"]
    return Claims.from_frame(
        table,
        attributes=attributes,
        duplicates=claims.settings.duplicates_in_use,
        categories=categories,
    )
