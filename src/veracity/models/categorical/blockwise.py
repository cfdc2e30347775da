"""The default model over blocks of items: the same passes, and sums of what they leave.

Every block has an objective of its own, with the parameters of its own sources, and knows the place
of each of these parameters among all. The likelihood and its gradient are sums over blocks; priors
are added once. Nothing that grows with the number of claims leaves a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from veracity.data.attributes import AttributeProfile
from veracity.data.blocks import ClaimBlock
from veracity.data.matrix import Floats
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums, Together
from veracity.features import FeatureBuilder
from veracity.models.categorical.clustering import clustered
from veracity.models.categorical.curvature import SharedCurvature, SharedSums
from veracity.models.categorical.fitted import FittedBlock
from veracity.models.categorical.fitting import Objective, Penalised
from veracity.models.categorical.forms import Block, choose_forms, same_forms
from veracity.models.categorical.heldout import Gain, hide
from veracity.models.categorical.parts import PARTS, Part
from veracity.models.categorical.priors import BinaryPrior, ClassPrior, NoPrior, Prior
from veracity.models.categorical.rows import rows_of
from veracity.models.categorical.scene import Scene
from veracity.models.categorical.scores import Score
from veracity.models.classes import values_by_attribute
from veracity.models.dependence import (
    Dependence,
    answers_of,
    count_pairs,
    dependence_of,
    most_contested,
    n_contested,
    without_copies,
)
from veracity.models.rbm.layout import Layout, lay_out

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Plan:
    """What every block needs to know to make its objective.

    Attributes
    ----------
    shapes
        The attributes, the form that each takes, and the sources and classes of its parameters.
    prolific, groups
        z of each source, and the group of dependent sources that it is in, or -1.
    floor
        The least e^u: 1, or 0 where sources may be worse than chance.
    score, builder
        g, and what makes the features that it sees; None for no features.
    clustered
        Whether wrong values cluster.
    seed
        Of the claims that are held out; None for none.
    """

    shapes: tuple[FittedBlock, ...]
    prolific: Floats
    groups: Indices
    floor: float
    score: Score
    builder: FeatureBuilder | None = None
    clustered: bool = False
    seed: int | None = None

    @property
    def forms(self) -> list[Block]:
        """The attributes and their forms."""
        return [shape.block for shape in self.shapes]

    @property
    def uses_prolific(self) -> bool:
        """Whether one reliability stands for all values of some attribute."""
        return any(block.form == "coin" for block in self.forms)

    @property
    def n_sources(self) -> int:
        """Number of all sources."""
        return len(self.prolific)

    def starts(self) -> Indices:
        """Return where the parameters of each attribute begin; (n_attributes + 1,)."""
        first = 2 + self.n_sources + len(self.score.psi)
        return first + np.append(0, np.cumsum([size_of(shape) for shape in self.shapes]))


def size_of(shape: FittedBlock) -> int:
    """Return how many parameters an attribute has."""
    k, n_sources, n_heavy = shape.block.n_classes, len(shape.sources), len(shape.heavy)
    if shape.block.form == "classes":
        return k * (2 + k + n_sources + n_heavy * k)
    return 2 + n_sources if shape.block.form == "binary" else 0


@dataclass(frozen=True, eq=False)
class Piece:
    """The objective of a block.

    Attributes
    ----------
    objective
        Of the claims of the block, and of the parameters of its own sources.
    index
        The place of each of its parameters among all.
    place
        The place of each of its sources among all.
    attributes
        Which of all attributes each of its parts is about.
    hidden
        The claims that are held out.
    """

    objective: Objective
    index: Indices
    place: Indices
    attributes: tuple[int, ...]
    hidden: Indices


def layout_of(block: ClaimBlock, groups: Indices, prolific: Floats) -> Layout:
    """Return the part of each claim of a block, copies left out."""
    place = block.place
    return without_copies(block.matrix, lay_out(block.matrix), groups[place], prolific[place])


def piece_of(block: ClaimBlock, plan: Plan) -> Piece:
    """Make the objective of a block."""
    matrix, place = block.matrix, block.place
    layout, hidden = layout_of(block, plan.groups, plan.prolific), np.empty(0, np.int64)
    if plan.seed is not None:
        layout, hidden = hide(matrix, layout, plan.seed)
    row, source_of_row, features = rows_of(block.claims, plan.builder)
    offset, unseen = np.zeros(matrix.n_statements), np.zeros(matrix.n_items)
    scene = Scene(matrix, layout, row, source_of_row, offset, unseen, floor=plan.floor)
    scene = clustered(scene) if plan.clustered else scene
    number = {shape.block.name: index for index, shape in enumerate(plan.shapes)}
    starts, first = plan.starts(), 2 + plan.n_sources
    parts, attributes = list[Part](), list[int]()
    index = [np.arange(2), 2 + place, np.arange(first, first + len(plan.score.psi))]
    for form in same_forms(matrix, plan.forms):
        attribute = number[form.name]
        shape = replace(plan.shapes[attribute], lookup=place)
        part = PARTS[form.form](scene, form, shape)
        # Numbers that say where they stand, among all, come to where each is needed.
        numbered = replace(shape, own=np.arange(size_of(shape), dtype=np.float64))
        index.append(starts[attribute] + part.own_of(numbered).astype(np.int64))
        parts.append(part)
        attributes.append(attribute)
    objective = Objective(
        scene, parts, deepcopy(plan.score), features, plan.prolific[place], plan.uses_prolific
    )
    return Piece(objective, np.concatenate(index), place, tuple(attributes), hidden)


class ObjectiveInBlocks(Penalised):
    """The penalised log-likelihood of claims in blocks."""

    def __init__(
        self,
        blocks: Blocks[ClaimBlock],
        plan: Plan,
        n_claims: Indices,
        known_curvature: SharedCurvature | None = None,
    ) -> None:
        self.plan, self.score = plan, plan.score
        self.known_curvature = known_curvature
        self._n_claims = n_claims
        self._pieces = blocks.prepare(piece_of, plan)
        counts = self._pieces.total(prior_sums, plan)
        self._priors = [prior_of(counts, number, shape) for number, shape in enumerate(plan.shapes)]

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return self.plan.n_sources

    @property
    def priors(self) -> Sequence[Prior]:
        """Where the parameters of each attribute start, and how strongly they are held there."""
        return self._priors

    def speaks_often(self) -> npt.NDArray[np.bool_]:
        """Mark sources with more than one claim."""
        return self._n_claims > 1

    def shared_sums(self) -> SharedSums:
        """Return the information of the claims in m, gamma and g, and in the deviations."""
        sums = self._pieces.total(_shared_sums, self.n_sources)
        cross = np.ascontiguousarray(sums["cross"].everywhere().T)
        return SharedSums(sums["square"], cross, sums["of_source"].everywhere())

    def ascend(self, x: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood and its gradient."""
        sums = self._pieces.total(_ascend, x)
        return sums["likelihood"], sums["ascent"].everywhere()


