"""A host's own functions behind the port: sync, async and mixed."""

import asyncio
import threading

import pytest

from agent_memory_cli import (
    AdministeredMemory,
    CallableMemory,
    IntegrationError,
    MemoryHit,
    MemoryPort,
    MemoryScope,
    Selection,
    ToolUsageError,
)
from tests.guard.fakes import stored
from tests.helpers import NOW, Clock, record


class Shelf:
    """A host's own store, whose functions may be async."""

    def __init__(self, *names_of_async: str) -> None:
        self.records = {}
        self.threads = set()
        self._async = names_of_async

    def memory(self, **options) -> CallableMemory:
        return CallableMemory(
            **{name: self._made(name) for name in ("add", "search", "get", "delete", "export")},
            clock=Clock(),
            **options,
        )

    def _made(self, name: str):
        plain = getattr(self, f"_{name}")
        if name not in self._async:
            return plain

        async def function(*args):
            await asyncio.sleep(0)
            return plain(*args)

        return function

    def _add(self, records):
        self.threads.add(threading.get_ident())
        self.records |= {one.id: one for one in records}

    def _search(self, query, scope, k):
        return [
            (r, 2.0) for r in self.records.values() if query in r.text and scope.covers(r.scope)
        ]

    def _get(self, id_):
        return self.records.get(id_)

    def _delete(self, ids, scope):
        gone = [
            key
            for key, one in self.records.items()
            if (ids is None or key in ids) and (scope is None or scope.covers(one.scope))
        ]
        for key in gone:
            del self.records[key]
        return len(gone)

    def _export(self, scope):
        return [r for r in self.records.values() if scope is None or scope.covers(r.scope)]


KINDS = {
    "sync": (),
    "async": ("add", "search", "get", "delete", "export"),
    "mixed": ("search", "delete"),
}


@pytest.fixture(params=KINDS)
def shelf(request) -> Shelf:
    return Shelf(*KINDS[request.param])


def test_it_fulfils_both_ports(shelf):
    memory = shelf.memory()
    assert isinstance(memory, MemoryPort)
    assert isinstance(memory, AdministeredMemory)


def test_every_operation_works_from_blocking_code(shelf, ann, bob):
    memory = shelf.memory()
    [one, other] = memory.add_sync([record("green tea"), record("black tea", "bob")])
    assert [hit.record for hit in memory.search_sync("tea", scope=ann)] == [one]
    assert memory.get_sync(other.id, scope=bob) == other
    assert memory.export_sync(bob) == [other]
    assert memory.count_sync(Selection(None)) == 2
    assert [(u.user_id, u.records) for u in memory.users_sync()] == [("ann", 1), ("bob", 1)]
    assert memory.delete_sync([one.id, other.id], scope=ann) == 1
    assert memory.purge_sync() == 0
    assert list(shelf.records) == [other.id]


def test_every_operation_works_from_an_event_loop(shelf, ann):
    memory = shelf.memory()

    async def run():
        [one] = await memory.add([record("green tea")])
        assert [hit.score for hit in await memory.search("tea", scope=ann)] == [2.0]
        assert await memory.get(one.id) == one
        assert [batch async for batch in memory.stream(Selection(ann))] == [[one]]
        return await memory.delete(scope=ann)

    assert asyncio.run(run()) == 1


def test_blocking_functions_do_not_run_on_the_thread_of_the_event_loop(shelf):
    memory = shelf.memory()

    async def run():
        await memory.add([record("tea")])
        return threading.get_ident()

    loop_thread = asyncio.run(run())
    if "add" not in shelf._async:
        assert shelf.threads
        assert loop_thread not in shelf.threads


def test_erasing_asks_again_whether_anything_is_left(shelf):
    memory = shelf.memory()
    memory.add_sync([record("tea"), record("rain", session="s"), record("x", "bob")])
    plan = memory.erasure_plan_sync("ann")
    assert (plan.known, plan.records, plan.sessions) == (True, 2, 1)
    report = memory.erase_sync(plan)
    assert (report.deleted, report.incomplete) == (2, ())
    assert not memory.erasure_plan_sync("ann").known


