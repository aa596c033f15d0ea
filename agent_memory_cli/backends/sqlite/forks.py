"""Forks: what a child must let go of before it may open a store itself.

SQLite notes per process which locks it holds on a file. A child inherits the note and not the
locks; what it opens would then rest on locks that nobody holds, and the next process that closes
the store would take its write-ahead log away. So a child closes what it inherited, without touching
the file. See https://www.sqlite.org/howtocorrupt.html#_carrying_an_open_database_across_a_fork_
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakSet

import apsw

from agent_memory_cli.errors import IntegrationError

_opened: WeakSet[apsw.Connection] = WeakSet()
_kept: list[apsw.Connection] = []
_stuck: list[apsw.Connection] = []
# The calls that run or rest between two batches, each with its thread.
_calls: dict[object, int] = {}
# In a child: whether it was forked in the middle of another thread's call.
_torn = False


@contextmanager
def call() -> Iterator[None]:
    """Within it, SQLite is used on this thread."""
    token = object()
    _calls[token] = threading.get_ident()
    try:
        yield
    finally:
        _calls.pop(token, None)


def watch(connection: apsw.Connection) -> None:
    """Has a connection closed in children of this process."""
    _opened.add(connection)


def keep(connection: apsw.Connection) -> None:
    """Keeps a connection whose thread is gone from being closed before `_let_go` does."""
    _kept.append(connection)


def check() -> None:
    """Raises IntegrationError in a child that was forked in the middle of a call."""
    if _stuck or _torn:
        raise IntegrationError(
            "the process was forked while another thread used the store",
            hint="fork before the store is used, or start the child as a new process",
        )


def _let_go() -> None:
    global _torn  # noqa: PLW0603 (a fact about the process)
    own = threading.get_ident()
    if _torn or any(thread != own for thread in _calls.values()):
        # That thread may hold locks of SQLite's own, and did not come along: whoever asks SQLite
        # for anything, even to close, may wait for ever.
        _torn = True
        _immortalize(list(_opened))
        return
    for connection in list(_opened):
        try:
            if connection.in_transaction:
                _stuck.append(connection)
                continue
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()
        except apsw.ConnectionClosedError:
            pass
        except apsw.Error:
            _stuck.append(connection)
    _opened.clear()
    _kept.clear()


def _immortalize(connections: list[apsw.Connection]) -> None:
    """Has connections never closed, not even when the interpreter ends."""
    import ctypes

    for connection in connections:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
