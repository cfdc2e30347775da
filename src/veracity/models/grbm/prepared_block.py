"""What all fits to a block of claims have in common, so that it is made once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.denials import Layout, lay_out
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import FALSE, TRUE, KnownTruth
from veracity.features import FeatureBuilder
from veracity.models.grbm.block_data import Scene
from veracity.models.grbm.clustering import clustered
from veracity.models.grbm.dependence import without_copies
from veracity.models.grbm.held_out import hide
from veracity.models.grbm.model_spec import Plan
from veracity.models.grbm.rows import Rows, rows_of


@dataclass(frozen=True, eq=False)
class Ground:
    """A block of claims, ready for a fit.

    Attributes
    ----------
    block
        The claims.
    layout
        The part of each claim, copies left out.
    visible, hidden
        The same without the claims that are held out, and those of them that are to be foreseen;
        None if none are.
    featured
        The rows by which claims are seen with their features; None without features.
    """

    block: ClaimBlock
    layout: Layout
    visible: Layout | None = None
    hidden: Indices | None = None
    featured: Rows | None = None

    def scene(self, plan: Plan) -> Scene:
        """Return the claims as the passes of a fit see them."""
        matrix, known = self.block.matrix, self.block.known
        rows = self.featured if plan.uses_features else rows_of(self.block.claims, None)
        layout = self.visible if plan.holds_out else self.layout
        assert rows is not None
        assert layout is not None
        offset, offset_unseen = known_offsets(matrix, known)
        scene = Scene(
            matrix,
            layout,
            rows.row,
            rows.source,
            offset,
            offset_unseen,
            None if known is None else known.statement,
            floor=plan.floor,
            threads=plan.threads,
        )
        scene = clustered(scene) if plan.clustered else scene
        return scene.about_known() if plan.only_known else scene

    def features(self, plan: Plan) -> Floats:
        """Return the feature vector of each row."""
        if plan.uses_features:
            assert self.featured is not None
            return self.featured.features
        return np.zeros((self.block.matrix.n_sources, 0))


def lay_ground(block: ClaimBlock, groups: Indices, prolific: Floats) -> Ground:
    """Let the sources of a group speak once where they say the same."""
    place = block.place
    layout = without_copies(block.matrix, lay_out(block.matrix), groups[place], prolific[place])
    return Ground(block, layout)


def hold_out(ground: Ground, seed: int) -> Ground:
    """Choose the claims that are held out."""
    visible, hidden = hide(ground.block.matrix, ground.layout, seed)
    return replace(ground, visible=visible, hidden=hidden)


def add_features(ground: Ground, builder: FeatureBuilder) -> Ground:
    """Add the features of claims."""
    return replace(ground, featured=rows_of(ground.block.claims, builder))


def known_offsets(matrix: ClaimMatrix, known: KnownTruth | None) -> tuple[Floats, Floats]:
    """Return -inf for what is known to be false: statements, and values that nobody claims."""
    offset, offset_unseen = np.zeros(matrix.n_statements), np.zeros(matrix.n_items)
    if known is not None:
        offset[known.statement == FALSE] = -np.inf
        offset_unseen[matrix.item_of_statement[known.statement == TRUE]] = -np.inf
    return offset, offset_unseen
