"""A forked child opens the store anew, under locks of its own, or is told that it cannot."""

import os

import pytest

from agent_memory_cli import SQLiteMemory
from tests.helpers import finished, python, troubles, wrong_counts

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")

BEGIN = """
import os, subprocess, sys, threading, time
from agent_memory_cli import *
m = SQLiteMemory(sys.argv[1], busy_timeout=60)
ann = MemoryScope(user_id="ann")
def add(text):
    m.add_sync([MemoryRecord(scope=ann, text=text)])
def others_see():
    code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);" \
        " print(c.execute('SELECT count(*) FROM record').fetchone()[0]); c.close()"
    run = subprocess.run([sys.executable, "-c", code, sys.argv[1]], capture_output=True, text=True)
    return int(run.stdout)
add("before")
"""

FAMILY = """
children = []
for n in range(4):
    if child := os.fork():
        children.append(child)
        continue
    try:
        for k in range(5):
            add(f"child {n} {k}")
            assert m.search_sync("child", scope=ann)
        m.close()
        os._exit(0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(1)
for k in range(5):
    add(f"parent {k}")
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
add("after")
print(len(m.export_sync(ann)))
"""


def test_forked_children_and_their_parent_write_on(path):
    assert finished(python(BEGIN + FAMILY, path)).strip() == str(1 + 4 * 5 + 5 + 1)
    memory = SQLiteMemory(path)
    assert troubles(memory) == []
    assert wrong_counts(memory) == []
    memory.close()


ORPHAN = """
stream = m.stream_sync(Selection(ann))
next(stream)
idle = threading.Event()
done = threading.Event()
def other_thread():
    m.search_sync("before", scope=ann)
    idle.set()
    done.wait()
threading.Thread(target=other_thread, daemon=True).start()
idle.wait()
parent = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == parent:
    pass
for n in range(3):
    add(f"child {n}")
    assert others_see() == n + 2, others_see()
print(len(m.export_sync(ann)), flush=True)
os._exit(0)
"""


def test_a_child_that_outlives_its_parent_holds_locks_of_its_own(path):
    assert finished(python(BEGIN + ORPHAN, path)).strip() == "4"
    memory = SQLiteMemory(path)
    assert troubles(memory) == []
    memory.close()


WITHIN = """
inside, go = threading.Event(), threading.Event()
def batches():
    yield [MemoryRecord(scope=ann, text="batch 1")]
    inside.set()
    go.wait()
    yield [MemoryRecord(scope=ann, text="batch 2")]
thread = threading.Thread(target=lambda: m.add_all_sync(batches()))
thread.start()
inside.wait()
if child := os.fork():
    assert os.waitpid(child, 0)[1] == 0
    go.set()
    thread.join()
    print(others_see())
else:
    try:
        m.search_sync("before", scope=ann)
    except IntegrationError as error:
        os._exit(0 if "forked" in error.message else 1)
    os._exit(1)
"""


def test_a_child_forked_in_the_middle_of_a_write_is_told_and_the_write_goes_on(path):
    assert finished(python(BEGIN + WITHIN, path)).strip() == "3"
    memory = SQLiteMemory(path)
    assert troubles(memory) == []
    assert wrong_counts(memory) == []
    memory.close()


BUSY = """
ended = threading.Event()
def work():
    while not ended.is_set():
        add("parent")
thread = threading.Thread(target=work)
thread.start()
codes = set()
for n in range(30):
    child = os.fork()
    if not child:
        try:
            add("child")
        except IntegrationError:
            (os._exit if n % 2 else sys.exit)(1)
        os._exit(0)
    deadline = time.monotonic() + 20
    while not (found := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.kill(child, 9)
            found = os.waitpid(child, 0)
    codes.add(os.waitstatus_to_exitcode(found[1]))
ended.set()
thread.join()
print(codes <= {0, 1}, codes)
"""


def test_a_child_forked_beside_a_busy_thread_writes_or_is_told_and_never_hangs(path):
    assert finished(python(BEGIN + BUSY, path), timeout=120).startswith("True")
    memory = SQLiteMemory(path)
    assert troubles(memory) == []
    assert wrong_counts(memory) == []
    memory.close()
