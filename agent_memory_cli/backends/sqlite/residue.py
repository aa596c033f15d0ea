"""Looking for deleted data in the bytes of a store, apart from the code that deletes.

A byte search alone gives false comfort about the index, whose words are prefix-compressed; so the
index's segments are decoded, too.
Format: https://www.sqlite.org/fts5.html#fts5_data_structures
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import apsw

from agent_memory_cli.backends.sqlite import files

# Shorter values occur in any file by chance.
MIN_BYTES = 8
_PIECE = 40
_CHUNK = 4 << 20


class Pieces:
    """Pieces of values to look for: beginning, middle and end of each, at most 40 bytes long."""

    def __init__(self) -> None:
        self._pieces: set[bytes] = set()
        self.values = 0
        self.too_short = 0

    def add(self, value: str | None) -> None:
        """Takes a value; one of fewer than 8 bytes is counted as too short to look for."""
        if value is None:
            return
        data = value.encode()
        if len(data) < MIN_BYTES:
            self.too_short += 1
            return
        self.values += 1
        middle = len(data) // 2
        self._pieces |= {data[:_PIECE], data[-_PIECE:]}
        if len(data) > 2 * _PIECE:
            self._pieces.add(data[middle : middle + _PIECE])

    def left_in(self, paths: Iterable[Path], alive: Iterable[bytes]) -> int:
        """How many pieces stand in `paths` though nothing in `alive` explains them."""
        if not self._pieces:
            return 0
        finder = _Finder(self._pieces)
        found: set[bytes] = set()
        for path in paths:
            if path.exists():
                for chunk in _chunks(path):
                    found |= finder.find(chunk)
        if not found:
            return 0
        finder = _Finder(found)
        for data in alive:
            found -= finder.find(data)
        return len(found)


def _chunks(path: Path) -> Iterator[bytes]:
    """The file in chunks that overlap, so that no piece falls between two."""
    tail = b""
    for data in files.blocks(path, _CHUNK):
        chunk = tail + data
        yield chunk
        tail = chunk[-_PIECE:]


class _Finder:
    """Finds any of many pieces at once, by their last eight bytes: a table over three of those
    sorts out nearly every place, an exact comparison the rest. (Beginnings would not do: ids that
    were made in the same minute share theirs.)"""

    def __init__(self, pieces: set[bytes]) -> None:
        import numpy as np

        self._np = np
        self._pieces = pieces
        self._lengths: dict[bytes, set[int]] = {}
        for piece in pieces:
            self._lengths.setdefault(piece[-MIN_BYTES:], set()).add(len(piece))
        ends = np.frombuffer(b"".join(self._lengths), dtype="<u8")
        self._ends = np.sort(ends)
        self._table = np.zeros(1 << 24, dtype=bool)
        self._table[(ends & 0xFFFFFF).astype(np.int64)] = True

    def find(self, data: bytes) -> set[bytes]:
        """The pieces that stand in `data`."""
        np = self._np
        if len(data) < MIN_BYTES:
            return set()
        raw = np.frombuffer(data, dtype=np.uint8)
        count = len(raw) - MIN_BYTES + 1
        three = raw[:count].astype(np.int32)
        three |= raw[1 : count + 1].astype(np.int32) << 8
        three |= raw[2 : count + 2].astype(np.int32) << 16
        places = np.flatnonzero(self._table[three])
        ends = np.zeros(len(places), dtype=np.uint64)
        for byte in range(MIN_BYTES):
            ends |= raw[places + byte].astype(np.uint64) << np.uint64(8 * byte)
        nearest = np.searchsorted(self._ends, ends).clip(max=len(self._ends) - 1)
        found: set[bytes] = set()
        for place in places[self._ends[nearest] == ends].tolist():
            end = place + MIN_BYTES
            for length in self._lengths[data[place:end]]:
                if length <= end and (piece := data[end - length : end]) in self._pieces:
                    found.add(piece)
        return found


def words_of_nobody(connection: apsw.Connection) -> int:
    """How many words stand in the index's pages though no record has them."""
    connection.execute("DROP TABLE IF EXISTS temp.vocabulary")
    connection.execute(
        "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, record_text, 'row')"
    )
    alive = {term for (term,) in connection.execute("SELECT term FROM temp.vocabulary")}
    connection.execute("DROP TABLE temp.vocabulary")
    pages = connection.execute("SELECT id, block FROM record_text_data WHERE id > 10")
    stored = {
        term
        for id_, block in pages
        if not (id_ >> 36) & 1  # doclist indexes hold no words
        for term in _words(block)
    }
    return len(stored - alive)


def _words(leaf: bytes) -> Iterator[str]:
    """The words of one leaf page, prefix compression undone."""
    place = int.from_bytes(leaf[2:4], "big")
    offset, previous = 0, b""
    while 0 < place < len(leaf):
        step, place = _varint(leaf, place)
        offset += step
        kept, start = _varint(leaf, offset) if previous else (0, offset)
        length, start = _varint(leaf, start)
        previous = previous[:kept] + leaf[start : start + length]
        yield previous[1:].decode("utf-8", "replace")  # the first byte names the index


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """SQLite's big-endian varint at `place`, and where the next one begins."""
    value = 0
    for count in range(9):
        byte = data[place + count]
        if count == 8:
            return value << 8 | byte, place + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + count + 1
    raise AssertionError("unreachable")
