"""Adding: the library against raw `executemany` into the same tables, in the same run.

    python benchmarks/add.py [--records 1000000] [--users 30000]

Both fill a new file with the package's schema and settings, in transactions of 5,000. The library
gets finished `MemoryRecord`s, checks them, gives ids, finds each partition, writes rows and index
and keeps the counts of each partition. Raw is two `executemany` a batch, with the rows that the
library wrote: record and record_text, nothing else.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from operator import itemgetter
from pathlib import Path

import apsw
from generate import batches, records

from agent_memory_cli import MemoryRecord, SQLiteMemory
from agent_memory_cli.backends.sqlite import schema

Rows = list[tuple[object, ...]]


class Library:
    """Adds batches by `add_sync` and tells what rows came of each."""

    def __init__(self, path: Path) -> None:
        self._memory = SQLiteMemory(path)
        self._path = path
        self._last = ""

    def add(self, batch: list[MemoryRecord]) -> float:
        """Seconds that it took."""
        start = time.perf_counter()
        self._memory.add_sync(batch)
        return time.perf_counter() - start

    def rows(self) -> Rows:
        """The rows of the last batch, in the order of their writing. Ids are ordered by time."""
        connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)
        sql = "SELECT * FROM record WHERE id > ? ORDER BY id"
        rows = connection.execute(sql, (self._last,)).fetchall()
        connection.close()
        self._last = str(rows[-1][1])
        return sorted(rows, key=itemgetter(0))


class Raw:
    """Adds the same rows by `executemany`."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        schema.create(self._connection)
        self._connection.pragma("journal_mode", "wal")
        self._connection.pragma("secure_delete", True)
        self._connection.pragma("synchronous", "normal")

    def add(self, rows: Rows) -> float:
        """Seconds that it took."""
        execute, executemany = self._connection.execute, self._connection.executemany
        words = [(row[0], row[4]) for row in rows]
        start = time.perf_counter()
        execute("BEGIN IMMEDIATE")
        executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        executemany("INSERT INTO record_text (rowid, text) VALUES (?, ?)", words)
        execute("COMMIT")
        return time.perf_counter() - start


def compare(number: int, users: int) -> None:
    """Prints a row of the table. The two take turns, a batch each, so that noise meets both."""
    library_seconds = raw_seconds = 0.0
    with tempfile.TemporaryDirectory() as folder:
        library, raw = Library(Path(folder, "library.db")), Raw(Path(folder, "raw.db"))
        for batch in batches(records(number, users, probe=False)):
            library_seconds += library.add(batch)
            raw_seconds += raw.add(library.rows())
    speeds = f"{number / library_seconds:>12,.0f} {number / raw_seconds:>12,.0f}"
    print(f"{users:>8,} {number:>10,} {speeds} {raw_seconds / library_seconds:>8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=30_000)
    args = parser.parse_args()
    print(f"{'users':>8} {'records':>10} {'library/s':>12} {'raw/s':>12} {'ratio':>8}")
    compare(args.records, args.users)


if __name__ == "__main__":
    main()
