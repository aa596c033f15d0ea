"""Runs one operation, written once as a coroutine, for callers with an event loop and without.

Backends that block (SQLite, plain functions) never suspend; their coroutines are driven by hand,
on the caller's thread or on a worker, and need no event loop. Backends that await run on the
caller's loop, or for the blocking twins on a loop of their own in a thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from agent_memory_cli.errors import BusyError, ToolUsageError
from agent_memory_cli.guard.checks import checked_timeout

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

_GRACE_SECONDS = 5.0
_INSIST_SECONDS = 0.05


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never suspends, on this thread."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return cast("T", stop.value)
    coroutine.close()
    raise RuntimeError("a backend that declares itself blocking awaited an event loop")


class _Job(Generic[T]):
    """One coroutine on a worker thread, and what came of it."""

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._coroutine = coroutine
        self._result: T | None = None
        self._error: BaseException | None = None
        self._begin = threading.Lock()
        self._given_up = False
        self.thread = 0
        self.done = threading.Event()

    def run(self) -> None:
        with self._begin:
            if self._given_up:
                return
            self.thread = threading.get_ident()
        try:
            self._result = drive(self._coroutine)
        except BaseException as error:
            self._error = error
        finally:
            self.done.set()

    def give_up(self) -> bool:
        """Whether the work had not begun; it never will then."""
        with self._begin:
            if not self.thread:
                self._given_up = True
                self._coroutine.close()
        return self._given_up

    def outcome(self) -> T:
        if self._error is not None:
            raise self._error
        return cast("T", self._result)


class Runner:
    """Runs coroutines for one backend; `interrupt(thread)` asks that thread's work to stop."""

    def __init__(self, *, blocking: bool, interrupt: Callable[[int], None]) -> None:
        self._blocking = blocking
        self._interrupt = interrupt

    async def awaited(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """From async code. A cancelled call is interrupted, and writes nothing if it still can."""
        if not self._blocking:
            return await coroutine
        import asyncio

        job = _Job(coroutine)
        try:
            await asyncio.to_thread(job.run)
        except asyncio.CancelledError:
            if not job.give_up() and not job.done.is_set():
                self._interrupt(job.thread)
            raise
        return job.outcome()

    def blocked(self, coroutine: Coroutine[Any, Any, T], timeout: float | None) -> T:
        """From blocking code. Raises BusyError when `timeout` seconds were not enough.

        Raises ToolUsageError for one that is no number of seconds; nothing was begun then.
        """
        try:
            timeout = checked_timeout(timeout)
        except ToolUsageError:
            coroutine.close()
            raise
        if not self._blocking:
            return self._on_own_loop(coroutine, timeout)
        if timeout is None:
            return drive(coroutine)
        job = _Job(coroutine)
        threading.Thread(target=job.run, daemon=True).start()
        if job.done.wait(timeout):
            return job.outcome()
        for _ in range(int(_GRACE_SECONDS / _INSIST_SECONDS)):
            # Again and again: the call may be between two statements, where nothing hears it.
            self._interrupt(job.thread)
            if job.done.wait(_INSIST_SECONDS):
                break
        else:
            raise BusyError(f"no answer within {timeout:g} s; the call still runs")
        try:
            return job.outcome()
        except Exception as error:
            raise BusyError(f"no answer within {timeout:g} s; the call was stopped") from error

    @staticmethod
    def _on_own_loop(coroutine: Coroutine[Any, Any, T], timeout: float | None) -> T:
        import asyncio

        future = asyncio.run_coroutine_threadsafe(coroutine, _own_loop())
        try:
            return future.result(timeout)
        except TimeoutError:
            if future.cancel():
                raise BusyError(f"no answer within {timeout:g} s; the call was stopped") from None
            return future.result()


_loop_lock = threading.Lock()
# By process: the thread that runs a loop does not come along when a process forks.
_loops: dict[int, asyncio.AbstractEventLoop] = {}


def _own_loop() -> asyncio.AbstractEventLoop:
    """The loop, in a daemon thread, that blocking callers share for backends that await."""
    import asyncio

    with _loop_lock:
        loop = _loops.get(os.getpid())
        if loop is None or loop.is_closed():
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, daemon=True).start()
        return loop
