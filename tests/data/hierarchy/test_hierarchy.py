"""Reading hierarchies: tables, separators, words, and what is wrong with them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest

from veracity import Attribute, Claims
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.hierarchy.hierarchy import Hierarchy
from veracity.errors import InputError, InvalidParameter, MissingColumn

TABLE = {"Bern": "Switzerland", "Switzerland": "Europe", "Paris": "France", "France": "Europe"}


@pytest.mark.parametrize("form", ["mapping", "frame", "file", "two columns"])
def test_a_table_may_be_a_mapping_a_frame_or_a_file(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"parent": list(TABLE.values()), "child": list(TABLE)})
    path = tmp_path / "places.csv"
    frame.to_csv(path, index=False)
    other = frame.rename(columns={"child": "place", "parent": "within"})[["place", "within"]]
    given = {"mapping": TABLE, "frame": frame, "file": str(path), "two columns": other}[form]
    assert Hierarchy.of(given).path("Bern") == ("Europe", "Switzerland", "Bern")


def test_a_value_that_the_table_does_not_have_is_a_root() -> None:
    hierarchy = Hierarchy.of(TABLE)
    assert hierarchy.path("Tokyo") == ("Tokyo",)
    assert not hierarchy.knows("Tokyo")
    assert hierarchy.knows("Europe")


@pytest.mark.parametrize(
    ("given", "value", "path"),
    [
        (", ", "Bern, Switzerland", ("Switzerland", "Bern, Switzerland")),
        (", ", "Bern,Switzerland", ("Switzerland", "Bern,Switzerland")),
        (", ", "Bern", ("Bern",)),
        ("/", "animal/dog", ("animal", "animal/dog")),
        (" > ", "animal > dog > poodle", ("animal", "animal > dog", "animal > dog > poodle")),
        ("right:/", "dog/animal", ("animal", "dog/animal")),
        ("left:, ", "Switzerland, Bern", ("Switzerland", "Switzerland, Bern")),
    ],
)
def test_parents_stand_on_one_side_of_a_separator(
    given: str, value: str, path: tuple[str, ...]
) -> None:
    assert Hierarchy.of(given).path(value) == path


def test_values_are_compared_in_the_form_of_the_settings() -> None:
    claims = Claims.from_frame(
        {"source": ["a", "b"], "entity": ["x", "x"], "value": ["BERN", "switzerland"]},
        attributes={"value": Attribute(hierarchy=TABLE)},
        casefold=True,
    )
    lineages = claims.matrix.lineages
    assert lineages is not None
    assert lineages.depth.tolist() == [3, 2]
    assert lineages.n_unknown.tolist() == [0]


def test_a_cycle_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="'a' within 'b' within 'c' within 'a'"):
        Hierarchy.of({"x": "a", "a": "b", "b": "c", "c": "a"})


def test_a_value_within_itself_is_refused() -> None:
    with pytest.raises(InputError, match="'a' within 'a'"):
        Hierarchy.of({"a": "a"})


def test_two_parents_are_refused_by_name() -> None:
    table = pd.DataFrame({"child": ["Bern", "Bern"], "parent": ["Switzerland", "Germany"]})
    with pytest.raises(InputError, match="'Bern' two parents: 'Switzerland' and 'Germany'"):
        Hierarchy.of(table)


def test_a_row_twice_is_no_contradiction_and_a_root_needs_no_parent() -> None:
    child, parent = ["Bern", "Bern", "Switzerland"], ["Switzerland", "Switzerland", None]
    table = pd.DataFrame({"child": child, "parent": parent})
    assert Hierarchy.of(table).pairs == (("Bern", "Switzerland"),)


def test_a_table_without_the_columns_is_refused() -> None:
    table = pd.DataFrame({"child": ["a"], "above": ["b"], "x": ["c"]})
    with pytest.raises(MissingColumn, match="no column 'parent'"):
        Hierarchy.of(table)


def test_a_parent_without_a_child_is_refused() -> None:
    table = pd.DataFrame({"child": ["a", None], "parent": ["b", "c"]})
    with pytest.raises(InputError, match="Row 2 names the parent 'c', but no child"):
        Hierarchy.of(table)


@pytest.mark.parametrize("given", ["places.csv", "", " ", "left:x"])
def test_what_is_neither_file_nor_separator_is_refused(given: str) -> None:
    with pytest.raises(InvalidParameter, match="no file that exists, and no separator"):
        Attribute(hierarchy=given)


@pytest.mark.parametrize("other", [{"kind": "multiple"}, {"values": "number"}])
def test_a_hierarchy_is_for_one_true_text(other: dict[str, str]) -> None:
    with pytest.raises(InvalidParameter, match="hierarchy is for"):
        Attribute(hierarchy="/", **other)  # type: ignore[arg-type]


def test_an_attribute_and_its_profile_are_made_again_from_json() -> None:
    said = Attribute(hierarchy=TABLE)
    again = Attribute(**json.loads(json.dumps(asdict(said))))
    assert again == said
    profile = AttributeProfile("p", "single", "open", 1, 1, "", "", hierarchy=said.hierarchy)
    assert AttributeProfile.of_dict(json.loads(json.dumps(profile.as_dict()))) == profile
    assert profile.form == "hierarchy"


def test_words_make_a_tree_of_the_values_of_each_item() -> None:
    values = ["Switzerland", "Bern, Switzerland", "Old Town, Bern, Switzerland", "Paris, France"]
    claims = Claims.from_frame(
        {"source": list("abcd"), "entity": ["x"] * 4, "value": values},
        attributes={"value": Attribute(hierarchy="tokens")},
    )
    lineages = claims.matrix.lineages
    assert lineages is not None
    found = dict(zip(claims.matrix.values.to_pylist(), lineages.depth.tolist(), strict=True))
    assert [found[value] for value in values] == [1, 2, 3, 1]


def test_who_names_several_levels_does_not_name_several_true_values() -> None:
    claims = Claims.from_frame(
        {"source": ["a", "a", "b", "b"], "entity": ["x"] * 4, "value": ["Bern", "Switzerland"] * 2},
        attributes={"value": Attribute(hierarchy=TABLE)},
    )
    assert claims.attributes[0].kind == "single"
