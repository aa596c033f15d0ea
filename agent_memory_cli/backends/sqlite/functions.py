"""Functions that our SQL calls: exact filters, and what ranking needs to know of a hit."""

from __future__ import annotations

import json
import threading
from typing import cast

import apsw

from agent_memory_cli.backends.sqlite.schema import has_fts5
from agent_memory_cli.selection import matches

# One hit: its key, its length in tokens, how often each phrase of the query occurs in it.
Posting = tuple[int, int, list[int]]

_local = threading.local()


def register(connection: apsw.Connection) -> None:
    """Makes `metadata_matches`, `token_count` and the auxiliary `collect_posting` known."""
    connection.create_scalar_function("metadata_matches", _metadata_matches, 2, deterministic=True)
    connection.create_scalar_function("token_count", _token_count, 1, deterministic=True)
    if has_fts5():
        connection.register_fts5_function("collect_posting", _collect_posting)


def _metadata_matches(*values: apsw.SQLiteValue) -> bool:
    metadata, filters = cast("tuple[str | None, str]", values)
    return matches(json.loads(metadata) if metadata else {}, json.loads(filters))


def _token_count(*values: apsw.SQLiteValue) -> int:
    return token_count(cast("bytes", values[0]))


def token_count(sizes: bytes) -> int:
    """The number of tokens of a record: FTS5's record of it, one varint for our one column.

    Format: https://www.sqlite.org/fts5.html#fts5_data_structures (the %_docsize table)
    """
    count = 0
    for byte in sizes[:8]:
        count = count << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return count


def collect_postings(
    connection: apsw.Connection, expression: str, first: int, last: int
) -> list[Posting]:
    """Every hit of an FTS5 expression with a key from `first` to `last`, in the order of keys.

    The function's return value would cost a conversion per row; it fills this list instead.
    """
    postings: list[Posting] = []
    _local.postings = postings
    try:
        for _ in connection.execute(
            "SELECT collect_posting(record_text) FROM record_text"
            " WHERE record_text MATCH ? AND rowid BETWEEN ? AND ?",
            (expression, first, last),
        ):
            pass
    finally:
        _local.postings = None
    return postings


def _collect_posting(api: apsw.FTS5ExtensionApi, /, *_: apsw.SQLiteValue) -> None:
    counts = [len(api.phrase_locations(phrase)[0]) for phrase in range(api.phrase_count)]
    _local.postings.append((api.rowid, api.column_size(0), counts))
