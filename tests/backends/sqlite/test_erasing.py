"""Erasing one user: no byte and no word left, a receipt, and everybody else untouched."""

import json

import pytest

from agent_memory_cli import MemoryScope
from tests.helpers import (
    NOW,
    add,
    bytes_of,
    finished,
    found,
    looking_into,
    python,
    record,
    residue_scan,
    row,
    texts,
    troubles,
    words_in_index,
    wrong_counts,
)


def _erase(memory, user="ann"):
    return memory.erase_sync(memory.erasure_plan_sync(user))


def _clean(memory, *words: str) -> None:
    """No byte, no word, no stem of a word is left in any file of the store."""
    memory.close()
    content = bytes_of(memory.path).lower()
    index = words_in_index(memory.path)
    for word in words:
        assert word.encode() not in content
        assert word.encode("utf-16-le") not in content
        assert not {one for one in index if word in one}


def test_words_do_not_survive_in_the_index(memory, bob):
    memory.add_sync([record(f"filler {n} about tea", "bob") for n in range(200)])
    add(memory, "zqxcanak likes zqxcamel")
    add(memory, "zqxca other", user="bob")
    report = _erase(memory)
    assert (report.deleted, report.incomplete) == (1, ())
    assert len(found(memory, "filler", bob, 300)) == 200
    assert found(memory, "zqxca", bob) == ["zqxca other"]
    _clean(memory, "zqxcanak", "zqxcamel")


def test_the_scanner_beside_the_project_finds_nothing_either(memory):
    memory.add_sync([record(f"zqxfiller {n}", "bob") for n in range(300)])
    memory.add_sync([record(f"zqxcanak{n} zqxcamel", id=f"zqxid{n}") for n in range(300)])
    assert _erase(memory).incomplete == ()
    memory.close()
    code, out = residue_scan(memory.path, "zqxcanak", "zqxcamel", "zqxid")
    assert (code, out.strip()) == (0, "clean")
    assert residue_scan(memory.path, "zqxfiller")[0] == 1


def test_every_kind_of_value_is_erased(memory):
    memory.add_sync(
        [
            record(
                "zqxtext " + "long " * 3000 + "zqxend",
                "zqxuser-of-erasure",
                "zqxsession",
                "zqxagent",
                id="zqxrecord",
                metadata={"zqxkey": {"deep": ["zqxvalue"]}, "big": "zqxbig " * 2000},
            )
        ]
    )
    assert _erase(memory, "zqxuser-of-erasure").incomplete == ()
    _clean(memory, "zqx")


def test_what_was_deleted_before_is_erased_too(memory, ann):
    ids = add(memory, *(f"zqxone {n} " + "x" * (n * 37) for n in range(60)))
    add(memory, *(f"of bob {n} " + "y" * (n * 31) for n in range(60)), user="bob")
    memory.delete_sync(ids[::2])
    add(memory, "zqxexpired", expires_at=NOW)
    assert texts(memory, ann)[0] == "zqxone 1 " + "x" * 37
    assert _erase(memory).incomplete == ()
    _clean(memory, "zqx")


def test_a_user_whose_records_are_all_deleted_can_still_be_erased(memory, ann):
    add(memory, "zqxthree")
    memory.delete_sync(scope=ann)
    plan = memory.erasure_plan_sync("ann")
    assert (plan.known, plan.records) == (True, 0)
    assert memory.erase_sync(plan).incomplete == ()
    assert memory.erasure_plan_sync("ann").known is False
    _clean(memory, "zqx")


def test_statistics_keep_no_sample_of_an_id(memory):
    for number in range(50):
        add(memory, "tea", user=f"zqxuser{number}", session=f"zqxsession{number}")
    memory.close()
    with looking_into(memory.path) as connection:
        connection.execute("CREATE INDEX by_session ON record (session_id)")
        connection.execute("ANALYZE")
        sample = connection.execute("SELECT sample FROM sqlite_stat4").fetchall()
    assert b"zqxsession" in b"".join(blob for (blob,) in sample if blob)
    report = _erase(memory, "zqxuser7")
    assert report.incomplete == ()
    _clean(memory, "zqxuser7\0", "zqxsession7\0")
    with looking_into(memory.path) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_stat4").get == 0


def test_the_same_text_of_somebody_else_is_no_residue(memory, bob):
    shared = "we all went to the zqxharbour for the summer party " * 4
    for user in ("ann", "bob"):
        add(memory, shared, user=user, session="shared-session", metadata={"place": "zqxharbour"})
    report = _erase(memory)
    assert report.incomplete == ()
    assert texts(memory, bob) == [shared]
    assert len(found(memory, "zqxharbour", bob)) == 1


def test_the_receipt_holds_counts_and_no_text_and_no_id(memory):
    add(memory, "zqxtext", user="zqxuser-one", session="zqxsession")
    report = _erase(memory, "zqxuser-one")
    assert report.verified
    assert "zqx" not in repr(report)
    assert len(report.subject) == 64
    with looking_into(memory.path) as connection:
        [(receipt, subject, done, deleted, text)] = connection.execute(
            "SELECT receipt, subject, finished_at, deleted, report FROM erasure"
        ).fetchall()
    assert (receipt, subject, deleted) == (report.receipt, report.subject, 1)
    assert done is not None
    assert json.loads(text)["incomplete"] == []


