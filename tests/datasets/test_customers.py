"""The customers of five systems are the same at each call, and written in five ways."""

from __future__ import annotations

from veracity.datasets import customers


def test_linked_records_are_the_same_at_each_call() -> None:
    records = customers.linked(30)
    assert records.equals(customers.linked(30))
    assert not records.equals(customers.linked(30, seed=1))
    assert set(records["system"].to_pylist()) == set(customers.LINKED)


def test_each_system_writes_in_its_way() -> None:
    rows = customers.linked(60).to_pylist()

    def written(system: str, attribute: str) -> list[str]:
        values = (row[attribute] for row in rows if row["system"] == system)
        return [value for value in values if value is not None]

    assert all("," in name for name in written("legacy", "name"))
    assert all(limit.endswith("00") for limit in written("billing", "credit_limit"))
    assert all(phone.startswith("044 ") for phone in written("support", "phone"))
    assert all(day[4] == day[7] == "-" for day in written("crm", "birth_date"))


def test_the_truth_is_what_most_records_say() -> None:
    records = customers.linked()
    true = {
        (row["entity"], row["attribute"]): row["value"]
        for row in customers.linked_truth().to_pylist()
    }
    known = [row for row in records.to_pylist() if row["system"] == "crm" and row["city"]]
    right = sum(true[row["cluster_id"], "city"] == row["city"] for row in known)
    assert 0.9 < right / len(known) < 1
