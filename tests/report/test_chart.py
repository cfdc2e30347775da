"""A chart is a whole specification, a picture and a file; gaps in what is kept are filled."""

from __future__ import annotations

import json
import struct
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from veracity.errors import InvalidParameter, MissingDependency, OutputError
from veracity.report import theme
from veracity.report.chart import MIME_TYPE, SCHEMA, Chart, specification

BARS: dict[str, Any] = {
    "mark": "bar",
    "encoding": {"x": {"field": "n", "type": "quantitative"}, "y": {"field": "who"}},
}


def chart(**changes: Any) -> Chart:
    parts: dict[str, Any] = {
        "name": "bars",
        "title": "ann says the most",
        "reading": "Each bar counts what a source says.",
        "alt": "Bars of two sources; ann says the most.",
        "records": [{"who": "ann", "n": 3}, {"who": "bob", "n": 1}],
        "spec": BARS,
    }
    return Chart(**(parts | changes))


def test_the_specification_is_whole() -> None:
    whole = chart().to_dict()
    assert whole["$schema"] == SCHEMA
    assert whole["title"]["text"] == ["ann says the most"]
    assert whole["description"] == "Bars of two sources; ann says the most."
    assert whole["usermeta"]["reading"] == "Each bar counts what a source says."
    assert whole["data"]["values"] == [{"who": "ann", "n": 3}, {"who": "bob", "n": 1}]
    assert whole["width"] == "container"
    assert whole["config"] == theme.CONFIG
    assert whole["mark"] == "bar"
    assert json.loads(chart().to_json()) == whole


def test_long_titles_are_broken_into_lines() -> None:
    title = chart(title="word " * 40).to_dict()["title"]
    assert len(title["text"]) > 1
    assert max(map(len, title["text"])) <= 74


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        chart(records=[{"who": "ann", "n": float("nan")}]).to_json()


def test_pictures_are_drawn_without_a_browser(tmp_path: Path) -> None:
    made = chart()
    assert "ann says the most" in made.to_svg()
    width, height = struct.unpack(">II", made.to_png(scale=1.0)[16:24])
    assert abs(width - theme.WIDTH) < 30
    assert height > 50
    assert struct.unpack(">II", made.to_png(scale=2.0)[16:24])[0] == pytest.approx(2 * width, abs=2)


@pytest.mark.parametrize("ending", ["json", "svg", "png", "PNG"])
def test_a_chart_is_saved_by_its_ending(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"bars.{ending}"
    assert chart().save(path) == path
    begins = {"json": b'{"$schema"', "svg": b"<svg", "png": b"\x89PNG"}[ending.lower()]
    assert path.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [path]


def test_another_ending_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"\.json, \.svg, \.png\. Got 'bars\.pdf'"):
        chart().save("bars.pdf")


def test_a_chart_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "bars.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="JSON"):
        chart(records=[{"n": float("inf")}]).save(path)
    assert path.read_text() == "old"
    with pytest.raises(OutputError, match="cannot be written"):
        chart().save(tmp_path / "missing" / "bars.json")
    assert list(tmp_path.iterdir()) == [path]


def test_a_notebook_gets_the_specification_and_a_text() -> None:
    bundle = chart()._repr_mimebundle_()
    assert bundle[MIME_TYPE]["width"] == theme.WIDTH
    assert bundle["text/plain"] == "ann says the most\nEach bar counts what a source says."
    assert repr(chart()) == "Chart('bars', 'ann says the most')"


def test_a_picture_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingDependency, match=r"pip install 'veracity\[charts\]'"):
        chart().to_svg()
    assert chart().to_json()


def test_gaps_are_filled_and_what_is_kept_stays() -> None:
    once = specification("distribution", title="plausibility")
    assert once["encoding"]["x"]["axis"]["title"] == "plausibility"
    accept, *_ = once["encoding"]["color"]["scale"]["range"]
    assert accept == theme.COLOURS["accept"]
    once["encoding"].clear()
    again = specification("distribution", title="margin")
    assert again["encoding"]["x"]["axis"]["title"] == "margin"
    with pytest.raises(KeyError):
        specification("distribution")


def test_what_would_be_filled_with_nothing_is_left_out() -> None:
    side = {"field": "x"}
    fills = {"x": side, "x2": None, "x_dot": side, "y": side, "y2": None, "y_dot": side}
    spec = specification("surface", height=10, ticks=[1], **fills)
    assert "x2" not in spec["layer"][0]["encoding"]
    assert spec["layer"][0]["mark"]["stroke"] is None  # said so by the kept specification itself


def kept_names() -> list[str]:
    folder = files("veracity.report") / "specs"
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".json"))


@pytest.mark.parametrize("name", kept_names())
def test_kept_specifications_leave_colours_to_the_theme(name: str) -> None:
    text = (files("veracity.report") / "specs" / name).read_text(encoding="utf-8")
    assert "data" not in json.loads(text)
    assert "config" not in json.loads(text)
    tooltips = text.count('"tooltip"')
    assert tooltips, "nothing to see on hovering"


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("background", ["#ffffff", "#12161c"])
@pytest.mark.parametrize("colour", sorted(set(theme.CONFIG["range"]["category"])))
def test_colours_are_seen_on_light_and_dark(colour: str, background: str) -> None:
    darker, lighter = sorted([luminance(colour), luminance(background)])
    assert (lighter + 0.05) / (darker + 0.05) >= 3.0
