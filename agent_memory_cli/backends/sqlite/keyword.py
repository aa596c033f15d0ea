"""Keyword search within a scope: FTS5 finds, `ranking` orders, and where FTS5 is missing, LIKE.

The built-in bm25() walks every user's postings for a term; taking a range of keys and counting
within the scope makes the cost, and the order, depend on the scope alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

import apsw

from agent_memory_cli.backends.sqlite import select
from agent_memory_cli.backends.sqlite.functions import collect_postings
from agent_memory_cli.backends.sqlite.rows import key_range
from agent_memory_cli.ranking import bm25
from agent_memory_cli.records import MemoryHit
from agent_memory_cli.stopwords import STOP_WORDS

# More words than this are a document, not a question; each costs a pass over its postings.
MAX_WORDS = 64
_MIN_CHUNK = 64
# LIKE refuses patterns of more than 50,000 bytes.
_MAX_LIKE = 10_000

Ranked = list[tuple[float, int]]


def search(
    connection: apsw.Connection, query: str, no: int, scope: select.Where, wanted: select.Where,
    k: int, *, narrow: bool,
) -> list[MemoryHit]:  # fmt: skip
    """The best `k` records of partition `no` that fulfil `wanted`.

    Statistics are taken over `scope`: the whole partition, or with `narrow` the part of it that
    the scope's session and agent leave.
    """
    phrases = phrases_of(connection, query)
    if not phrases:
        return []
    postings = collect_postings(connection, " OR ".join(phrases), *key_range(no))
    if narrow and postings:
        lengths = select.narrowed_lengths(connection, no, scope)
        postings = [posting for posting in postings if posting[0] in lengths]
        records, tokens = len(lengths), sum(lengths.values())
    else:
        records, tokens = select.scope_size(connection, no)
    return _best(connection, bm25(postings, records, tokens / max(records, 1)), wanted, k)


def search_without_index(
    connection: apsw.Connection, query: str, no: int, wanted: select.Where, k: int
) -> list[MemoryHit]:
    """The same without FTS5: ordered by how many of the words occur, then the newest."""
    words = _meaningful(list(dict.fromkeys(re.findall(r"\w+", query.lower()))))
    words = [word for word in words if len(word) <= _MAX_LIKE]
    if not words:
        return []
    occurs = " + ".join("(text LIKE ? ESCAPE '\\')" for _ in words)
    patterns = [f"%{word.replace('_', chr(92) + '_')}%" for word in words]
    rows = connection.execute(
        f"SELECT {occurs} AS score, key FROM record WHERE key BETWEEN ? AND ? AND score > 0"  # noqa: S608
        " ORDER BY score DESC, created_at DESC, key DESC",
        (*patterns, *key_range(no)),
    )
    return _best(connection, [(float(score), key) for score, key in rows], wanted, k)


def phrases_of(connection: apsw.Connection, query: str) -> list[str]:
    """The words of a query as quoted FTS5 strings, each stem once, stop words left out.

    The words come from the index's own tokenizer, so nothing of the query is ever FTS5 syntax.
    """
    utf8 = query.encode()
    words = _tokens(connection, "unicode61", ["remove_diacritics", "2"], utf8)
    stems = _tokens(connection, "porter", ["unicode61", "remove_diacritics", "2"], utf8)
    by_stem = dict(zip(reversed(stems), reversed(words), strict=True))
    return [f'"{word}"' for word in _meaningful(list(reversed(by_stem.values())))]


def _tokens(connection: apsw.Connection, name: str, args: list[str], utf8: bytes) -> list[str]:
    tokenizer = connection.fts5_tokenizer(name, args)
    found = tokenizer(
        utf8, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False
    )
    return cast("list[str]", found)


def _meaningful(words: list[str]) -> list[str]:
    return ([word for word in words if word not in STOP_WORDS] or words)[:MAX_WORDS]


def _best(
    connection: apsw.Connection, ranked: Ranked, wanted: select.Where, k: int
) -> list[MemoryHit]:
    """The first `k` of `ranked` that fulfil `wanted`, however many have to be looked at."""
    hits: list[MemoryHit] = []
    for chunk in _chunks(ranked, max(k, _MIN_CHUNK)):
        records = select.by_key(connection, [key for _, key in chunk], wanted)
        hits += [
            MemoryHit(record=records[key], score=score) for score, key in chunk if key in records
        ]
        if len(hits) >= k:
            break
    return hits[:k]


def _chunks(ranked: Ranked, size: int) -> Iterator[Ranked]:
    start = 0
    while start < len(ranked):
        yield ranked[start : start + size]
        start, size = start + size, size * 4
