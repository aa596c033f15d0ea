import pytest

from agent_memory_cli.errors import NotFoundError
from agent_memory_cli.jsontext import to_text
from agent_memory_cli.services import erasure
from tests.helpers import add, texts


@pytest.fixture
def stored(memory):
    add(memory, "one", "two", user="ann", session="s", agent="a")
    add(memory, "stays", user="bob")
    return memory


def test_the_receipt_counts_and_names_nobody(stored, bob, clock):
    plan = erasure.plan(stored, "ann")
    assert (plan.records, plan.sessions, plan.agents, plan.first) == (2, 1, 1, clock.now)
    receipt = erasure.apply(stored, plan)
    assert (receipt.status, receipt.report.deleted, receipt.backend) == ("complete", 2, "sqlite")
    assert "ann" not in to_text(receipt)
    assert texts(stored, bob) == ["stays"]


def test_somebody_unknown_is_not_found_with_look_alikes(stored):
    add(stored, "x", user="Ann")
    with pytest.raises(NotFoundError) as raised:
        erasure.plan(stored, "ANN")
    assert raised.value.details == ("Ann", "ann")
    with pytest.raises(NotFoundError) as raised:
        erasure.plan(stored, "cem")
    assert raised.value.details == ()


def test_somebody_erased_before_is_known_by_the_receipt(stored):
    first = erasure.apply(stored, erasure.plan(stored, "ann"))
    plan = erasure.plan(stored, "ann")
    assert plan.already_erased
    assert plan.receipt == first.report.receipt
    again = erasure.apply(stored, plan)
    assert (again.status, again.report.deleted) == ("complete", 0)
    assert again.report.receipt == first.report.receipt


def test_what_is_added_while_it_is_planned_goes_too(stored, ann):
    plan = erasure.plan(stored, "ann")
    add(stored, "three", user="ann")
    assert erasure.apply(stored, plan).report.deleted == 3
    assert texts(stored, ann) == []
