"""Every operation from everywhere: loops, threads, a running loop's own thread."""

import asyncio
import inspect
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent_memory_cli import (
    BusyError,
    GuardedMemory,
    MemoryPort,
    MemoryScope,
    Selection,
    ToolUsageError,
)
from agent_memory_cli.port import AdministeredMemory
from tests.guard.fakes import Awaiting
from tests.helpers import Clock, finished, looking_into, python, record, texts

ASYNC = sorted(
    name
    for name, member in inspect.getmembers(GuardedMemory)
    if not name.startswith("_")
    and (inspect.iscoroutinefunction(member) or inspect.isasyncgenfunction(member))
)


def test_every_operation_of_the_ports_is_there():
    wanted = {n for n in vars(MemoryPort) | vars(AdministeredMemory) if not n.startswith("_")}
    assert wanted - {"name", "retention_days"} <= set(dir(GuardedMemory))


@pytest.mark.parametrize("name", ASYNC)
def test_every_async_method_has_a_twin_that_takes_the_same_and_a_timeout(name):
    own = inspect.signature(getattr(GuardedMemory, name)).parameters
    twin = inspect.signature(getattr(GuardedMemory, f"{name}_sync")).parameters
    assert list(twin.values())[:-1] == list(own.values())
    assert list(twin)[-1] == "timeout"


@pytest.fixture(params=["sqlite", "awaiting"])
def any_memory(request, memory):
    return memory if request.param == "sqlite" else Awaiting(clock=Clock())


def test_a_twin_may_be_called_on_the_thread_of_a_running_loop(any_memory, ann):
    async def run():
        any_memory.add_sync([record("green tea")])
        any_memory.add_sync([record("black tea")], timeout=60)
        streamed = [r.text for batch in any_memory.stream_sync(Selection(ann)) for r in batch]
        return streamed, any_memory.search_sync("tea", scope=ann, timeout=60)

    streamed, hits = asyncio.run(run())
    assert streamed == ["green tea", "black tea"]
    assert len(hits) == 2


def test_many_threads_write_and_read_at_once(any_memory, ann):
    def work(number: int) -> int:
        any_memory.add_sync([record(f"note {number}")], timeout=60 if number % 2 else None)
        return len(any_memory.search_sync("note", scope=ann, k=50))

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(work, range(40)))
    assert max(seen) == 40
    assert sorted(texts(any_memory, ann)) == sorted(f"note {n}" for n in range(40))


def test_many_calls_of_one_loop_run_at_once(any_memory, ann):
    async def run():
        await asyncio.gather(*(any_memory.add([record(f"note {n}")]) for n in range(20)))
        found = await asyncio.gather(*(any_memory.search("note", scope=ann) for _ in range(20)))
        return [len(hits) for hits in found]

    assert asyncio.run(run()) == [5] * 20
    assert any_memory.count_sync(Selection(ann)) == 20


def test_several_loops_in_several_threads_share_one_memory(any_memory, ann):
    async def work(number: int):
        await any_memory.add([record(f"note {number}")])
        return [r.text async for batch in any_memory.stream(Selection(ann)) for r in batch]

    with ThreadPoolExecutor(6) as pool:
        seen = list(pool.map(lambda n: asyncio.run(work(n)), range(12)))
    assert all(f"note {n}" in texts_ for n, texts_ in enumerate(seen))
    assert any_memory.count_sync(Selection(ann)) == 12


def test_a_stream_that_is_left_early_holds_nothing(memory, ann):
    memory.add_sync([record(f"note {n}") for n in range(2500)])

    async def run():
        stream = memory.stream(Selection(ann))
        async for batch in stream:
            assert batch
            break
        await stream.aclose()

    asyncio.run(run())
    next(iter(memory.stream_sync(Selection(ann))))
    assert memory.scrub_sync().incomplete == ()


def test_a_timeout_is_busy_and_nothing_was_written(memory, ann):
    memory.add_sync([record("first")])
    with looking_into(memory.path) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError) as caught:
            memory.add_sync([record("second")], timeout=0.05)
        other.execute("ROLLBACK")
    assert caught.value.exit_code == 7
    assert texts(memory, ann) == ["first"]
    memory.add_sync([record("third")], timeout=60)
    assert texts(memory, ann) == ["first", "third"]


@pytest.mark.parametrize("timeout", [float("inf"), 1e30, 10**40])
def test_a_timeout_may_be_longer_than_any_wait(any_memory, ann, timeout):
    any_memory.add_sync([record("green tea")], timeout=timeout)
    assert len(any_memory.search_sync("tea", scope=ann, timeout=timeout)) == 1


@pytest.mark.parametrize("timeout", ["1", -1, float("nan")])
def test_a_timeout_that_is_none_is_refused_before_anything_is_written(any_memory, ann, timeout):
    with pytest.raises(ToolUsageError):
        any_memory.add_sync([record("tea")], timeout=timeout)
    assert texts(any_memory, ann) == []


def test_a_timeout_of_an_awaiting_backend_is_busy(ann):
    slow = Awaiting(pause=60, clock=Clock())
    with pytest.raises(BusyError):
        slow.search_sync("tea", scope=ann, timeout=0.01)
    with pytest.raises(BusyError):
        slow.add_sync([record("tea")], timeout=0.01)
    assert slow.records == []


def test_a_cancelled_call_writes_nothing(memory, ann):
    memory.add_sync([record("first")])

    async def run():
        task = asyncio.create_task(memory.add([record("second")]))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with looking_into(memory.path) as other:
        other.execute("BEGIN IMMEDIATE")
        asyncio.run(run())
        other.execute("ROLLBACK")
    assert texts(memory, ann) == ["first"]


def test_threads_that_ended_leave_no_connection(memory, ann):
    folder, meet = Path("/proc/self/fd"), threading.Barrier(16)
    if not folder.is_dir():
        pytest.skip("needs /proc")
    memory.add_sync([record("tea")])

    def logs() -> int:
        return sum(str(memory.path) + "-wal" == os.path.realpath(file) for file in folder.iterdir())

    def work():
        meet.wait(60)
        memory.search_sync("tea", scope=ann)
        meet.wait(60)

    before = logs()
    for _ in range(3):
        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert logs() == before == 1


def test_a_forked_child_uses_backends_that_await():
    code = """
import os
from tests.guard.fakes import Awaiting
from tests.helpers import record
memory = Awaiting()
memory.add_sync([record("tea")])
if child := os.fork():
    assert os.waitpid(child, 0)[1] == 0
    print(len(memory.records))
else:
    memory.add_sync([record("rain")], timeout=30)
    os._exit(0 if len(memory.records) == 2 else 1)
"""
    assert finished(python(code)).strip() == "1"


def test_no_user_is_searched_apart(any_memory):
    any_memory.add_sync([record("tea", None, agent="helper"), record("tea", "ann", agent="helper")])
    [hit] = any_memory.search_sync("tea", scope=MemoryScope(agent_id="helper"))
    assert hit.record.scope.user_id is None


def test_closing_lets_a_call_of_another_thread_end_well(memory, ann):
    begun, closed = threading.Event(), threading.Event()

    def batches():
        begun.set()
        assert closed.wait(60)
        yield [record("tea")]

    with ThreadPoolExecutor(1) as pool:
        adding = pool.submit(memory.add_all_sync, batches())
        assert begun.wait(60)
        memory.close()
        closed.set()
        assert adding.result().added == 1
    assert texts(memory, ann) == ["tea"]
