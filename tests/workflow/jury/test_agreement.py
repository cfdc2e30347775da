"""Agreement statistics beside published figures."""

from __future__ import annotations

import numpy as np
import pytest

from veracity.workflow.jury.agreement import agreement_of, category_counts, fleiss_kappa

#: Fleiss (1971), table 1: diagnoses of 30 patients by 6 psychiatrists, in 5 categories.
FLEISS = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006
10050 11040 03300 10050 02031 00501 30012 51000 02040 10203
00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""


def published() -> np.ndarray:
    return np.array([[int(digit) for digit in row] for row in FLEISS.split()], np.float64)


def test_fleiss_kappa_is_that_of_the_publication() -> None:
    counts = published()
    assert counts.sum(axis=1).tolist() == [6.0] * 30
    assert counts.sum(axis=0).tolist() == [26, 26, 30, 55, 43]
    assert fleiss_kappa(counts) == pytest.approx(0.430, abs=0.0005)


def test_kappas_and_alpha_of_perfect_agreement_are_one() -> None:
    said = np.tile(np.arange(12) % 3, (4, 1))
    found = agreement_of(said, ["a", "b", "c", "d"])
    assert found.krippendorff_alpha == pytest.approx(1.0)
    assert found.fleiss_kappa == pytest.approx(1.0)
    assert found.mean_cohen_kappa == pytest.approx(1.0)


def test_alpha_is_that_of_krippendorffs_example() -> None:
    # Krippendorff, Computing Krippendorff's alpha-reliability (2011), example C: nominal 0.743.
    rows = (
        (1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0),
        (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3),
        (0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0),
        (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0),
    )
    found = agreement_of(np.array(rows) - 1, ["a", "b", "c", "d"])
    assert found.krippendorff_alpha == pytest.approx(0.743, abs=0.0005)


def test_questions_with_one_verdict_do_not_count() -> None:
    said = np.array([[0, 1, 0], [0, 1, -1]])
    assert category_counts(said).sum(axis=1).tolist() == [2, 2, 1]
    assert fleiss_kappa(category_counts(said)) == 1.0


def test_free_text_has_no_agreement_beyond_chance() -> None:
    said = np.tile(np.arange(400), (3, 1))
    found = agreement_of(said, ["a", "b", "c"])
    assert found.krippendorff_alpha is None
    assert found.fleiss_kappa is None
    assert [pair["agreement"] for pair in found.cohen_kappa] == [1.0] * 3
