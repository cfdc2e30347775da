"""Orientation: a fit that labels contradict, begun again from what they say.

Unsupervised likelihood has mirror images: where half of the sources say the opposite of the other
half, either may be believed, and a fit that climbed to the wrong one cannot be mended by moving its
parameters a little. So all claims are fitted once more, beginning where labels alone put the
sources, and if claims and labels are much likelier then, that fit is kept. Of large tables, only if
labels are foretold much better by the vote that they weight than by the fit.
"""

from __future__ import annotations

from dataclasses import replace

from veracity.data.arrays import Floats
from veracity.data.notes import Note
from veracity.models.grbm.fitted import FittedModel
from veracity.models.grbm.fitting import fit
from veracity.models.grbm.labels.labelled_items import LabelledItems
from veracity.models.grbm.labels.recentring import recentred
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.selection import CandidateFit
from veracity.models.grbm.speaking_norms import with_speaking_norms

#: Labels contradict a fit if they are likelier by more than this otherwise, in nats: 20 to 1.
CONTRADICTION = 3.0
#: Says that a fit was turned round.
NOTE_TURNED = Note(
    "known truth",
    "The labels contradict what the claims alone suggest, so the model was fitted again, beginning "
    "with what labels say of the sources; claims and labels are likelier so.",
)


def oriented(
    kept: CandidateFit, fitted: FittedModel, labelled: LabelledItems, max_iter: int, tol: float
) -> CandidateFit | None:
    """Fit again from what labels alone say; None unless claims and labels are likelier then."""
    objective: Objective = kept.objective
    begin = recentred(fitted, objective.centre, labelled.without(None)).over(objective.centre)
    again = fit(objective, max_iter, tol, begin)
    gain = _log_truth(fitted, labelled, again.x) - _log_truth(fitted, labelled, kept.found.x)
    is_likelier = again.objective + gain > kept.found.objective
    return replace(kept, found=again) if is_likelier and gain > CONTRADICTION else None


def _log_truth(fitted: FittedModel, labelled: LabelledItems, x: Floats) -> float:
    """Return the log-probability of the labels, given the claims about their items."""
    x = with_speaking_norms(fitted.spec, x)
    with_labels, without = (
        fitted.bind_block(block) for block in (labelled.without(None), labelled.unlabelled)
    )
    joint, alone = (bound.log_likelihood(bound.own(x))[0] for bound in (with_labels, without))
    return joint - alone
