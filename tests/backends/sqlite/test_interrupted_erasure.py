"""An erasure that is killed or finds the disk full: a sound store, unfinished, and then done."""

import signal
import sys

import pytest

from agent_memory_cli import Selection, SQLiteMemory
from agent_memory_cli.backends.sqlite import erase
from tests.helpers import (
    bytes_of,
    looking_into,
    python,
    record,
    row,
    texts,
    troubles,
    words_in_index,
    wrong_counts,
)

ERASE = """
import os, sys, signal
from agent_memory_cli import SQLiteMemory
from agent_memory_cli.backends.sqlite import erase, scrub
moment = sys.argv[2]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def dying(function, *, after):
    def wrapped(*args, **options):
        if after:
            function(*args, **options)
        die()
    return wrapped

{"within the deletion": lambda: setattr(erase, "_delete", dying(erase._delete, after=True)),
 "before the scrub": lambda: setattr(erase, "scrub", die),
 "within the scrub": lambda: setattr(scrub, "_empty_statistics", die),
 "before the log is emptied": lambda: setattr(scrub, "truncate_wal", die),
 "after the scrub": lambda: setattr(erase, "scrub", dying(erase.scrub, after=True)),
 "before the receipt": lambda: setattr(erase, "_finish", die),
 "after the receipt": lambda: setattr(erase, "_finish", dying(erase._finish, after=True)),
}[moment]()
m = SQLiteMemory(sys.argv[1])
m.erase_sync(m.erasure_plan_sync("ann"))
"""
MOMENTS = [
    "within the deletion",
    "before the scrub",
    "within the scrub",
    "before the log is emptied",
    "after the scrub",
    "before the receipt",
    "after the receipt",
]


@pytest.fixture
def filled(path):
    memory = SQLiteMemory(path, busy_timeout=2)
    memory.add_sync(
        [record(f"zqxcanary{n} zqxcamel " + "x" * n, id=f"zqxid{n}") for n in range(250)]
    )
    memory.add_sync([record(f"of bob {n}", "bob") for n in range(50)])
    yield memory
    memory.close()


def _then_done(memory: SQLiteMemory, bob) -> None:
    """Another run finishes it, and nothing is left of ann, everything of bob."""
    plan = memory.erasure_plan_sync("ann")
    assert plan.known or plan.unfinished or plan.erased_at
    report = memory.erase_sync(plan)
    assert report.incomplete == ()
    assert troubles(memory) == []
    assert wrong_counts(memory) == []
    assert len(texts(memory, bob)) == 50
    memory.close()
    assert b"zqx" not in bytes_of(memory.path)
    assert not {word for word in words_in_index(memory.path) if word.startswith("zqx")}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_erasure_leaves_a_sound_store_and_is_finished_by_the_next(filled, bob, moment):
    filled.close()
    process = python(ERASE, filled.path, moment)
    _, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, err
    with looking_into(filled.path) as connection:
        assert connection.pragma("integrity_check") == "ok"
    left = filled.count_sync(Selection(None)) - 50
    if moment == "within the deletion":
        assert left == 250
        assert not filled.erasure_plan_sync("ann").unfinished
    else:
        assert left == 0
        unfinished = moment != "after the receipt"
        assert filled.erasure_plan_sync("ann").unfinished is unfinished
        assert row(filled, "store.erasures").status == ("fail" if unfinished else "ok")
    _then_done(filled, bob)


@pytest.mark.parametrize("delay", [0, 0.005, 0.02, 0.05, 0.1])
def test_an_erasure_killed_at_any_moment_is_finished_by_the_next(filled, bob, delay):
    import time

    filled.close()
    code = (
        "import sys; from agent_memory_cli import SQLiteMemory; m = SQLiteMemory(sys.argv[1]);"
        " p = m.erasure_plan_sync('ann'); print('go', flush=True); m.erase_sync(p)"
    )
    process = python(code, filled.path)
    assert process.stdout.readline() == "go\n"
    time.sleep(delay)
    process.kill()
    process.communicate(timeout=60)
    with looking_into(filled.path) as connection:
        assert connection.pragma("integrity_check") == "ok"
    _then_done(filled, bob)


FULL = """
import resource, signal, sys, os
from agent_memory_cli import SQLiteMemory
m = SQLiteMemory(sys.argv[1])
plan = m.erasure_plan_sync("ann")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = os.path.getsize(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(size * float(sys.argv[2])),) * 2)
try:
    print(list(m.erase_sync(plan).incomplete))
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_FSIZE")
@pytest.mark.parametrize("part", [0.1, 0.4, 0.7, 0.9])
def test_no_room_leaves_it_unfinished_or_untouched_and_the_next_run_finishes_it(filled, bob, part):
    filled.close()
    process = python(FULL, filled.path, part)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.strip() != "[]"
    with looking_into(filled.path) as connection:
        assert connection.pragma("integrity_check") == "ok"
    plan = filled.erasure_plan_sync("ann")
    if "Error" in out:
        assert plan.records == 250 or plan.unfinished
    else:
        assert plan.unfinished
    if plan.unfinished:
        assert row(filled, "store.erasures").status == "fail"
    _then_done(filled, bob)


def test_a_scrub_that_fails_is_told_and_left_for_the_next_run(filled, bob, monkeypatch):
    from agent_memory_cli.reports import ScrubReport

    monkeypatch.setattr(erase, "scrub", lambda _: ScrubReport((), ("the disk is full",)))
    report = filled.erase_sync(filled.erasure_plan_sync("ann"))
    assert report.deleted == 250
    assert "the disk is full" in report.incomplete
    assert len(report.incomplete) > 1  # the look finds what the scrub left
    assert row(filled, "store.erasures").status == "fail"
    assert report.receipt in row(filled, "store.erasures").seen
    monkeypatch.undo()
    _then_done(filled, bob)


def test_somebody_unknown_is_not_known(filled):
    plan = filled.erasure_plan_sync("carl")
    assert not plan.known
    assert not plan.unfinished
    assert plan.erased_at is None


def test_an_erasure_while_others_write_ends_clean(filled, bob):
    code = (
        "import sys; from agent_memory_cli import *; m = SQLiteMemory(sys.argv[1], busy_timeout=30)"
        "\nprint('go', flush=True)"
        "\nfor n in range(60):"
        "\n    m.add_sync([MemoryRecord(scope=MemoryScope(user_id='carl'), text=f'tea {n}')])"
    )
    writer = python(code, filled.path)
    assert writer.stdout.readline() == "go\n"
    filled._connections.busy_timeout = 30
    report = filled.erase_sync(filled.erasure_plan_sync("ann"))
    assert report.deleted == 250
    _, err = writer.communicate(timeout=60)
    assert writer.returncode == 0, err
    _then_done(filled, bob)