def _ascend(piece: Piece, x: Floats) -> Sums:
    likelihood, ascent = piece.objective.ascend(x[piece.index])
    return {"likelihood": likelihood, "ascent": Scattered(piece.index, ascent, len(x))}


def _shared_sums(piece: Piece, n_sources: int) -> Sums:
    sums = piece.objective.shared_sums()
    return {
        "square": sums.square,
        "cross": Scattered(piece.place, np.ascontiguousarray(sums.cross.T), n_sources),
        "of_source": Scattered(piece.place, sums.of_source, n_sources),
    }


def prior_sums(piece: Piece, plan: Plan) -> Sums:
    """Count what the priors of attributes rest on; of those that the block has not, nothing."""
    parts = dict(zip(piece.attributes, piece.objective.parts, strict=True))
    nobody, nothing = np.empty(0, np.int64), np.empty(0)
    sums: Sums = {}
    for number, form in enumerate(plan.forms):
        part = parts.get(number)
        place = nobody if part is None else piece.place[part.sources]
        prior: Prior
        if form.form == "binary":
            prior = BinaryPrior(0.0, 0.0, 0, 0, nobody, nothing) if part is None else part.prior
            assert isinstance(prior, BinaryPrior)
            sums[f"{number} single"] = np.array(
                [prior.claimed, prior.spoken, prior.n_statements, prior.n_thin]
            )
            sums[f"{number} spoken"] = Scattered(place, prior.n_spoken, plan.n_sources)
        elif form.form == "classes":
            n_said = np.zeros(form.n_classes, np.int64)
            prior = ClassPrior(n_said, 0, 0, nobody, nobody) if part is None else part.prior
            assert isinstance(prior, ClassPrior)
            sums[f"{number} single"] = np.array([prior.n_items, prior.n_thin])
            sums[f"{number} said"] = prior.n_said
        else:
            continue
        sums[f"{number} claims"] = Scattered(place, prior.n_claims, plan.n_sources)
    return sums


def prior_of(sums: Sums, number: int, shape: FittedBlock) -> Prior:
    """Put the counts of all blocks together."""
    form = shape.block.form
    if form == "coin":
        return NoPrior()
    single = sums[f"{number} single"]
    n_claims = sums[f"{number} claims"].everywhere()[shape.sources]
    if form == "binary":
        n_spoken = sums[f"{number} spoken"].everywhere()[shape.sources]
        return BinaryPrior(single[0], single[1], int(single[2]), int(single[3]), n_claims, n_spoken)
    said = sums[f"{number} said"]
    return ClassPrior(said, int(single[0]), int(single[1]), n_claims, shape.heavy)


# What there is, before anything is fitted


def form_attributes(profiles: Sequence[AttributeProfile]) -> list[Block]:
    """Choose a form for each attribute, as if their items stood side by side."""
    bounds = np.append(0, np.cumsum([profile.n_items for profile in profiles]))
    return choose_forms(profiles, bounds)


@dataclass(frozen=True, eq=False)
class Survey:
    """How much every source claims, and the shape of the parameters of every attribute."""

    n_claims: Indices
    shapes: tuple[FittedBlock, ...]


