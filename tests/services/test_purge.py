from datetime import timedelta

import pytest

from agent_memory_cli.errors import RefusedError
from agent_memory_cli.services import purge
from tests.helpers import add, bytes_of, record, texts


@pytest.fixture
def stored(memory, clock):
    for number in range(4):
        memory.add_sync([record(f"n{number}", id=f"r{number}")])
        clock.forward(days=1)
    memory.add_sync([record("zqxdue", id="due", expires_at=clock.now + timedelta(hours=1))])
    clock.forward(hours=2)
    return memory


def test_the_plan_is_what_goes(stored, clock, ann):
    plan = purge.plan(stored, before=clock.now - timedelta(days=3))
    assert (set(plan.ids), plan.expired, plan.older) == ({"due", "r0", "r1"}, 1, 2)
    outcome = purge.apply(stored, plan)
    assert (outcome.deleted, outcome.incomplete) == (3, ())
    assert texts(stored, ann) == ["n2", "n3"]


def test_more_than_allowed_is_refused(stored):
    purge.plan(stored, max_delete=1)
    with pytest.raises(RefusedError, match="--max-delete 0"):
        purge.plan(stored, max_delete=0)


def test_what_comes_after_the_plan_is_not_taken(stored, clock, ann):
    plan = purge.plan(stored, before=clock.now - timedelta(days=3))
    stored.add_sync([record("late", id="late", created_at=clock.now - timedelta(days=30))])
    assert "late" not in plan.ids
    assert purge.apply(stored, plan).deleted == 2  # "due" went with the write
    assert texts(stored, ann) == ["late", "n2", "n3"]


def test_it_works_in_batches_and_says_how_far_it_is(memory, clock, ann):
    memory.add_sync([record(f"n{n}") for n in range(2 * purge.BATCH + 5)])
    clock.forward(days=1)
    seen: list[int] = []
    outcome = purge.apply(memory, purge.plan(memory, before=clock.now), progress=seen.append)
    assert seen == [purge.BATCH, purge.BATCH, 5]
    assert outcome.deleted == sum(seen)
    assert texts(memory, ann) == []


def test_the_bytes_go_too(stored, path):
    assert b"zqxdue" in bytes_of(path)
    purge.apply(stored, purge.plan(stored))
    stored.close()
    assert b"zqxdue" not in bytes_of(path)


def test_a_plan_of_nothing_deletes_nothing(memory, ann):
    add(memory, "one")
    outcome = purge.apply(memory, purge.plan(memory))
    assert (outcome.deleted, outcome.incomplete) == (0, ())
    assert texts(memory, ann) == ["one"]
