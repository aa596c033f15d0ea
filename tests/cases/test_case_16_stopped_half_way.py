"""Case 16: killed, or out of disk, between the deletion and the scrub; the next run finishes."""

import contextlib
import os
import shutil
import subprocess
import sys

import pytest

from tests.cli.runner import Tool, start
from tests.helpers import add, bytes_of, record, small_disk

CANARY = b"zqxcanary"
STOPPED = """
import os, sys
from agent_memory_cli.backends.sqlite import erase
from agent_memory_cli import SQLiteMemory
setattr(erase, sys.argv[2], lambda *args, **options: os._exit(9))
memory = SQLiteMemory(sys.argv[1])
memory.erase_sync(memory.erasure_plan_sync("ann"))
"""


@pytest.fixture
def stored(memory):
    memory.add_sync([record(f"zqxcanary number {n}") for n in range(300)])
    add(memory, "stays", user="bob")
    memory.close()


def _finished(am: Tool) -> None:
    """The next run says that it is complete, and so it is."""
    receipt = am.json("erase-user", "ann", "--yes")
    assert (receipt["status"], receipt["report"]["incomplete"]) == ("complete", [])
    assert CANARY not in bytes_of(am.path)
    assert am.texts("bob") == ["stays"]
    assert am("doctor").code == 0


@pytest.mark.parametrize("step", ["scrub", "_verify", "_finish"])
def test_stopped_before_a_step_it_is_unfinished_and_finished_by_the_next_run(stored, am, step):
    stopped = subprocess.run([sys.executable, "-c", STOPPED, am.path, step], check=False)
    assert stopped.returncode == 9
    doctor = am("doctor", "--json")
    assert doctor.code == 6
    rows = {check["id"]: check for check in doctor.data["checks"]}
    assert rows["store.erasures"]["status"] == "fail"
    assert "erase-user" in rows["store.erasures"]["fix"]
    assert "unfinished" in am.ok("erase-user", "ann", "--dry-run").out
    _finished(am)


def test_killed_at_any_moment_the_store_is_valid_and_the_next_run_finishes(stored, am):
    for wait in (0.05, 0.15, 0.2, 0.25, 0.3):
        process = start("--db", am.path, "erase-user", "ann", "--yes")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=wait)
        process.kill()
        process.communicate()
        rows = {check["id"]: check["status"] for check in am("doctor", "--json").data["checks"]}
        assert (rows["store.integrity"], rows["store.index"]) == ("ok", "ok")
    _finished(am)


def test_a_full_disk_is_named_and_the_next_run_finishes(memory, stored, am, tmp_path):
    memory.add_sync([record(f"{n} " + "filler " * 400, "bob") for n in range(1000)])
    memory.close()
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, "12m"):
        tool = Tool(disk / "m.db")
        shutil.copy(am.path, tool.path)
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        filler = disk / "filler"
        filler.write_bytes(b"x" * (free - (256 << 10)))

        run = tool("erase-user", "ann", "--yes")
        assert run.code == 6, (run.out, run.err)
        assert "the disk is full" in run.err
        assert "run erase-user again" in run.err
        assert tool("doctor").code == 6

        filler.unlink()
        receipt = tool.json("erase-user", "ann", "--yes")
        assert receipt["status"] == "complete"
        assert CANARY not in bytes_of(tool.path)


def test_a_disk_too_full_to_begin_with_leaves_everything(memory, stored, am, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, "2m"):
        tool = Tool(disk / "m.db")
        shutil.copy(am.path, tool.path)
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        (disk / "filler").write_bytes(b"x" * free)
        run = tool("erase-user", "ann", "--yes")
        assert run.code == 5
        assert run.err.startswith("error: ")
        assert run.err.count("\n") == 1
        (disk / "filler").unlink()
        assert len(tool.texts("ann")) == 300