def survey(claims: ClaimsInBlocks) -> Survey:
    """Count the claims of sources, about all attributes and about each."""
    forms = form_attributes(claims.attributes)
    counts = claims.blocks.total(_survey, forms, claims.n_sources)
    values: dict[str, list[str]] = {}
    for name, label in sorted(counts["values"].members):
        values.setdefault(name, []).append(label)
    shapes = []
    for form in forms:
        sources = heavy = np.empty(0, np.int64)
        if form.form != "coin":
            n_claims = counts[form.name].everywhere()
            sources = np.flatnonzero(n_claims)
            if form.form == "classes" and form.n_classes > 2:
                heavy = np.flatnonzero(n_claims[sources] >= form.n_classes**2)
        classes = tuple(values.get(form.name, ()))
        shapes.append(FittedBlock(form, classes, sources, heavy, np.empty(0)))
    return Survey(counts["all claims"].everywhere(), tuple(shapes))


def _survey(block: ClaimBlock, forms: Sequence[Block], n_sources: int) -> Sums:
    matrix = block.matrix
    attribute = matrix.attribute_index[matrix.item_of_claim]
    number = {profile.name: index for index, profile in enumerate(matrix.profiles)}

    def count(chosen: npt.NDArray[np.bool_] | slice) -> Scattered:
        of_source = np.bincount(matrix.source_index[chosen], minlength=matrix.n_sources)
        return Scattered(block.place, of_source, n_sources)

    sums: Sums = {"all claims": count(slice(None))}
    for form in forms:
        if form.form != "coin":
            sums[form.name] = count(attribute == number[form.name])
    by_classes = {form.name for form in forms if form.form == "classes"}
    wanted = np.array([profile.name in by_classes for profile in matrix.profiles])
    values = values_by_attribute(matrix, wanted)
    pairs = ((name, label) for name, labels in values.items() for label in labels)
    return sums | {"values": Together(frozenset(pairs))}


# Dependence


def find_dependence(claims: ClaimsInBlocks) -> Dependence:
    """Find the pairs of sources that depend on each other."""
    n_sources = claims.n_sources
    found = claims.blocks.total(_contested, n_sources)
    chosen = most_contested(found["n"].everywhere())
    place = np.full(n_sources, -1)
    place[chosen] = np.arange(len(chosen))
    closed = (
        profile.name
        for profile in claims.attributes
        if profile.domain != "open" and profile.kind != "multiple"
    )
    classes: dict[str, list[str]] = {name: [] for name in closed}
    for name, label in sorted(found["answers"].members):
        classes[name].append(label)
    counts = claims.blocks.total(_count_pairs, place, len(chosen), classes)
    return dependence_of(counts, chosen, n_sources)


def _contested(block: ClaimBlock, n_sources: int) -> Sums:
    answers = answers_of(block.matrix)
    pairs = ((name, label) for name, labels in answers.items() for label in labels)
    return {
        "n": Scattered(block.place, n_contested(block.matrix), n_sources),
        "answers": Together(frozenset(pairs)),
    }


def _count_pairs(
    block: ClaimBlock, place: Indices, n_chosen: int, classes: dict[str, list[str]]
) -> Sums:
    return count_pairs(block.matrix, place[block.place], n_chosen, classes)


def share_set_aside(claims: ClaimsInBlocks, groups: Indices, prolific: Floats) -> float:
    """Return the share of claims that go if groups of sources speak once."""
    found = claims.blocks.total(_set_aside, groups, prolific)
    return float(found["n_gone"] / found["n"])


def _set_aside(block: ClaimBlock, groups: Indices, prolific: Floats) -> Sums:
    plain, kept = lay_out(block.matrix), layout_of(block, groups, prolific)
    return {"n": len(plain.part), "n_gone": int((kept.part != plain.part).sum())}


# Features


def count_features(block: ClaimBlock, builder: FeatureBuilder) -> Sums:
    """Count the columns of a block that may serve as features."""
    return dict(builder.count(block.claims))


# Held-out claims


def gain_in_blocks(
    blocks: Blocks[ClaimBlock], without: Plan, x: Floats, with_it: Plan, x_with: Floats
) -> Gain:
    """Compare the log-probabilities of the same held-out claims under two models."""
    sums = blocks.total(_compare, without, x, with_it, x_with)
    n, mean = sums["n"], sums["sum"] / max(sums["n"], 1)
    spread = np.sqrt(max(sums["squares"] - n * mean**2, 0.0) / (n - 1)) if n > 1 else 0.0
    return Gain(float(mean), float(spread) / max(n, 1) ** 0.5, n)


def _compare(block: ClaimBlock, without: Plan, x: Floats, with_it: Plan, x_with: Floats) -> Sums:
    foreseen = []
    for plan, at in ((without, x), (with_it, x_with)):
        piece = piece_of(block, plan)
        foreseen.append(piece.objective.foresee(at[piece.index], piece.hidden))
    difference = foreseen[1] - foreseen[0]
    return {
        "n": len(difference),
        "sum": float(difference.sum()),
        "squares": float((difference**2).sum()),
    }
