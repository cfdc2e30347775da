"""Claims drawn from sources whose reliability is chosen, with the truth and an oracle."""

from veracity.datasets.synthetic.drawing import Synthetic, SyntheticTables, draw, draw_tables
from veracity.datasets.synthetic.features import Draw, category, normal, uniform, whole
from veracity.datasets.synthetic.histories import Shops, example_shops
from veracity.datasets.synthetic.jury import JudgeSpec, JuryTables, draw_jury, example_jury
from veracity.datasets.synthetic.oracle import Oracle
from veracity.datasets.synthetic.places import (
    DrawnPlaces,
    PlaceSource,
    draw_places,
    example_places,
)
from veracity.datasets.synthetic.specs import AttributeSpec, Beta, SourceSpec

__all__ = [
    "AttributeSpec",
    "Beta",
    "Draw",
    "DrawnPlaces",
    "JudgeSpec",
    "JuryTables",
    "Oracle",
    "PlaceSource",
    "Shops",
    "SourceSpec",
    "Synthetic",
    "SyntheticTables",
    "category",
    "draw",
    "draw_jury",
    "draw_places",
    "draw_tables",
    "example_jury",
    "example_places",
    "example_shops",
    "normal",
    "uniform",
    "whole",
]
