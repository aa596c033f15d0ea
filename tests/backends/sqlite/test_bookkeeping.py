"""What the store notes besides the records stays right, and numbers are never given out again."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_memory_cli import MemoryScope, Selection, SQLiteMemory, ToolUsageError
from agent_memory_cli.backends.sqlite.write import ROW_BY_ROW
from tests.helpers import (
    NOW,
    Clock,
    add,
    bytes_of,
    found,
    looking_into,
    record,
    row,
    texts,
    troubles,
    words_in_index,
    wrong_counts,
)


def _keys(memory) -> dict[str, int]:
    with looking_into(memory.path) as connection:
        return dict(connection.execute("SELECT id, key FROM record"))


def test_a_partition_number_is_never_given_out_again(memory):
    seen = set()
    for _ in range(3):
        [id_] = add(memory, "tea", user="ann")
        no = _keys(memory)[id_] >> 32
        assert no not in seen
        seen.add(no)
        memory.erase_sync(memory.erasure_plan_sync("ann"))


def test_a_place_in_a_partition_is_never_given_out_again(memory):
    seen = set()
    for _ in range(4):
        ids = add(memory, "tea", "rain")
        keys = {_keys(memory)[id_] for id_ in ids}
        assert not keys & seen
        seen |= keys
        memory.delete_sync(ids)
        memory.scrub_sync()


def test_users_are_counted_with_their_first_and_last(memory, clock):
    add(memory, "tea", user="bob")
    clock.forward(days=1)
    add(memory, "rain", "sun", user="ann")
    add(memory, "of nobody", user=None, agent="helper")
    summaries = {one.user_id: one for one in memory.users_sync()}
    assert {user: one.records for user, one in summaries.items()} == {"ann": 2, "bob": 1, None: 1}
    assert summaries["bob"].first == summaries["bob"].last == NOW
    assert summaries["ann"].first == clock.now
    memory.delete_sync(scope=MemoryScope(agent_id="helper"))
    assert None not in {one.user_id for one in memory.users_sync()}


_steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"), st.sampled_from(["ann", "bob", None]), st.sampled_from(["tea", "a b"])
        ),
        st.tuples(st.just("batch"), st.integers(1, 5), st.just(0)),
        st.tuples(st.just("delete"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("refused"), st.just(0), st.just(0)),
        st.tuples(st.just("forward"), st.integers(1, 3), st.just(0)),
        st.tuples(st.just("clear"), st.sampled_from(["ann", "bob"]), st.just(0)),
        st.tuples(st.just("erase"), st.sampled_from(["ann", "bob"]), st.just(0)),
    ),
    max_size=14,
)


@settings(max_examples=25)
@given(_steps)
def test_counts_of_every_partition_stay_right(tmp_path_factory, steps):
    clock = Clock()
    memory = SQLiteMemory(tmp_path_factory.mktemp("m") / "m.db", retention_days=5, clock=clock)
    ids = add(memory, "seed")
    for kind, one, two in steps:
        match kind:
            case "add":
                ids += add(memory, two, user=one, agent="helper")
            case "batch":
                batches = [[record(f"x{n} y", f"user{n}")] for n in range(one)]
                memory.add_all_sync(batches)
            case "delete":
                memory.delete_sync(ids[one : one + 2])
            case "refused":
                [same] = add(memory, "same")
                with pytest.raises(ToolUsageError):
                    memory.add_sync([record("lost"), record("x", id=same)])
            case "forward":
                clock.forward(days=one)
            case "clear":
                memory.delete_sync(scope=MemoryScope(user_id=one))
            case "erase":
                memory.erase_sync(memory.erasure_plan_sync(one))
    memory.purge_sync()
    assert wrong_counts(memory) == []
    assert troubles(memory) == []
    memory.close()


def test_adding_everything_or_nothing(memory, ann):
    add(memory, "first", id="1")

    def batches():
        yield [record("second")]
        yield [record("third", id="1")]

    with pytest.raises(ToolUsageError) as caught:
        memory.add_all_sync(batches())
    assert caught.value.details == ("1",)
    assert texts(memory, ann) == ["first"]

    def broken():
        yield [record("second")]
        raise KeyError

    with pytest.raises(Exception):  # noqa: B017 (whatever the source of batches raises)
        memory.add_all_sync(broken())
    assert texts(memory, ann) == ["first"]
    assert wrong_counts(memory) == []


def test_adding_again_what_is_stored_word_for_word_changes_nothing(memory, clock, ann):
    records = [record(f"tea {n}", id=str(n), metadata={"n": n}) for n in range(4)]
    assert memory.add_all_sync([records]).added == 4
    clock.forward(days=1)
    stored = memory.export_sync(ann)
    report = memory.add_all_sync([records[:2], stored[2:]])
    assert (report.added, report.unchanged, report.conflicts) == (0, 4, ())
    for changed in (
        record("other", id="0", metadata={"n": 0}),
        record("tea 0", id="0", metadata={"n": False}),
        record("tea 0", "bob", id="0", metadata={"n": 0}),
        record("tea 0", session="s", id="0", metadata={"n": 0}),
    ):
        report = memory.add_all_sync([[changed]], skip_conflicts=True)
        assert (report.added, report.unchanged, report.conflicts) == (0, 0, ("0",))
    assert memory.export_sync(ann) == stored


@pytest.mark.parametrize("count", [1, ROW_BY_ROW, ROW_BY_ROW + 1])
def test_deletions_leave_no_word_in_the_pages_of_the_index(memory, count):
    add(memory, "zqxcamel", "zqxca other", user="bob")
    memory.add_sync([record(f"zqxcanary zqxcamera{n}", id=f"zqxid{n}") for n in range(count)])
    assert memory.delete_sync([f"zqxid{n}" for n in range(count)]) == count
    memory.close()
    left = {word for word in words_in_index(memory.path) if word.startswith("zqx")}
    assert left == {"zqxcamel", "zqxca"}
    assert b"canari" not in bytes_of(memory.path)
    assert found(memory, "zqxcamel", MemoryScope(user_id="bob")) == ["zqxcamel"]
    assert row(memory, "store.scrub").status == "ok"


def test_when_many_expire_words_are_left_until_a_purge_and_the_doctor_says_so(memory, clock):
    due = clock() + timedelta(days=1)
    memory.add_sync([record(f"zqxcanary{n}", expires_at=due) for n in range(ROW_BY_ROW + 1)])
    clock.forward(days=2)
    add(memory, "zqxcamel", user="bob")
    assert row(memory, "store.scrub").status == "warn"
    memory.purge_sync()
    assert row(memory, "store.scrub").status == "ok"
    memory.close()
    assert {w for w in words_in_index(memory.path) if w.startswith("zqx")} == {"zqxcamel"}


def test_a_deletion_does_not_wait_for_a_reader_and_says_so(memory, caplog, ann):
    ids = add(memory, "tea", "rain")
    with looking_into(memory.path) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM record").fetchall()
        assert memory.delete_sync(ids[:1]) == 1
        reader.execute("COMMIT")
    assert "write-ahead log" in caplog.text
    assert memory.count_sync(Selection(ann)) == 1


@pytest.mark.parametrize("table", ["record", "subject"])
def test_the_doctor_finds_and_mends_what_drifted(memory, table):
    add(memory, "green tea", "black tea")
    memory.close()
    with looking_into(memory.path) as connection:
        if table == "record":
            connection.execute("UPDATE record SET text = 'rain' WHERE text = 'green tea'")
        else:
            connection.execute("UPDATE subject SET records = records + 1")
    check = {"record": "store.index", "subject": "store.counts"}[table]
    assert row(memory, check).status == "fail"
    assert "mended" in row(memory, check, fix=True).seen
    assert troubles(memory) == []
    assert wrong_counts(memory) == []
    green = found(memory, "green", MemoryScope(user_id="ann"))
    assert green == ([] if table == "record" else ["green tea"])


def test_a_scrub_forgets_ids_without_records_and_no_one_else(memory, ann):
    memory.delete_sync(add(memory, "zqxtea", user="zqx-gone"))
    add(memory, "tea")
    with looking_into(memory.path) as connection:  # a count that drifted
        connection.execute("UPDATE subject SET records = 0 WHERE user_id = 'ann'")
    memory.scrub_sync()
    assert texts(memory, ann) == ["tea"]
    assert row(memory, "store.counts", fix=True).status == "ok"
    memory.close()
    assert b"zqx-gone" not in bytes_of(memory.path)
    assert [one.user_id for one in memory.users_sync()] == ["ann"]
