"""Runs one operation, written once as a coroutine, for callers with an event loop and without.

Backends that block (SQLite, plain functions) never suspend; their coroutines are driven by hand,
on the caller's thread or on a worker, and need no event loop. Backends that await run on the
caller's loop, or for the blocking twins on a loop of their own in a thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from agent_memory_cli.errors import BusyError

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

_GRACE_SECONDS = 5.0


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
        self.thread = 0
        self.done = threading.Event()

    def run(self) -> None:
        self.thread = threading.get_ident()
        try:
            self._result = drive(self._coroutine)
        except BaseException as error:
            self._error = error
        finally:
            self.done.set()

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
            if not job.done.is_set():
                self._interrupt(job.thread)
            raise
        return job.outcome()

    def blocked(self, coroutine: Coroutine[Any, Any, T], timeout: float | None) -> T:
        """From blocking code. Raises BusyError when `timeout` seconds were not enough."""
        if not self._blocking:
            return self._on_own_loop(coroutine, timeout)
        if timeout is None:
            return drive(coroutine)
        job = _Job(coroutine)
        threading.Thread(target=job.run, daemon=True).start()
        if not job.done.wait(timeout):
            self._interrupt(job.thread)
            if not job.done.wait(_GRACE_SECONDS):
                raise BusyError(f"no answer within {timeout:g} s; the call still runs")
            try:
                return job.outcome()
            except Exception as error:
                raise BusyError(f"no answer within {timeout:g} s; nothing was done") from error
        return job.outcome()

    @staticmethod
    def _on_own_loop(coroutine: Coroutine[Any, Any, T], timeout: float | None) -> T:
        import asyncio

        future = asyncio.run_coroutine_threadsafe(coroutine, _own_loop())
        try:
            return future.result(timeout)
        except TimeoutError:
            if future.cancel():
                raise BusyError(f"no answer within {timeout:g} s") from None
            raise


_loop_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def _own_loop() -> asyncio.AbstractEventLoop:
    """The loop, in a daemon thread, that blocking callers share for backends that await."""
    import asyncio

    global _loop  # noqa: PLW0603 (one loop per process, whatever the number of backends)
    with _loop_lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, daemon=True).start()
        return _loop
