"""Edits of biographies in their published form, in small files of our own making."""

from __future__ import annotations

from pathlib import Path

import biography
import paper
import pytest

from veracity.errors import InputError

SPAN = "[1/1/2006 12:00:00 AM to 12/31/2006 11:59:59 PM]"
EDITS = (
    ("Ada Lovelace", "Birth date", "Infobox Person", "F", "Contributor #17: Ann", "5", "1815"),
    ("Ada Lovelace", "Birth date", "Infobox Person", "F", "Contributor #0 (1.2.3.4)", "9", "1816"),
    ("Ada Lovelace", "Birth date", "Infobox Person", "I", "Contributor #18: Bob", "11", "1815"),
    ("Ada Lovelace", "Spouse", "Infobox Person", "F", "Contributor #17: Ann", "6", "W. King"),
    ("Poe, Edgar", "Birth date", "Infobox Writer", "F", "Contributor #18: Bob", "7", "1809"),
    ("Poe, Edgar", "Birth date", "Infobox Writer", "I", "Contributor #0 (5.6.7.8)", "8", "1810"),
    ("Poe, Edgar", "Birth date", "Infobox Writer", "A", "Contributor #19: Cat", "9", "1811"),
)
ANSWERS = "Ada Lovelace\tBirth date\t1815\nPoe, Edgar, Birth date, 1809\n"


def write(folder: Path, edits: tuple[tuple[str, ...], ...] = EDITS, answers: str = ANSWERS) -> Path:
    """Write the two files of a folder."""
    folder.mkdir(exist_ok=True)
    lines = "".join("\t".join(edit) + "\n" for edit in edits)
    (folder / "bioTuples.txt").write_text(lines + "\n", encoding="utf-8")
    (folder / "bioAnswersOut.txt").write_text(answers, encoding="utf-8")
    return folder


def test_version_1_has_edits_of_the_attribute_alone(tmp_path: Path) -> None:
    claims, truth = biography.read(write(tmp_path), 1)
    matrix = claims.matrix
    assert (matrix.n_claims, matrix.n_sources, matrix.n_items) == (4, 3, 3)
    assert set(matrix.sources.to_pylist()) == {"17", "18", "1.2.3.4"}
    assert claims.features.column_names == biography.features(1)
    assert claims.time is not None
    assert truth.to_arrow().to_pylist() == [
        {"entity": "ada lovelace", "attribute": "birth date", "value": "1815"},
        {"entity": "poe, edgar", "attribute": "birth date", "value": "1809"},
    ]


def test_version_2_has_edits_elsewhere_in_the_infobox_too(tmp_path: Path) -> None:
    claims, _ = biography.read(write(tmp_path), 2)
    assert claims.matrix.n_claims == 6
    assert claims.features.column_names == biography.features(2)
    flags = claims.features["claim_edits_attribute"].to_pylist()
    assert flags == [True, True, False, True, True, False]
    registered = claims.features["source_registered"].to_pylist()
    assert registered == [True, False, True, True, True, False]


def test_a_span_of_time_may_stand_before_the_value(tmp_path: Path) -> None:
    spanned = tuple((*edit[:-1], SPAN, edit[-1]) for edit in EDITS)
    with_span, _ = biography.read(write(tmp_path / "a", spanned), 1)
    without, _ = biography.read(write(tmp_path / "b"), 1)
    assert with_span.matrix.values.to_pylist() == without.matrix.values.to_pylist()


def test_the_table_has_both_versions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets = paper.paper_sets(tmp_path, write(tmp_path / "bio"))
    assert [each.name for each in sets] == ["biography_1", "biography_2", "population", "quiz"]
    paper.show_table(sets[:2], n_seeds=2)
    printed = capsys.readouterr().out
    assert "| GRBM, contrastive divergence | 88.92 | " in printed
    assert " | 89.78 | " in printed
    assert "| MLE | 82.14 | " in printed
    assert "about 155 settings" in printed
    assert "biography_2: edits of the attribute or elsewhere in the infobox" in printed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({3: "X"}, r"Version 1 needs edits marked F, and .* has none. .*marked: X \(7\)"),
        ({4: "Ann"}, r"Line 1 of .*bioTuples.txt has the contributor 'Ann'. Expected"),
        ({5: "five"}, r"has the revision 'five'. Expected a whole number"),
        ({6: "a\tb\tc"}, r"Line 1 of .* has 9 columns between tabs, but 7 or 8 are expected"),
    ],
)
def test_edits_that_cannot_be_read(tmp_path: Path, change: dict[int, str], message: str) -> None:
    edits = tuple(
        tuple(change.get(place, cell) for place, cell in enumerate(edit)) for edit in EDITS
    )
    with pytest.raises(InputError, match=message):
        biography.read(write(tmp_path, edits), 1)


def test_answers_and_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Line 1 of .* is 'Ada'. Expected entity, attribute"):
        biography.read(write(tmp_path, answers="Ada\n"), 1)
    (tmp_path / "moreTuples.txt").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"must hold one file \*Tuples\*.txt. Found: bioTuples"):
        biography.read(tmp_path, 1)
    with pytest.raises(InputError, match=r"Found: none"):
        biography.read(tmp_path / "nowhere", 1)
