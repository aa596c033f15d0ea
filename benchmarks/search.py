"""Searching: the same user, the same queries, in a small and in a large store, in the same run.

    python benchmarks/search.py --folder /tmp/bench [--large 1000000] [--queries 200]

The user has 500 records, the same in both stores. The two are asked in turn, so that noise meets
both. For comparison: the built-in bm25() with a filter by user, which reads everybody's postings.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import apsw
from generate import PROBE, PROBE_RECORDS, ensure_store, texts, vocabulary

from agent_memory_cli import MemoryScope, SQLiteMemory

SCOPE = MemoryScope(user_id=PROBE)


def queries(number: int) -> list[str]:
    """Three words each: one of the 50 most frequent, and two of a text of the user's own."""
    rng = random.Random(3)
    common = vocabulary()[:50]
    of_user = [text for text, _ in zip(texts(PROBE), range(PROBE_RECORDS), strict=False)]
    return [
        " ".join([rng.choice(common), *rng.sample(rng.choice(of_user).split(), 2)])
        for _ in range(number)
    ]


def by_library(memory: SQLiteMemory) -> Callable[[str], list[str]]:
    """A search that answers ids."""
    return lambda query: [hit.record.id for hit in memory.search_sync(query, scope=SCOPE)]


def by_global_bm25(path: Path) -> Callable[[str], list[str]]:
    """The same question the usual way: rank by bm25() over all, keep the user's."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    sql = (
        "SELECT record.id FROM record_text JOIN record ON record.key = record_text.rowid"
        " JOIN subject ON subject.no = record.key >> 32"
        " WHERE record_text MATCH ? AND user_id = ? ORDER BY bm25(record_text) LIMIT 5"
    )
    return lambda query: [
        id_ for (id_,) in connection.execute(sql, (" OR ".join(query.split()), PROBE))
    ]


def timed(search: Callable[[str], list[str]], query: str) -> float:
    """Milliseconds of one search."""
    start = time.perf_counter()
    search(query)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="where the stores are kept")
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=200)
    args = parser.parse_args()
    small, large = (
        ensure_store(args.folder / f"store-{size}.db", size, size * 3 // 100)
        for size in (args.small, args.large)
    )
    memories = [SQLiteMemory(small), SQLiteMemory(large)]
    ways = {
        "library": [by_library(memory) for memory in memories],
        "global bm25()": [by_global_bm25(small), by_global_bm25(large)],
    }
    asked = queries(args.queries)
    texts_found = [
        [h.record.text for h in m.search_sync(q, scope=SCOPE)] for m in memories for q in asked
    ]
    same = texts_found[: len(asked)] == texts_found[len(asked) :]
    print(f"{'p50, ms':<16} {f'{args.small:,}':>10} {f'{args.large:,}':>10} {'ratio':>8}")
    for name, searches in ways.items():
        times = [[timed(search, query) for search in searches] for query in asked]
        middle = [median(column) for column in zip(*times, strict=True)]
        print(f"{name:<16} {middle[0]:>10.2f} {middle[1]:>10.2f} {middle[1] / middle[0]:>8.2f}")
    print(f"same answers in the same order by the library: {'yes' if same else 'NO'}")


if __name__ == "__main__":
    main()