def test_the_receipts_of_two_stores_do_not_name_a_person_alike(memory, tmp_path):
    from agent_memory_cli import SQLiteMemory

    other = SQLiteMemory(tmp_path / "other.db")
    for store in (memory, other):
        add(store, "tea")
    assert _erase(memory).subject != _erase(other).subject
    other.close()


def test_erasing_again_is_done_and_deletes_nothing(memory, clock):
    add(memory, "tea")
    first = _erase(memory)
    clock.forward(days=1)
    plan = memory.erasure_plan_sync("ann")
    assert (plan.known, plan.erased_at) == (False, first.finished_at)
    again = memory.erase_sync(plan)
    assert (again.deleted, again.incomplete) == (0, ())


def test_somebody_who_comes_back_is_a_new_partition_and_can_be_erased_again(memory, ann):
    add(memory, "zqxbefore")
    _erase(memory)
    add(memory, "zqxafter")
    assert texts(memory, ann) == ["zqxafter"]
    assert memory.erasure_plan_sync("ann").known
    assert _erase(memory).deleted == 1
    _clean(memory, "zqx")


def test_everybody_else_is_exactly_as_before(memory, bob):
    memory.add_sync([record(f"note {n}", "bob", metadata={"n": n}) for n in range(50)])
    memory.add_sync([record(f"x {n}", None, session="s") for n in range(20)])
    memory.add_sync([record(f"zqx {n}") for n in range(300)])
    nobody = MemoryScope(session_id="s")
    before = memory.export_sync(bob), memory.export_sync(nobody)
    hits = memory.search_sync("note 7", scope=bob, k=60)
    _erase(memory)
    assert (memory.export_sync(bob), memory.export_sync(nobody)) == before
    assert memory.search_sync("note 7", scope=bob, k=60) == hits
    assert troubles(memory) == []
    assert wrong_counts(memory) == []


def test_a_copy_beside_the_store_is_named_and_the_erasure_incomplete(memory):
    add(memory, "zqxtext of a backup")
    with looking_into(memory.path) as connection:
        connection.execute("VACUUM INTO ?", (str(memory.path) + ".bak",))
    (memory.path.parent / "m.db.notes").write_text("nothing of hers")
    assert set(memory.erasure_plan_sync("ann").beside) == {"m.db.bak", "m.db.notes"}
    report = _erase(memory)
    assert [reason for reason in report.incomplete if "m.db.bak" in reason]
    assert not [reason for reason in report.incomplete if "m.db.notes" in reason]
    memory.path.with_name("m.db.bak").unlink()
    assert _erase(memory).incomplete == ()
    assert row(memory, "store.erasures").status == "ok"


READER = """
import sys, apsw
c = apsw.Connection(sys.argv[1])
c.execute("BEGIN")
c.execute("SELECT count(*) FROM record").fetchall()
print("reading", flush=True)
sys.stdin.readline()
c.execute("COMMIT")
c.close()
"""


@pytest.fixture
def reader(memory):
    """Another process that reads an old state, until `end` is called."""
    add(memory, "zqxcanary in the log")
    process = python(READER, memory.path)
    assert process.stdout.readline() == "reading\n"
    yield process
    if process.poll() is None:
        process.communicate("\n", timeout=60)


def test_a_reader_in_the_way_makes_it_incomplete_until_a_later_run(memory, reader, bob):
    memory._connections.busy_timeout = 0.2
    add(memory, "stays", user="bob")
    report = _erase(memory)
    assert report.deleted == 1
    assert any("in use" in reason for reason in report.incomplete)
    assert b"zqxcanary" in bytes_of(memory.path)
    assert row(memory, "store.erasures").status == "fail"
    assert memory.erasure_plan_sync("ann").unfinished
    assert _erase(memory).incomplete  # still
    reader.communicate("\n", timeout=60)
    again = _erase(memory)
    assert (again.receipt, again.deleted, again.incomplete) == (report.receipt, 1, ())
    assert troubles(memory) == []
    assert texts(memory, bob) == ["stays"]
    _clean(memory, "zqx")


def test_a_reader_that_ends_in_time_is_waited_for(memory, reader):
    memory._connections.busy_timeout = 60
    writer = python(
        "import sys; from agent_memory_cli import *; m = SQLiteMemory(sys.argv[1], busy_timeout=60)"
        "\nprint('begin', flush=True)\nr = m.erase_sync(m.erasure_plan_sync('ann'))"
        "\nprint(list(r.incomplete))",
        memory.path,
    )
    assert writer.stdout.readline() == "begin\n"
    reader.communicate("\n", timeout=60)
    assert finished(writer).strip() == "[]"
    _clean(memory, "zqx")


def test_records_added_while_the_erasure_ran_are_told(memory, monkeypatch):
    from agent_memory_cli.backends.sqlite import erase

    add(memory, "zqxbefore")
    real = erase.scrub

    def scrub(connections):
        add(memory, "zqxmeanwhile")
        return real(connections)

    monkeypatch.setattr(erase, "scrub", scrub)
    report = _erase(memory)
    assert any("added while" in reason for reason in report.incomplete)
    monkeypatch.undo()
    assert _erase(memory).incomplete == ()
    _clean(memory, "zqx")
