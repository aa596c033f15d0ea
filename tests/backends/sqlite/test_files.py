"""Which files are taken as a store, and who may read them."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import apsw
import pytest

from agent_memory_cli import (
    ConfigError,
    MemoryScope,
    NotFoundError,
    Selection,
    SQLiteMemory,
    StoreFormatError,
)
from agent_memory_cli.backends.sqlite import files, schema
from tests.helpers import IS_ROOT, add, looking_into, record, row, texts

ANN = MemoryScope(user_id="ann")

READS = {
    "search": lambda m: m.search_sync("tea", scope=ANN),
    "get": lambda m: m.get_sync("1"),
    "export": lambda m: m.export_sync(ANN),
    "stream": lambda m: list(m.stream_sync(Selection(None))),
    "count": lambda m: m.count_sync(Selection(None)),
    "users": lambda m: m.users_sync(),
    "delete": lambda m: m.delete_sync(["1"]),
    "purge": lambda m: m.purge_sync(),
    "purge plan": lambda m: m.purge_plan_sync(),
    "scrub": lambda m: m.scrub_sync(),
    "erasure plan": lambda m: m.erasure_plan_sync("ann"),
}
WRITES = {
    "add": lambda m: m.add_sync([record("tea")]),
    "add_all": lambda m: m.add_all_sync([[record("tea")]]),
}


@pytest.mark.parametrize("name", READS | WRITES)
def test_a_store_that_must_exist_is_not_created(path, name):
    with pytest.raises(NotFoundError):
        (READS | WRITES)[name](SQLiteMemory(path, must_exist=True))
    assert list(path.parent.iterdir()) == []


def test_an_agents_first_look_finds_nothing_and_does_not_fail(path):
    assert SQLiteMemory(path).search_sync("tea", scope=ANN) == []


@pytest.mark.parametrize("name", READS | WRITES)
def test_the_first_use_creates_a_store_that_says_what_it_is(path, name):
    (READS | WRITES)[name](SQLiteMemory(path))
    with looking_into(path) as connection:
        assert connection.pragma("application_id") == 0x414D454D == files.APPLICATION_ID
        assert connection.pragma("user_version") == schema.VERSION
        assert connection.pragma("journal_mode") == "wal"
    header = files.read_header(path)
    assert (header.application_id, header.version) == (files.APPLICATION_ID, schema.VERSION)


def test_a_missing_folder_is_named_and_not_made(tmp_path):
    with pytest.raises(ConfigError):
        add(SQLiteMemory(tmp_path / "no" / "m.db"), "tea")
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("bad", ["", " ", ":memory:", "a\0b", None, b"m.db", 7])
def test_a_path_that_cannot_be_meant_is_refused(bad):
    with pytest.raises(ConfigError):
        SQLiteMemory(bad)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), "5", None, True])
def test_a_wait_without_an_end_is_refused(path, seconds):
    with pytest.raises(ConfigError):
        SQLiteMemory(path, busy_timeout=seconds)


@pytest.mark.parametrize("name", ["a?b%20#é.db", "file:m.db?mode=memory", "-rf", "東京.db", "a b"])
def test_an_odd_name_is_taken_literally(path, name):
    memory = SQLiteMemory(path.with_name(name) if "/" not in name else name)
    add(memory, "tea")
    assert texts(memory, ANN) == ["tea"]
    memory.close()
    assert [file.name for file in path.parent.iterdir()] == [name]


def _database(path, *statements):
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def _newer(path):
    memory = SQLiteMemory(path)
    add(memory, "tea")
    memory.close()
    _database(path, "PRAGMA user_version = 999")


def _newer_in_its_log(path):
    """As a newer program leaves it that was killed: the new version stands in the log only."""
    code = (
        "import apsw, os, sys; c = apsw.Connection(sys.argv[1]);"
        " c.execute('PRAGMA user_version = 999; CREATE TABLE newer (x)'); os._exit(0)"
    )
    memory = SQLiteMemory(path)
    add(memory, "tea")
    memory.close()
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert path.with_name("m.db-wal").stat().st_size


STRANGERS = {
    "another program's database": lambda p: _database(p, "CREATE TABLE memories (text)"),
    "one with another application id": lambda p: _database(
        p, "PRAGMA application_id = 7", "CREATE TABLE record (text)"
    ),
    "text": lambda p: p.write_text("not a database, but long enough to have a header\n" * 9),
    "a short file": lambda p: p.write_bytes(b"SQLite format 3\0"),
    "a directory": lambda p: p.mkdir(),
    "a pipe": os.mkfifo,
    "a newer schema": _newer,
    "a newer schema in its log": _newer_in_its_log,
}


def _state(path) -> object:
    wal = path.with_name(path.name + "-wal")
    inside = [file.read_bytes() if file.is_file() else None for file in (path, wal)]
    return inside, stat.S_IMODE(path.stat().st_mode), sorted(path.parent.iterdir())


@pytest.mark.parametrize("kind", STRANGERS)
@pytest.mark.parametrize("operation", ["add", "search", "purge", "erasure plan"])
def test_a_stranger_is_refused_and_left_as_it_was(path, kind, operation):
    STRANGERS[kind](path)
    before = _state(path)
    memory = SQLiteMemory(path)
    with pytest.raises(StoreFormatError):
        (READS | WRITES)[operation](memory)
    memory.close()
    assert _state(path) == before


def test_a_newer_schema_is_named_with_both_versions(path):
    _newer(path)
    with pytest.raises(StoreFormatError, match=f"999.*knows {schema.VERSION}"):
        texts(SQLiteMemory(path), ANN)


def test_an_empty_file_is_filled_unless_a_store_must_exist(path):
    path.touch(0o600)
    with pytest.raises(StoreFormatError, match="empty"):
        texts(SQLiteMemory(path, must_exist=True), ANN)
    assert path.stat().st_size == 0
    memory = SQLiteMemory(path)
    add(memory, "tea")
    assert texts(memory, ANN) == ["tea"]


def test_all_files_of_a_store_are_for_their_owner_only(path):
    before = os.umask(0o022)
    try:
        memory = SQLiteMemory(path)
        add(memory, "tea")
    finally:
        os.umask(before)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {"m.db": 0o600, "m.db-wal": 0o600, "m.db-shm": 0o600}
    assert row(memory, "store.permissions").status == "ok"


def test_the_doctor_sees_and_mends_files_that_others_may_read(path):
    memory = SQLiteMemory(path)
    add(memory, "tea")
    path.chmod(0o644)
    assert row(memory, "store.permissions").status == "warn"
    assert row(memory, "store.permissions", fix=True).status == "ok"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


READ_ONLY = """
import os, sys
from agent_memory_cli import *
if os.geteuid() == 0:
    os.setuid(65534)
