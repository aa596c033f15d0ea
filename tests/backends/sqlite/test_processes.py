"""One file among processes, threads and forks: bounded waits, nothing lost, locks kept."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from agent_memory_cli import BusyError, MemoryScope, Selection, SQLiteMemory
from tests.helpers import (
    add,
    finished,
    found,
    looking_into,
    python,
    record,
    texts,
    troubles,
    wrong_counts,
)

ADD = """
import sys
from agent_memory_cli import *
m = SQLiteMemory(sys.argv[1], busy_timeout=60)
sys.stdin.readline()
m.add_sync([MemoryRecord(scope=MemoryScope(user_id="ann"), text=f"note {sys.argv[2]}")])
"""

MIX = """
import sys
from agent_memory_cli import *
m = SQLiteMemory(sys.argv[1], busy_timeout=60)
me = MemoryScope(user_id=sys.argv[2])
for n in range(25):
    [kept] = m.add_sync([MemoryRecord(scope=me, text=f"kept {n}")])
    [gone] = m.add_sync([MemoryRecord(scope=me, text=f"gone {n}")])
    assert m.get_sync(kept.id, scope=me), n
    assert m.delete_sync([gone.id], scope=me) == 1
    assert len(m.search_sync("kept", scope=me, k=99)) == n + 1
"""

LOOK = """
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
print(c.execute("SELECT count(*) FROM record").fetchone()[0])
c.close()
"""


def test_24_processes_add_at_once_to_a_missing_file(path, ann):
    processes = [python(ADD, path, number) for number in range(24)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        finished(process)
    memory = SQLiteMemory(path)
    assert sorted(texts(memory, ann)) == sorted(f"note {n}" for n in range(24))
    assert troubles(memory) == []
    assert wrong_counts(memory) == []
    assert {file.stat().st_mode & 0o077 for file in path.parent.iterdir()} == {0}
    memory.close()


def test_writers_deleters_and_a_purge_lose_nothing(path):
    users = ["ann", "ann", "ben", "bob"]
    SQLiteMemory(path).purge_sync()
    processes = [python(MIX.replace("== n + 1", ">= n + 1"), path, user) for user in users]
    memory = SQLiteMemory(path, busy_timeout=60)
    while any(process.poll() is None for process in processes):
        memory.purge_sync()
        time.sleep(0.02)
    for process in processes:
        finished(process)
    assert memory.count_sync(Selection(None)) == 100
    assert len(found(memory, "kept", MemoryScope(user_id="ann"), 99)) == 50
    assert troubles(memory) == []
    assert wrong_counts(memory) == []
    memory.close()


@pytest.mark.parametrize(
    "call",
    [
        lambda m: add(m, "second"),
        lambda m: m.add_all_sync([[record("second")]]),
        lambda m: m.delete_sync(scope=MemoryScope(user_id="ann")),
        lambda m: m.purge_sync(),
    ],
    ids=["add", "add_all", "delete", "purge"],
)
def test_a_writer_in_the_way_is_busy_after_a_bounded_wait(path, ann, call):
    memory = SQLiteMemory(path, busy_timeout=0.1)
    add(memory, "first")
    with looking_into(path) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError) as caught:
            call(memory)
        assert texts(memory, ann) == found(memory, "first", ann) == ["first"]
    assert caught.value.exit_code == 7
    assert texts(memory, ann) == ["first"]
    memory.close()


def test_waiting_may_be_no_time_at_all(path):
    memory = SQLiteMemory(path, busy_timeout=0)
    add(memory, "first")
    with looking_into(path) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError):
            add(memory, "second")
    memory.close()


def test_a_writer_that_ends_in_time_is_waited_for(path, ann):
    memory = SQLiteMemory(path, busy_timeout=60)
    add(memory, "first")
    with looking_into(path) as other:
        other.execute("BEGIN IMMEDIATE")
        thread = threading.Thread(target=add, args=(memory, "second"))
        thread.start()
        thread.join(0.05)
        other.execute("COMMIT")
        thread.join(60)
    assert texts(memory, ann) == ["first", "second"]
    memory.close()


def _search_in_another_thread(memory: SQLiteMemory, scope: MemoryScope) -> None:
    thread = threading.Thread(target=lambda: memory.search_sync("first", scope=scope))
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    "look",
    [
        lambda m, s: list(m.stream_sync(Selection(s))),
        _search_in_another_thread,
        lambda m, s: m.erasure_plan_sync("ben"),
        lambda m, s: m.erase_sync(m.erasure_plan_sync("ben the unknown")),
        lambda m, s: m.inspect_sync(),
        lambda m, s: SQLiteMemory(m.path).search_sync("first", scope=s),
    ],
    ids=["stream", "another thread", "plan", "erase", "inspect", "another memory"],
)
def test_no_look_drops_the_locks_that_keep_others_from_removing_the_log(path, ann, look):
    """A process that closes a file in any way loses its POSIX locks on it; the next that closes the
    store would then take the log away from under it, and what is written afterwards be lost."""
    memory = SQLiteMemory(path)
    add(memory, "first")
    look(memory, ann)
    _locks_are_held(path)
    assert finished(python(LOOK, path)).strip() == "1"
    add(memory, "second")
    assert finished(python(LOOK, path)).strip() == "2"
    assert texts(SQLiteMemory(path), ann) == ["first", "second"]
    memory.close()


def _locks_are_held(path: Path) -> None:
    locks = Path("/proc/locks")
    if not locks.exists():
        return
    held = locks.read_text()
    for name in (path, path.with_name(path.name + "-shm")):
        assert f":{name.stat().st_ino} " in held, name.name


def test_a_killed_writer_leaves_all_or_nothing_of_its_batch(path, ann):
    code = """
