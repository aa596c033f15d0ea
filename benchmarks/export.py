"""Exporting everybody's records: records a second and peak memory of whole processes.

    python benchmarks/export.py --folder /tmp/bench [--records 1000000] [--cold]

- rows: `SELECT *` over the record table with plain APSW, nothing done with the rows.
- stream: `stream_sync` of the library, nothing done with the records.
- command: `agent-memory export --all --out FILE`, which also counts, encodes, hashes and writes.

`--cold` asks the system to forget the store's pages first (Linux).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generate import ensure_store

COMMAND = Path(sys.executable).with_name("agent-memory")


def read_rows(store: Path) -> None:
    """Every row of the record table, by plain APSW."""
    import apsw

    connection = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY)
    for _ in connection.execute("SELECT * FROM record"):
        pass


def read_stream(store: Path) -> None:
    """Every record, by the library."""
    from agent_memory_cli import Selection, SQLiteMemory

    for _ in SQLiteMemory(store).stream_sync(Selection(None)):
        pass


WORKERS = {"rows": read_rows, "stream": read_stream}


def commands(store: Path, out: Path) -> dict[str, list[str]]:
    """The processes to measure, by the name in the table."""
    worker = [sys.executable, __file__, "--worker"]
    return {
        **{name: [*worker, name, str(store)] for name in WORKERS},
        "command": [
            str(COMMAND),
            "--quiet",
            "--db",
            str(store),
            "export",
            "--all",
            "--out",
            str(out),
        ],
    }


def measured(command: list[str]) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak megabytes of a process. Raises when it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    unit = 1e6 if sys.platform == "darwin" else 1e3
    cpu = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - start, cpu, usage.ru_maxrss / unit


def forget(store: Path) -> None:
    """Drops the file's pages from the system's cache."""
    descriptor = os.open(store, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path(), help="where the store is kept")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        name, path = args.worker
        WORKERS[name](Path(path))
        return
    store = args.folder / f"store-{args.records}.db"
    ensure_store(store, args.records, args.records * 3 // 100)
    print(f"{'process':<10} {'seconds':>8} {'cpu s':>8} {'records/s':>12} {'peak MB':>9}")
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        for name, command in commands(store, Path(folder, "all.jsonl")).items():
            if args.cold:
                forget(store)
            seconds, cpu, megabytes = measured(command)
            speed = args.records / seconds
            print(f"{name:<10} {seconds:>8.1f} {cpu:>8.1f} {speed:>12,.0f} {megabytes:>9.0f}")


if __name__ == "__main__":
    main()
