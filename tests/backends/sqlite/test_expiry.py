"""Expired records are hidden at once, and deleted on the next write and by a purge."""

from datetime import datetime, timedelta

import pytest

from agent_memory_cli import MemoryScope, Selection, SQLiteMemory, ToolUsageError
from tests.helpers import NOW, add, found, looking_into, record, row, texts, wrong_counts

DAY = timedelta(days=1)


def _stored(memory) -> int:
    with looking_into(memory.path) as connection:
        return connection.execute("SELECT count(*) FROM record").get


def _seen(memory, scope) -> list:
    """What every way of looking shows."""
    everybody = [r.text for batch in memory.stream_sync(Selection(None)) for r in batch]
    return [
        texts(memory, scope),
        found(memory, "tea", scope),
        found(memory, "", scope),
        everybody,
        ["tea"] * memory.count_sync(Selection(scope)),
    ]


def test_an_expired_record_is_hidden_at_once_from_every_look(memory, clock, ann):
    [one] = memory.add_sync([record("tea", expires_at=NOW + DAY)])
    clock.forward(days=1, microseconds=-1)
    assert _seen(memory, ann) == [["tea"]] * 5
    clock.forward(microseconds=1)
    assert _seen(memory, ann) == [[]] * 5
    assert memory.get_sync(one.id) is None
    assert _stored(memory) == 1
    due = Selection(ann, include_expired=True)
    assert memory.count_sync(due) == 1
    assert [r.text for batch in memory.stream_sync(due) for r in batch] == ["tea"]


@pytest.mark.parametrize(
    "write",
    [
        lambda m: add(m, "rain", user="bob"),
        lambda m: m.add_all_sync([[record("rain", "bob")]]),
        lambda m: m.delete_sync(["unknown"]),
        lambda m: m.purge_sync(),
    ],
    ids=["add", "add_all", "delete", "purge"],
)
def test_every_write_and_a_purge_delete_what_is_due(memory, clock, write):
    memory.add_sync([record("zqxtea", expires_at=NOW + DAY), record("stays")])
    clock.forward(days=2)
    write(memory)
    with looking_into(memory.path) as connection:
        rows = {text for (text,) in connection.execute("SELECT text FROM record")}
    assert "zqxtea" not in rows
    assert "stays" in rows
    assert wrong_counts(memory) == []


def test_an_expired_record_does_not_count_as_deleted(memory, clock, ann):
    ids = add(memory, "tea", expires_at=NOW + DAY) + add(memory, "rain")
    clock.forward(days=1)
    assert memory.delete_sync(ids, scope=ann) == 1


def test_an_id_is_free_again_once_its_record_expired(memory, clock):
    memory.add_sync([record("old", id="1", expires_at=NOW + DAY)])
    with pytest.raises(ToolUsageError):
        memory.add_sync([record("new", id="1")])
    clock.forward(days=1)
    memory.add_sync([record("new", id="1")])
    assert memory.get_sync("1").text == "new"


def test_a_creation_in_the_future_is_refused_and_nothing_is_stored(memory, ann):
    with pytest.raises(ToolUsageError, match="future"):
        memory.add_sync([record("now"), record("later", created_at=NOW + DAY)])
    with pytest.raises(ToolUsageError, match="future"):
        memory.add_all_sync([[record("now")], [record("later", created_at=NOW + DAY)]])
    assert texts(memory, ann) == []


def test_the_doctor_sees_records_whose_future_came_from_a_wrong_clock(memory, clock):
    clock.forward(days=1)
    add(memory, "tea")
    clock.forward(days=-1)
    assert row(memory, "store.future").status == "warn"


@pytest.fixture
def keeper(path, clock):
    """Stores under many retentions over one file."""
    opened = []

    def keep(days: float | None) -> SQLiteMemory:
        opened.append(SQLiteMemory(path, retention_days=days, clock=clock))
        return opened[-1]

    yield keep
    for memory in opened:
        memory.close()


@pytest.mark.parametrize("days", [0.5, 30, 365_000])
def test_retention_gives_each_record_its_end(keeper, clock, ann, days):
    memory = keeper(days)
    [one] = memory.add_sync([record("tea")])
    assert one.expires_at == NOW + timedelta(days=days)
    clock.forward(days=days, microseconds=-1)
    assert texts(memory, ann) == ["tea"]
    clock.forward(microseconds=1)
    assert _seen(memory, ann) == [[]] * 5


def test_a_shorter_retention_hides_and_deletes_what_a_longer_one_kept(keeper, clock, ann):
    add(keeper(None), "kept for ever")
    add(keeper(100), "kept for long")
    clock.forward(days=10)
    add(keeper(100), "young")
    short = keeper(5)
    assert texts(short, ann) == ["young"]
    assert found(short, "kept", ann) == []
    assert row(short, "store.overdue").status == "warn"
    assert _stored(short) == 3
    assert short.purge_sync() == 2
    assert _stored(short) == 1
    assert wrong_counts(short) == []


