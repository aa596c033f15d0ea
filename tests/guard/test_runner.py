"""How one coroutine serves callers with an event loop and without."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from agent_memory_cli.errors import BusyError
from agent_memory_cli.guard.runner import Runner, drive


async def _answer(value):
    return value


async def _fail(error):
    raise error


def _runner(*, blocking: bool = True, interrupt=lambda thread: None) -> Runner:
    return Runner(blocking=blocking, interrupt=interrupt)


def test_a_coroutine_that_never_suspends_is_driven_without_a_loop():
    assert drive(_answer(7)) == 7
    with pytest.raises(KeyError):
        drive(_fail(KeyError()))


def test_a_blocking_backend_that_awaits_is_told():
    with pytest.raises(RuntimeError, match="blocking"):
        drive(asyncio.sleep(0))


@pytest.mark.parametrize("timeout", [None, 60])
@pytest.mark.parametrize("blocking", [True, False])
def test_results_and_errors_come_back_to_the_caller(blocking, timeout):
    runner = _runner(blocking=blocking)
    assert runner.blocked(_answer(7), timeout) == 7
    with pytest.raises(KeyError):
        runner.blocked(_fail(KeyError()), timeout)
    assert asyncio.run(runner.awaited(_answer(7))) == 7


def test_work_that_takes_too_long_is_interrupted_until_it_stops():
    stop, asked = threading.Event(), []

    def interrupt(thread):
        asked.append(thread)
        if len(asked) == 3:  # the first ones find nothing to interrupt
            stop.set()

    async def work():
        stop.wait(60)
        raise InterruptedError

    with pytest.raises(BusyError, match="stopped") as caught:
        _runner(interrupt=interrupt).blocked(work(), 0.01)
    assert isinstance(caught.value.__cause__, InterruptedError)
    assert len(set(asked)) == 1
    assert asked[0] != threading.get_ident()


def test_work_that_ends_well_after_its_time_gives_its_result():
    stop = threading.Event()

    async def work():
        stop.wait(60)
        return "done"

    assert _runner(interrupt=lambda thread: stop.set()).blocked(work(), 0.01) == "done"


def test_work_that_cannot_be_stopped_is_left_with_a_clear_word(monkeypatch):
    monkeypatch.setattr("agent_memory_cli.guard.runner._GRACE_SECONDS", 0.1)
    end = threading.Event()

    async def work():
        end.wait(60)

    with pytest.raises(BusyError, match="still runs"):
        _runner().blocked(work(), 0.01)
    end.set()


def test_awaiting_work_that_takes_too_long_is_cancelled():
    cancelled = threading.Event()

    async def work():
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    with pytest.raises(BusyError):
        _runner(blocking=False).blocked(work(), 0.01)
    assert cancelled.wait(60)


def test_a_cancelled_call_is_interrupted():
    started, stop = threading.Event(), threading.Event()

    async def work():
        started.set()
        stop.wait(60)

    async def run():
        task = asyncio.create_task(_runner(interrupt=lambda t: stop.set()).awaited(work()))
        await asyncio.to_thread(started.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert stop.is_set()


def test_a_call_that_is_cancelled_before_it_begins_never_begins():
    began = []

    async def work():
        began.append(1)

    async def run():
        free = threading.Event()
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        occupied = asyncio.create_task(asyncio.to_thread(free.wait, 60))
        await asyncio.sleep(0)
        task = asyncio.create_task(_runner().awaited(work()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        free.set()
        await occupied

    asyncio.run(run())
    assert began == []


def test_awaiting_backends_share_one_loop_among_blocking_threads():
    runner, loops = _runner(blocking=False), set()

    async def work():
        await asyncio.sleep(0)
        loops.add(asyncio.get_running_loop())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: runner.blocked(work(), None), range(32)))
    assert len(loops) == 1
