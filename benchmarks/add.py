"""Adding: the library against raw `executemany` into the same tables, in the same run.

    python benchmarks/add.py [--records 100000] [--users 3000] [--rounds 3]

Both fill a new file with the package's schema and settings, in transactions of 5,000. The library
gets finished `MemoryRecord`s, checks them, gives ids, finds each partition, writes rows and index
and keeps the counts of each partition. Raw is two `executemany` a batch, with the rows that the
library wrote: record and record_text, nothing else.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from statistics import median

import apsw
from generate import BATCH, batches, records

from agent_memory_cli import MemoryRecord, SQLiteMemory
from agent_memory_cli.backends.sqlite.connection import Connections

Batches = list[list[MemoryRecord]]
Rows = list[tuple[object, ...]]


def add_by_library(path: Path, work: Batches) -> float:
    """Seconds that `add_sync` takes for all batches."""
    memory = SQLiteMemory(path)
    start = time.perf_counter()
    for batch in work:
        memory.add_sync(batch)
    seconds = time.perf_counter() - start
    memory.close()
    return seconds


def rows_of(path: Path) -> list[Rows]:
    """What the library wrote into `record`, in batches, in the order of its writing."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute("SELECT * FROM record ORDER BY id").fetchall()
    connection.close()
    return [
        sorted(rows[start : start + BATCH], key=itemgetter(0))
        for start in range(0, len(rows), BATCH)
    ]


def add_raw(path: Path, work: Sequence[Rows]) -> float:
    """Seconds that plain `executemany` takes for the same rows."""
    connections = Connections(str(path), busy_timeout=5)
    with connections.writing(create=True) as connection:
        marks = ", ".join("?" * len(work[0][0]))
    pairs = [(rows, [(row[0], row[4]) for row in rows]) for rows in work]
    start = time.perf_counter()
    for rows, words in pairs:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(f"INSERT INTO record VALUES ({marks})", rows)
        connection.executemany("INSERT INTO record_text (rowid, text) VALUES (?, ?)", words)
        connection.execute("COMMIT")
    seconds = time.perf_counter() - start
    connections.close()
    return seconds


def compare(number: int, users: int, rounds: int) -> None:
    """Prints a row: records a second of both, the median ratio of `rounds` pairs."""
    work = list(batches(records(number, users, probe=False)))
    pairs = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            library = add_by_library(Path(folder, "library.db"), work)
            raw = add_raw(Path(folder, "raw.db"), rows_of(Path(folder, "library.db")))
        pairs.append((number / library, number / raw))
    ratio = median(one / other for one, other in pairs)
    best = [max(column) for column in zip(*pairs, strict=True)]
    print(f"{users:>8,} {number:>10,} {best[0]:>12,.0f} {best[1]:>12,.0f} {ratio:>8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--users", type=int, nargs="+", default=[1, 3_000])
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print(f"{'users':>8} {'records':>10} {'library/s':>12} {'raw/s':>12} {'ratio':>8}")
    for users in args.users:
        compare(args.records, users, args.rounds)


if __name__ == "__main__":
    main()
