"""Makes a store, or a JSONL file, of invented records: the input of the other benchmarks.

    python benchmarks/generate.py big.db --records 1000000 --users 30000
    python benchmarks/generate.py big.jsonl

The sizes of users and the frequencies of words follow Zipf's law. The same arguments give the same
records. One user, PROBE, has the same 500 records in every store, whatever else is in it.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate, count, islice, product
from pathlib import Path

from agent_memory_cli import MemoryRecord, MemoryScope, SQLiteMemory

PROBE = "probe-user"
PROBE_RECORDS = 500
BATCH = 5_000
WORDS_PER_TEXT = 15
_VOCABULARY = 20_000
_START = datetime(2025, 1, 1, tzinfo=UTC)
_SPAN = timedelta(days=365)
_KINDS = ("preference", "fact", "task", "event")


def vocabulary(size: int = _VOCABULARY) -> list[str]:
    """`size` invented words of two to four syllables, the most frequent one first."""
    syllables = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
    words = ["".join(parts) for parts in product(syllables[::3], syllables[1::3], syllables)]
    random.Random(1).shuffle(words)
    return words[:size]


def texts(seed: str) -> Iterator[str]:
    """Endless texts of 15 words."""
    words = vocabulary()
    weights = _zipf(len(words))
    choices = random.Random(seed).choices
    while True:
        yield " ".join(choices(words, cum_weights=weights, k=WORDS_PER_TEXT))


def records(
    number: int, users: int, *, seed: int = 7, probe: bool = True
) -> Iterator[MemoryRecord]:
    """`number` records over `users` users, those of different users mixed, oldest first.

    With `probe`, PROBE is one of the users and has exactly PROBE_RECORDS of them.
    """
    ours = PROBE_RECORDS if probe else 0
    if number < users - probe + ours:
        raise SystemExit("fewer records than users")
    rng = random.Random(seed)
    others = range(users - probe)
    owners: list[int | None] = [None] * ours
    owners += others
    owners += rng.choices(others, cum_weights=_zipf(len(others)), k=number - len(owners))
    rng.shuffle(owners)
    of_probe = _of_one(PROBE, PROBE_RECORDS)
    for at, owner, text in zip(count(), owners, texts(f"store {seed}"), strict=False):
        if owner is None:
            yield next(of_probe)
        else:
            when = _START + at * _SPAN / number
            yield _record(rng, f"user-{owner:05}", text, when)


def batches(source: Iterator[MemoryRecord], size: int = BATCH) -> Iterator[list[MemoryRecord]]:
    """The records of `source` in lists of `size`."""
    while batch := list(islice(source, size)):
        yield batch


def make_store(path: Path, number: int, users: int) -> None:
    """Fills a new store with the library's own add, a transaction per batch."""
    memory = SQLiteMemory(path)
    for batch in batches(records(number, users)):
        memory.add_sync(batch)
    memory.close()


def ensure_store(path: Path, number: int, users: int) -> Path:
    """`path`, filled first when it is not there yet."""
    if not path.exists():
        print(f"making {path}: {number:,} records, {users:,} users …", flush=True)
        partial = path.with_name(path.name + ".partial")
        for old in path.parent.glob(partial.name + "*"):
            old.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        make_store(partial, number, users)
        partial.rename(path)
    return path


def make_jsonl(path: Path, number: int, users: int) -> None:
    """Writes the same records as lines for `agent-memory import`."""
    with path.open("w", encoding="utf-8") as out:
        for record in records(number, users):
            line = {
                **record.scope.model_dump(exclude_none=True),
                "text": record.text,
                "metadata": record.metadata,
                "created_at": record.created_at and record.created_at.isoformat(),
            }
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def _of_one(user: str, number: int) -> Iterator[MemoryRecord]:
    rng = random.Random(user)
    for at, text in zip(range(number), texts(user), strict=False):
        yield _record(rng, user, text, _START + at * _SPAN / number)


def _record(rng: random.Random, user: str, text: str, when: datetime) -> MemoryRecord:
    return MemoryRecord(
        scope=MemoryScope(user_id=user, session_id=f"chat-{rng.randrange(20)}", agent_id="helper"),
        text=text,
        metadata={"kind": rng.choice(_KINDS), "turn": rng.randrange(100)},
        created_at=when,
    )


def _zipf(size: int) -> list[float]:
    """Cumulated weights of ranks 1 to `size`."""
    return list(accumulate(1 / rank for rank in range(1, size + 1)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="a new file; JSONL when it ends in .jsonl")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=30_000)
    args = parser.parse_args()
    if args.out.exists():
        parser.error(f"{args.out} exists")
    start = time.perf_counter()
    make = make_jsonl if args.out.suffix == ".jsonl" else make_store
    make(args.out, args.records, args.users)
    seconds = time.perf_counter() - start
    print(f"{args.records:,} records in {seconds:.1f} s, {args.out.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