import os, signal, sys
from agent_memory_cli import *
m = SQLiteMemory(sys.argv[1])
s = MemoryScope(user_id="ann")
m.add_sync([MemoryRecord(scope=s, text="before")])
def batches():
    for n in range(5):
        yield [MemoryRecord(scope=s, text=f"lost {n}")]
    os.kill(os.getpid(), signal.SIGKILL)
m.add_all_sync(batches())
"""
    process = python(code, path)
    process.communicate(timeout=60)
    memory = SQLiteMemory(path)
    assert texts(memory, ann) == ["before"]
    assert troubles(memory) == []
    memory.close()


def test_a_full_disk_is_named_and_nothing_of_the_batch_is_stored(path, ann):
    code = """
import os, resource, signal, sys
from agent_memory_cli import *
m = SQLiteMemory(sys.argv[1])
s = MemoryScope(user_id="ann")
m.add_sync([MemoryRecord(scope=s, text="before")])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    m.add_all_sync([[MemoryRecord(scope=s, text=f"lost {n} " * 500)] for n in range(2000)])
except IntegrationError as error:
    print(error.message)
"""
    assert finished(python(code, path)).strip()
    memory = SQLiteMemory(path)
    assert texts(memory, ann) == ["before"]
    assert troubles(memory) == []
    memory.close()


def test_a_stream_is_of_one_moment_whatever_is_written_meanwhile(path, ann):
    memory = SQLiteMemory(path)
    memory.add_sync([record(f"note {n}") for n in range(2500)])
    stream = memory.stream_sync(Selection(ann))
    seen = [one.text for one in next(stream)]
    memory.delete_sync(scope=ann)
    add(memory, "later")
    seen += [one.text for batch in stream for one in batch]
    assert seen == [f"note {n}" for n in range(2500)]
    assert texts(memory, ann) == ["later"]
    memory.close()


def test_the_interpreter_ends_quietly_with_open_stores(path):
    code = (
        "import sys, threading; from agent_memory_cli import *; m = SQLiteMemory(sys.argv[1]);"
        " s = MemoryScope(user_id='ann'); m.add_sync([MemoryRecord(scope=s, text='tea')]);"
        " it = m.stream_sync(__import__('agent_memory_cli').Selection(s)); next(it);"
        " m.search_sync('tea', scope=s, timeout=60)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
