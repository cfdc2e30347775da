"""NumberModel: attributes whose truth is a number."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.labels.arrays import arrays_to_labels, labels_to_arrays, places_among
from veracity.data.output.tables import Table
from veracity.engines.base import ClaimsInBlocks
from veracity.models.base import Judgement
from veracity.models.explanation import Explainer
from veracity.models.forms.base import FormModel
from veracity.models.forms.number.block_numbers import BlockNumbers, numbers_of_block, of_items
from veracity.models.forms.number.calibration import Calibration, calibrate, count_labels
from veracity.models.forms.number.choice import learn_on_best_scale
from veracity.models.forms.number.closeness import Closeness
from veracity.models.forms.number.explanation import NumberExplainer
from veracity.models.forms.number.findings import notes_on
from veracity.models.forms.number.interval import LEAST_LABELS
from veracity.models.forms.number.judging import Judged, judge_items, judgement
from veracity.models.forms.number.located import place_items
from veracity.models.forms.number.parameters import NumberParameters
from veracity.models.forms.number.sources import summaries
from veracity.models.numeric.numbers import Numbers, votes_on_others

#: Columns of what users read about sources, beside reliability.
COLUMNS = ("bias", "sd", "gross_errors")


class NumberModel(FormModel):
    """Numbers: a claim is the truth, plus the bias of its source, plus a Student t error.

    On the scale of the attribute, which is that of the numbers or of their logarithms, source s
    claims for item e

        u = t_e + a_e b_s + sigma_e s_s eps,    eps ~ Student t with nu degrees of freedom

    with a_e the spread of the claims about the item. Biases b_s are Student t about 0, variances
    s_s^2 and sigma_e^2 inverse chi-square; their priors and nu are learned. Given these, the truth
    of an item follows from its own claims, so that items which were not learned from, and blocks
    of items, are judged alike; a source that was not heard before has the prior.

    The plausibility of a claimed number is the probability that the truth is within the tolerance
    of it (see `Closeness`), as if sources shared no error, unless labels say how much they do.
    Intervals hold 90 %, and allow for a shared error; see `veracity.models.forms.number.interval`.

    Parameters
    ----------
    random_state
        Not used: nothing is drawn.
    """

    form = "number"
    estimates = True
    columns: ClassVar = {"interval": pa.string()}

    def fit(self, claims: ClaimsInBlocks) -> None:
        """Learn biases and precisions of sources, attribute by attribute."""
        self.notes = []
        self._sources = claims.sources
        self._attributes = [profile.name for profile in claims.attributes]
        n_attributes, width = len(self._attributes), claims.n_sources + 1
        blocks = claims.blocks.prepare(numbers_of_block, width)
        self._learned = learn_on_best_scale(blocks, n_attributes, width)
        blocks = blocks.prepare(BlockNumbers.on_scale, self._learned.is_log)
        labelled = count_labels(blocks, n_attributes) >= LEAST_LABELS  # labels tell camps apart
        self._learned = replace(self._learned, split=self._learned.split & ~labelled)
        self._calibration = calibrate(blocks, self._learned)
        self._closeness = Closeness.of(claims.attributes, blocks)
        self._summaries = summaries(blocks, self._learned, self._closeness)
        self.notes = notes_on(
            self._attributes, self._learned, self._calibration, self._sources.to_pylist()
        )

    def judge(self, block: ClaimBlock) -> Judgement:
        """Judge a block of claims by what was learned."""
        numbers = Numbers.of(block.claims)
        return judgement(block, self._judged(block), votes_on_others(block.claims, numbers))

    def _judged(self, block: ClaimBlock) -> Judged:
        """Locate the truths of the items of a block."""
        matrix = block.matrix
        source = places_among(matrix.sources, self._sources)
        source = np.where(source < 0, len(self._sources), source)
        known = {name: place for place, name in enumerate(self._attributes)}
        named = np.array([known.get(name, -1) for name in matrix.attributes.to_pylist()], np.int64)
        numbers = numbers_of_block(block, len(self._sources) + 1, source, named)
        numbers = of_items(numbers, numbers.attribute >= 0)
        found = place_items(numbers.on_scale(self._learned.is_log), self._learned)
        return judge_items(found, self._calibration, self._closeness)

    def reliability(self, claims: ClaimsInBlocks) -> pa.Table:
        """Return a row for each source: reliability, bias, sd and share of gross errors.

        With several attributes, reliability and gross errors are means over the source's claims;
        bias and sd are given for one attribute alone. `tables` has them for each attribute. A
        source whose claims have no weight is as reliable as the others are on average.
        """
        return self._reliability()

    def _reliability(self) -> pa.Table:
        by_cell = {name: self._cells(column) for name, column in self._summaries.items()}
        weight = by_cell["weight"]
        heard = weight > 0
        total = np.where(heard.any(axis=0), weight.sum(axis=0), np.nan)
        columns: dict[str, pa.Array] = {"source": self._sources}
        for name in ("reliability", *COLUMNS):
            mean = np.where(heard, weight * by_cell[name], 0.0).sum(axis=0) / total
            if name in ("bias", "sd") and len(self._attributes) > 1:
                mean = np.full(len(mean), np.nan)
            if name == "reliability":
                mean = np.where(np.isnan(mean), _average(mean), mean)
            columns[name] = to_arrow(mean, nan_is_null=True)
        return pa.table(columns)

    def tables(self, claims: ClaimsInBlocks) -> dict[str, Table]:
        """Return what is known about each source and attribute."""
        by_cell = {name: self._cells(column) for name, column in self._summaries.items()}
        attribute, source = np.nonzero(by_cell["weight"] > 0)
        columns: dict[str, pa.Array] = {
            "source": self._sources.take(pa.array(source)),
            "attribute": pa.array([self._attributes[place] for place in attribute], pa.string()),
            "scale": pa.array(
                ["log" if self._learned.is_log[place] else "natural" for place in attribute],
                pa.string(),
            ),
        }
        for name in ("weight", "reliability", *COLUMNS):
            columns[name] = to_arrow(by_cell[name][attribute, source])
        return {"number_sources": Table("number_sources", pa.table(columns))}

    def _cells(self, of_cell: Floats) -> Floats:
        """Return numbers of cells by attribute and source, without the cell for unseen ones."""
        return self._learned.table(of_cell)[:, :-1]

    def explainer(self, claims: Claims) -> Explainer:
        """Return what explains the estimate of one item after the other."""
        block = ClaimBlock(claims, np.arange(claims.matrix.n_sources))
        place = places_among(claims.matrix.sources, self._sources)
        rates = to_numpy(self._reliability().column("reliability"))
        reliability = np.append(rates, _average(rates))[place][claims.matrix.source_index]
        return NumberExplainer(claims, self.judge(block), self._judged(block), reliability)

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what was learned, as plain data and as arrays."""
        plain = {"attributes": self._attributes, "tolerances": self._closeness.given}
        arrays: dict[str, npt.NDArray[Any]] = {"resolution": self._closeness.resolution}
        for held in (self._learned, self._calibration):
            arrays |= {one.name: getattr(held, one.name) for one in fields(held)}
        arrays |= {f"of_sources.{name}": column for name, column in self._summaries.items()}
        text, offsets = labels_to_arrays(self._sources)
        return plain, arrays | {"sources.text": text, "sources.offsets": offsets}

    def restore(self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what `state` returned."""
        self._attributes = state["attributes"]
        self._closeness = Closeness(state["tolerances"], arrays["resolution"])
        names = [one.name for one in fields(NumberParameters)]
        self._learned = NumberParameters(**{name: arrays[name] for name in names})
        names = [one.name for one in fields(Calibration)]
        self._calibration = Calibration(**{name: arrays[name] for name in names})
        prefix = "of_sources."
        self._summaries = {
            name.removeprefix(prefix): column
            for name, column in arrays.items()
            if name.startswith(prefix)
        }
        self._sources = arrays_to_labels(arrays["sources.text"], arrays["sources.offsets"])


def _average(rates: Floats) -> float:
    """Return the mean of the rates that are known; one half if none is."""
    return float(np.nanmean(rates)) if np.isfinite(rates).any() else 0.5