def test_a_backend_that_only_pretends_to_delete_is_incomplete():
    keeps = stored("tea")
    memory = CallableMemory(
        add=lambda records: None,
        search=lambda query, scope, k: [keeps],
        delete=lambda ids, scope: 1,
        export=lambda scope: [keeps],
        clock=Clock(),
    )
    report = memory.erase_sync(memory.erasure_plan_sync("ann"))
    assert report.incomplete == ("1 records are still listed",)
    assert report.verified == ()


@pytest.mark.parametrize("told", [None, "1", True, -1, 1.0])
def test_a_deletion_that_tells_no_number_is_a_failure(told):
    memory = CallableMemory(add=print, search=print, delete=lambda ids, scope: told)
    with pytest.raises(IntegrationError, match="number"):
        memory.delete_sync(["1"])


def test_a_record_of_another_id_than_asked_for_is_not_shown():
    memory = CallableMemory(
        add=print, search=print, get=lambda id_: stored("tea", "other"), clock=Clock()
    )
    assert memory.get_sync("1") is None
    assert memory.get_sync("other").text == "tea"


@pytest.mark.parametrize("score", [float("nan"), float("inf"), "high", None])
def test_a_score_that_is_no_number_is_a_failure(ann, score):
    memory = CallableMemory(
        add=print, search=lambda query, scope, k: [(stored("tea"), score)], clock=Clock()
    )
    with pytest.raises(IntegrationError):
        memory.search_sync("tea", scope=ann)


def test_search_may_return_records_hits_or_pairs(ann):
    one = stored("tea")
    for found, score in ((one, 0.0), (MemoryHit(record=one, score=3.0), 3.0), ((one, 4.0), 4.0)):
        memory = CallableMemory(
            add=print, search=lambda query, scope, k, found=found: [found], clock=Clock()
        )
        assert memory.search_sync("tea", scope=ann) == [MemoryHit(record=one, score=score)]


def test_a_missing_function_is_named_when_it_is_needed(ann):
    memory = CallableMemory(add=print, search=lambda query, scope, k: [])
    assert memory.search_sync("tea", scope=ann) == []
    for name, call in (
        ("get", lambda: memory.get_sync("1")),
        ("delete", lambda: memory.delete_sync(["1"])),
        ("export", lambda: memory.export_sync(ann)),
    ):
        with pytest.raises(ToolUsageError, match=f"`{name}`"):
            call()


@pytest.mark.parametrize("wrong", [{"add": None}, {"search": "text"}, {"get": 5}])
def test_what_cannot_be_called_is_refused_at_once(wrong):
    with pytest.raises(ToolUsageError):
        CallableMemory(**{"add": print, "search": print} | wrong)


def test_a_plain_function_that_returns_an_awaitable_is_told_apart(ann):
    async def later():
        return []

    memory = CallableMemory(add=print, search=lambda query, scope, k: later())
    with pytest.raises(IntegrationError) as caught:
        memory.search_sync("tea", scope=ann)
    assert "async def" in caught.value.hint


def test_an_object_with_an_async_call_is_async(ann):
    class Search:
        async def __call__(self, query, scope, k):
            await asyncio.sleep(0)
            return [stored("tea")]

    memory = CallableMemory(add=print, search=Search(), clock=Clock())
    assert len(memory.search_sync("tea", scope=ann)) == 1


def test_records_come_oldest_first_whatever_the_function_returns(ann):
    from datetime import timedelta

    new, old = stored("new", "1"), stored("old", "2", created_at=NOW - timedelta(days=1))
    memory = CallableMemory(add=print, search=print, export=lambda scope: [new, old], clock=Clock())
    assert memory.export_sync(ann) == [old, new]
    newest = memory.stream_sync(Selection(ann), newest_first=True, limit=1)
    assert [r for batch in newest for r in batch] == [new]


def test_a_scope_of_no_user_is_asked_as_it_is():
    asked = []
    memory = CallableMemory(
        add=print, search=lambda query, scope, k: asked.append((query, scope, k)) or []
    )
    scope = MemoryScope(agent_id="helper")
    memory.search_sync("  ", scope=scope, k=3)
    assert asked == [("", scope, 3)]
