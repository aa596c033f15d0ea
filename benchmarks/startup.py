"""Starting: the wall time of whole processes, against `import typer`, in the same run.

    python benchmarks/startup.py [--db FILE] [--runs 20]

The processes take turns; each figure is a median, each ratio the median of the ratios of a turn.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from agent_memory_cli import MemoryRecord, MemoryScope, SQLiteMemory

COMMAND = Path(sys.executable).with_name("agent-memory")
BASE = "import typer"


def commands(store: Path) -> dict[str, list[str]]:
    """What is run, by the name it has in the table; the base of the ratios first."""
    tool = [str(COMMAND), "--db", str(store)]
    return {
        BASE: [sys.executable, "-c", "import typer"],
        "python alone": [sys.executable, "-c", "pass"],
        "--version": [str(COMMAND), "--version"],
        "search": [*tool, "search", "tea", "--user", "ann"],
        "get": [*tool, "get", "record-1"],
        "list": [*tool, "list", "--user", "ann"],
        "users": [*tool, "users"],
    }


def seconds(command: list[str]) -> float:
    """Wall time of a process, its output taken through a pipe. Raises when it fails."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def make_store(path: Path) -> Path:
    """A store with a few records of ann's."""
    scope = MemoryScope(user_id="ann")
    memory = SQLiteMemory(path)
    memory.add_sync(
        [MemoryRecord(id=f"record-{n}", scope=scope, text=f"tea number {n}") for n in range(20)]
    )
    memory.close()
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--db", type=Path, help="a store to search; otherwise a small new one")
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = commands(args.db or make_store(Path(folder, "store.db")))
        for command in work.values():
            seconds(command)  # the first run reads from the disk and writes bytecode
        turns = [
            {name: seconds(command) for name, command in work.items()} for _ in range(args.runs)
        ]
    print(f"{'process':<14} {'ms':>8} {'ratio':>8}")
    for name in work:
        middle = median(turn[name] for turn in turns) * 1000
        ratio = median(turn[name] / turn[BASE] for turn in turns)
        print(f"{name:<14} {middle:>8.0f} {ratio:>8.2f}")


if __name__ == "__main__":
    main()