def test_a_longer_retention_does_not_bring_back_what_had_an_end(keeper, clock, ann):
    add(keeper(5), "short")
    clock.forward(days=10)
    assert texts(keeper(100), ann) == texts(keeper(None), ann) == []


def test_an_end_of_its_own_is_kept_under_retention(keeper, clock, ann):
    memory = keeper(5)
    add(memory, "sooner", expires_at=NOW + DAY)
    add(memory, "later", expires_at=NOW + 100 * DAY)
    clock.forward(days=1)
    assert texts(memory, ann) == ["later"]
    clock.forward(days=4)
    assert texts(memory, ann) == []


def test_a_record_that_is_too_old_when_it_comes_is_never_seen(keeper, ann):
    memory = keeper(30)
    memory.add_sync([record("old tea", created_at=NOW - 31 * DAY), record("tea")])
    assert _seen(memory, ann) == [["tea"]] * 5
    assert memory.purge_sync() == 1


def test_times_in_any_form_are_purged_by_their_instant(memory, ann):
    """Text comparison would take T after a space, and forget offsets."""
    old = ["2026-06-05T11:00:00Z", "2026-06-05 11:00:00", "2026-06-05T03:00:00-08:00"]
    new = ["2026-06-05T13:00:00Z", "2026-06-05 13:00:00", "2026-06-05T05:00:00-08:00"]
    old.append("2026-06-05T11:00:00.000001+00:00")
    new.append("2026-06-05T13:00:00.000001+00:00")
    memory.add_sync([record(text, created_at=text) for text in old + new])
    plan = memory.purge_plan_sync(before=NOW - 2 * DAY)
    assert sorted(memory.get_sync(id_).text for id_ in plan.ids) == sorted(old)
    assert (plan.expired, plan.older) == (0, 4)
    assert memory.purge_batch_sync(plan) == 4
    assert memory.purge_batch_sync(plan) == 0
    assert set(texts(memory, ann)) == set(new)
    times = [one.created_at for one in memory.export_sync(ann)]
    assert times == sorted(times)


def test_a_purge_plan_says_what_the_batches_then_delete(memory, clock, ann, bob):
    memory.add_sync([record(f"due {n}", expires_at=NOW + DAY) for n in range(30)])
    memory.add_sync([record(f"old {n}", "bob", created_at=NOW - 9 * DAY) for n in range(25)])
    memory.add_sync([record("stays", user) for user in ("ann", "bob")])
    clock.forward(days=1)
    plan = memory.purge_plan_sync(before=NOW - DAY)
    assert (len(plan.ids), plan.expired, plan.older) == (55, 30, 25)
    assert _stored(memory) == 57
    sizes = []
    while count := memory.purge_batch_sync(plan, limit=20):
        sizes.append(count)
    assert sizes == [20, 20, 15]
    assert texts(memory, ann) == texts(memory, bob) == ["stays"]
    assert wrong_counts(memory) == []


def test_a_purge_of_one_scope_leaves_the_others(memory, clock):
    for user, session in (("ann", "s"), ("ann", "t"), ("bob", "s"), (None, "s")):
        memory.add_sync([record("old", user, session, created_at=NOW - 9 * DAY)])
    scope = MemoryScope(user_id="ann", session_id="s")
    plan = memory.purge_plan_sync(scope=scope, before=NOW)
    assert len(plan.ids) == memory.purge_batch_sync(plan) == 1
    nobody = memory.purge_plan_sync(scope=MemoryScope(user_id="never seen"), before=NOW)
    assert nobody.ids == ()
    assert _stored(memory) == 3


def test_records_added_after_the_plan_are_not_purged_by_it(memory, clock, ann):
    add(memory, "due", expires_at=NOW + DAY)
    clock.forward(days=1)
    plan = memory.purge_plan_sync()
    clock.forward(days=1)
    with looking_into(memory.path) as connection:
        connection.execute(
            "INSERT INTO record SELECT key + 1, 'x', session_id, agent_id, text, metadata,"
            " created_at, updated_at, expires_at + 3600000000 FROM record"
        )
        connection.execute("UPDATE subject SET records = records + 1 WHERE user_id = 'ann'")
    assert memory.purge_batch_sync(plan) == 1
    assert _stored(memory) == 1


def test_purged_words_are_gone_from_every_file(memory, clock):
    from tests.helpers import bytes_of, words_in_index

    add(memory, *(f"zqxcamel {n}" for n in range(30)), expires_at=NOW + DAY)
    add(memory, "zqxcanary stays", user="bob")
    clock.forward(days=1)
    memory.purge_sync()
    memory.scrub_sync()
    memory.close()
    assert b"zqxcamel" not in bytes_of(memory.path)
    assert not {word for word in words_in_index(memory.path) if "camel" in word}


def test_what_agents_add_while_the_doctor_looks_is_not_from_the_future(memory, path, clock):
    def later() -> datetime:
        asked = clock()
        clock.forward(seconds=1)
        add(memory, "meanwhile")
        return asked

    assert row(SQLiteMemory(path, clock=later), "store.future").status == "ok"