m = SQLiteMemory(sys.argv[1])
ann = MemoryScope(user_id="ann")
print([h.record.text for h in m.search_sync("tea", scope=ann)], len(m.export_sync(ann)))
print([(c.id, c.status) for c in m.inspect_sync() if c.status != "ok"])
note = MemoryRecord(scope=ann, text="x")
for call in (lambda: m.add_sync([note]), lambda: m.delete_sync(scope=ann)):
    try:
        call()
    except IntegrationError as error:
        print(error.message)
"""


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_a_read_only_store_can_be_read_and_says_so_when_written():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        memory = SQLiteMemory(path)
        add(memory, "green tea")
        memory.close()
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        try:
            run = subprocess.run(
                [sys.executable, "-c", READ_ONLY, str(path)],
                capture_output=True,
                text=True,
                check=False,
                cwd="/",
            )
        finally:
            Path(folder).chmod(0o755)
        assert sorted(p.name for p in Path(folder).iterdir()) == ["m.db"]
    if IS_ROOT and "ModuleNotFoundError" in run.stderr:
        pytest.skip("the package lies where only root may read it")
    out = run.stdout.splitlines()
    assert out[0] == "['green tea'] 1", run.stderr
    assert "('store.file', 'warn')" in out[1]
    assert out[2:] == ["the store is read-only"] * 2


# The first round is for a store of its own: what it imports may lie where only root may read.
NO_RIGHTS = """
import os, sys
from agent_memory_cli.cli.main import run
commands = ["add", "x", "--user", "ann"], ["list", "--all"], ["erase-user", "ann", "--yes"]
for command in commands:
    run(["--db", sys.argv[2], *command])
print("NOW", flush=True)
print("NOW", file=sys.stderr, flush=True)
if os.geteuid() == 0:
    os.setuid(65534)
for command in commands:
    print(run(["--db", sys.argv[1], *command]), flush=True)
"""


def test_a_store_that_may_not_be_read_is_one_clear_line(tmp_path):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        memory = SQLiteMemory(path)
        add(memory, "tea")
        memory.close()
        path.chmod(0)
        Path(folder).chmod(0o755)
        run = subprocess.run(
            [sys.executable, "-c", NO_RIGHTS, str(path), str(tmp_path / "own.db")],
            capture_output=True, text=True, check=False, cwd="/",
        )  # fmt: skip
        assert sorted(p.name for p in Path(folder).iterdir()) == ["m.db"]
    assert run.stdout.split("NOW\n")[1] == "5\n" * 3, run.stderr
    line = "error: the store cannot be read: Permission denied\n"
    assert run.stderr.split("NOW\n")[1] == line * 3


def test_a_damaged_store_is_named_and_does_not_crash_the_doctor(path):
    memory = SQLiteMemory(path)
    memory.add_sync([record(f"note {n} " + "x" * 200) for n in range(300)])
    memory.close()
    with path.open("r+b") as file:
        file.seek(4096 * 8)
        file.write(b"\xff" * 4096 * 12)
    damaged = SQLiteMemory(path)
    rows = {check.id: check.status for check in damaged.inspect_sync()}
    assert rows["store.integrity"] == "fail"
