"""Short forms of what tests say again and again."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from agent_memory_cli import MemoryRecord, MemoryScope, SQLiteMemory

NOW = datetime(2026, 6, 7, 12, tzinfo=UTC)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **duration: float) -> None:
        self.now += timedelta(**duration)


def record(
    text: str,
    user: str | None = "ann",
    session: str | None = None,
    agent: str | None = None,
    **fields,
) -> MemoryRecord:
    scope = MemoryScope(user_id=user, session_id=session, agent_id=agent)
    return MemoryRecord(scope=scope, text=text, **fields)


def add(memory, *texts: str, user: str | None = "ann", **fields) -> list[str]:
    """Stores texts one by one; their ids."""
    return [memory.add_sync([record(text, user, **fields)])[0].id for text in texts]


def texts(memory, scope: MemoryScope) -> list[str]:
    return [found.text for found in memory.export_sync(scope)]


def found(memory, query: str, scope: MemoryScope, k: int = 5, **options) -> list[str]:
    return [hit.record.text for hit in memory.search_sync(query, scope=scope, k=k, **options)]


def troubles(memory) -> list[tuple[str, str, str]]:
    """What the doctor does not call ok."""
    rows = memory.inspect_sync()
    return [(row.id, row.status, row.seen) for row in rows if row.status != "ok"]


def row(memory, id_: str, **options):
    """One row of the doctor."""
    return next(check for check in memory.inspect_sync(**options) if check.id == id_)


def wrong_counts(memory: SQLiteMemory) -> list[tuple]:
    """Partitions whose noted records, tokens or oldest time are not what is there."""
    with looking_into(memory.path) as connection:
        tokens = _token_counts(connection)
        rows = connection.execute(
            "SELECT no, records, tokens, oldest_at,"
            " (SELECT count(*) FROM record WHERE key >> 32 = no),"
            " (SELECT min(created_at) FROM record WHERE key >> 32 = no) FROM subject"
        ).fetchall()
    return [
        r
        for r in rows
        if (r[1], r[2]) != (r[4], tokens.get(r[0], 0)) or (r[4] and (r[3] is None or r[3] > r[5]))
    ]


def _token_counts(connection: apsw.Connection) -> dict[int, int]:
    """Tokens of each partition, counted by the tokenizer rather than read from the index."""
    tokenizer = connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
    counts: dict[int, int] = {}
    for no, text in connection.execute("SELECT key >> 32, text FROM record"):
        words = tokenizer(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None)
        counts[no] = counts.get(no, 0) + len(list(words))
    return counts


class looking_into:  # noqa: N801 (reads like a function)
    """A connection of the driver's own, apart from the code under test."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))

    def __enter__(self) -> apsw.Connection:
        return self._connection

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def words_in_index(path: Path) -> set[str]:
    """Every word that stands in the pages of the index, also those of deleted rows."""
    from agent_memory_cli.backends.sqlite.residue import _words

    with looking_into(path) as connection:
        pages = connection.execute("SELECT id, block FROM record_text_data WHERE id > 10")
        return {word for id_, block in pages if not (id_ >> 36) & 1 for word in _words(block)}


def bytes_of(path: Path) -> bytes:
    """Every byte of the store's files."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(path.name + "*")))


def python(code: str, *arguments: object, **options) -> subprocess.Popen:
    """A process of its own that runs `code`, with pipes in text mode."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def finished(process: subprocess.Popen, timeout: float = 60) -> str:
    """The output of a process that ended well."""
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, err
    return out


def residue_scan(path: Path, *words: str) -> tuple[int, str]:
    """The scanner that is kept beside the project, as a process; (exit code, output)."""
    tool = Path(__file__).parents[1].parent / "shared" / "tools" / "residue_scan.py"
    if not tool.exists():
        pytest.skip("residue_scan.py is not beside this checkout")
    run = subprocess.run(
        [sys.executable, str(tool), str(path), *words], capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout + run.stderr


IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@contextmanager
def small_disk(folder, size: str):
    """Makes `folder` a file system of its own, of that size."""
    if not IS_ROOT or not shutil.which("mount"):
        pytest.skip("a small disk needs root and mount(8)")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
