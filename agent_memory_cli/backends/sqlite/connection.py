"""Connections to one store: one a thread, opened with the settings that everything rests on."""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import quote
from weakref import WeakValueDictionary

import apsw

from agent_memory_cli.backends.sqlite import files, forks, functions, schema
from agent_memory_cli.backends.sqlite.errors import translated
from agent_memory_cli.errors import ConfigError, StoreFormatError
from agent_memory_cli.paths import on_disk

log = logging.getLogger("agent_memory")


class _Patience:
    """A busy handler: waits up to `seconds`, and no longer once the call is cancelled."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.cancelled = False
        self._deadline = 0.0

    def __call__(self, calls: int) -> bool:
        now = time.monotonic()
        if calls == 0:
            self._deadline = now + self.seconds
        if now >= self._deadline or self.cancelled:
            return False
        time.sleep(min(0.001 * (calls + 1), 0.05) * random.uniform(0.5, 1))  # noqa: S311 (spread, not secrecy)
        return True


class _Session:
    """A thread's connection; it is closed when the thread ends."""

    def __init__(self, connection: apsw.Connection, patience: _Patience) -> None:
        self.connection = connection
        self.patience = patience
        self.process = os.getpid()

    def check(self) -> None:
        """Raises when the call was cancelled meanwhile."""
        if self.patience.cancelled:
            raise apsw.InterruptError("cancelled")

    def __del__(self) -> None:
        if self.process != os.getpid():
            forks.keep(self.connection)


class Connections:
    """Opens `path` (absolute, literal) for the calling thread, and keeps it open for that thread.

    With `must_exist` a missing file is NotFoundError, otherwise it is made. Waits at most
    `busy_timeout` seconds for others.
    """

    def __init__(self, path: str, *, busy_timeout: float, must_exist: bool = False) -> None:
        self.path = on_disk(path)
        self._name = files.real_text(path)
        self.busy_timeout = busy_timeout
        self._must_exist = must_exist
        self._local = threading.local()
        self._sessions: WeakValueDictionary[int, _Session] = WeakValueDictionary()

    def reading(self) -> apsw.Connection:
        """This thread's connection."""
        return self._session().connection

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """A transaction that may write from its first statement on, all or nothing.

        BEGIN IMMEDIATE: one that reads first and writes later can fail with BUSY_SNAPSHOT, which
        no waiting covers.
        """
        with translated():
            session = self._session()
            connection = session.connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                session.check()
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """This thread's connection, which meanwhile sees one state, whatever others write."""
        with translated():
            connection = self.reading()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def own(self) -> Iterator[apsw.Connection]:
        """A connection apart from the threads', for a read that spans many calls."""
        connection = self._connect(_Patience(self.busy_timeout))
        try:
            yield connection
        finally:
            connection.close()

    @contextmanager
    def impatient(self) -> Iterator[apsw.Connection]:
        """This thread's connection, which meanwhile waits for nobody."""
        session = self._session()
        session.patience.seconds = 0
        try:
            yield session.connection
        finally:
            session.patience.seconds = self.busy_timeout

    def interrupt(self, thread: int) -> None:
        """Stops what that thread does here; its transaction is rolled back."""
        if session := self._sessions.get(thread):
            session.patience.cancelled = True
            session.connection.interrupt()

    def close(self) -> None:
        """Closes every thread's connection; one that is in use, once its call has ended."""
        # Letting go of them does that: a call that runs holds its own.
        self._sessions.clear()
        self._local = threading.local()

    def _session(self) -> _Session:
        session: _Session | None = getattr(self._local, "session", None)
        if session is not None and session.process != os.getpid():
            session = None
        if session is None:
            patience = _Patience(self.busy_timeout)
            session = _Session(self._connect(patience), patience)
            self._local.session = session
            self._sessions[threading.get_ident()] = session
        session.patience.cancelled = False
        return session

    def _connect(self, patience: _Patience) -> apsw.Connection:
        forks.check()
        if not self._must_exist:
            files.create_empty(self.path)
        header = files.read_header(self.path)
        if header is None and self._must_exist:
            raise StoreFormatError("the store is an empty file", hint="`add` and `import` fill it")
        if header is not None:
            schema.checked(header.version)
        with translated():
            connection = self._opened()
            forks.watch(connection)
            try:
                connection.set_busy_handler(patience)
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _opened(self) -> apsw.Connection:
        if os.access(self.path, os.W_OK):
            return apsw.Connection(self._name, flags=apsw.SQLITE_OPEN_READWRITE)
        if files.companions(self.path)[1].exists():
            return apsw.Connection(self._name, flags=apsw.SQLITE_OPEN_READONLY)
        # A WAL store on read-only media opens only as immutable.
        uri = f"file:{quote(self._name)}?immutable=1"
        return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)

    def _prepare(self, connection: apsw.Connection) -> None:
        writable = not connection.readonly("main")
        # A store that is refused is left as it is, its write-ahead log, too.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        version = schema.version(connection)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        if version == 0 and writable:
            self._patiently(lambda: _create(connection))
        if writable:
            if connection.pragma("journal_mode") != "wal":
                mode = self._patiently(lambda: connection.pragma("journal_mode", "wal"))
                if mode != "wal":
                    raise ConfigError("the store cannot use a write-ahead log on this file system")
            connection.pragma("secure_delete", True)
            connection.pragma("synchronous", "normal")
        connection.pragma("trusted_schema", False)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        functions.register(connection)

    def _patiently(self, work: Callable[[], object]) -> object:
        """Creating a file and switching it to WAL fail at once while another process does so."""
        deadline = time.monotonic() + self.busy_timeout
        while True:
            try:
                return work()
            except apsw.BusyError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(random.uniform(0.002, 0.02))  # noqa: S311


def _create(connection: apsw.Connection) -> None:
    """Before the switch to WAL, so that the header on the disk tells whose file it is."""
    connection.execute("BEGIN EXCLUSIVE")
    try:
        if schema.version(connection) == 0:
            schema.create(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
