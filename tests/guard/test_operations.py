"""A backend that misbehaves cannot show a record that was not asked for."""

import logging
from datetime import timedelta

import pytest

from agent_memory_cli import (
    BusyError,
    CallableMemory,
    IntegrationError,
    MemoryScope,
    Selection,
    ToolUsageError,
)
from tests.guard.fakes import leaky, stored
from tests.helpers import NOW, record

FOREIGN = [
    stored("zqx of ben", "zqx-2", "ben"),
    stored("zqx of nobody", "zqx-3", None, agent="a"),
    stored("zqx of another case", "zqx-4", "ANN"),
]
EXPIRED = stored("zqx expired", "zqx-5", expires_at=NOW)
OLD = stored("zqx old", "zqx-6", created_at=NOW - timedelta(days=400))
MINE = stored("green tea", "1", metadata={"kind": "drink"})


def _warnings(caplog) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]


@pytest.mark.parametrize("operation", ["search", "export", "stream"])
def test_foreign_and_expired_records_are_dropped_with_a_warning_of_counts(caplog, ann, operation):
    memory = leaky(MINE, *FOREIGN, EXPIRED, OLD, retention_days=365)
    answers = {
        "search": lambda: [hit.record for hit in memory.search_sync("tea", scope=ann)],
        "export": lambda: memory.export_sync(ann),
        "stream": lambda: [r for batch in memory.stream_sync(Selection(ann)) for r in batch],
    }
    assert answers[operation]() == [MINE]
    assert _warnings(caplog) == ["callable returned 5 of 6 records outside the request; dropped"]
    assert "zqx" not in caplog.text
    assert "green tea" not in caplog.text


def test_records_against_the_filters_or_the_window_are_dropped(ann):
    late = stored("later", "2", metadata={"kind": "drink"}, created_at=NOW - timedelta(days=1))
    memory = leaky(MINE, late, stored("no kind", "3"))

    def search(**options):
        return [hit.record.id for hit in memory.search_sync("tea", scope=ann, **options)]

    assert search() == ["1", "2", "3"]
    assert search(filters={"kind": "drink"}) == ["1", "2"]
    assert search(filters={"kind": "drink"}, since=NOW) == ["1"]
    assert search(until=NOW) == ["2"]


def test_a_backend_that_returns_too_many_is_cut_to_k(ann):
    memory = leaky(*(stored(f"tea {n}", str(n)) for n in range(9)))
    assert len(memory.search_sync("tea", scope=ann, k=4)) == 4


def test_records_are_dropped_before_the_best_k_are_taken(ann):
    memory = leaky(*FOREIGN, EXPIRED, MINE)
    assert [hit.record for hit in memory.search_sync("tea", scope=ann, k=1)] == [MINE]


def test_a_record_of_another_scope_is_got_like_one_that_is_not_there(ann, bob):
    memory = leaky(MINE, EXPIRED, stored("in a session", "7", session="s"))
    assert memory.get_sync("1", scope=ann) == MINE
    assert memory.get_sync("1", scope=bob) is None
    assert memory.get_sync("1", scope=MemoryScope(user_id="ann", session_id="s")) is None
    assert memory.get_sync("7", scope=MemoryScope(user_id="ann", session_id="s")) is not None
    assert memory.get_sync(EXPIRED.id) is None
    assert memory.get_sync("nothing") is None


def test_a_well_behaved_backend_gives_no_warning(caplog, ann):
    leaky(MINE).search_sync("tea", scope=ann)
    assert _warnings(caplog) == []


def _broken(error: Exception) -> CallableMemory:
    def fail(*_):
        raise error

    return CallableMemory(add=fail, search=fail, get=fail, delete=fail, export=fail)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, s: m.add_sync([record("zqx text")]),
        lambda m, s: m.search_sync("zqx query", scope=s),
        lambda m, s: m.get_sync("zqx-id"),
        lambda m, s: m.delete_sync(["zqx-id"]),
        lambda m, s: m.export_sync(s),
        lambda m, s: m.count_sync(Selection(s)),
        lambda m, s: m.add_all_sync([[record("zqx text")]]),
        lambda m, s: m.erasure_plan_sync("zqxann"),
    ],
)
def test_a_failing_backend_is_an_integration_error_with_its_cause(caplog, ann, call):
    cause = KeyError("zqx secret")
    with pytest.raises(IntegrationError) as caught:
        call(_broken(cause), ann)
    assert caught.value.__cause__ is cause
    assert "zqx" not in str(caught.value)
    assert "KeyError" in caplog.text
    assert "zqx" not in caplog.text
    assert all(entry.exc_info is None for entry in caplog.records)


def test_our_own_errors_pass_a_backend_unchanged(ann):
    with pytest.raises(BusyError, match="not now"):
        _broken(BusyError("not now")).search_sync("tea", scope=ann)


def test_what_is_refused_never_reaches_the_backend(ann):
    memory = _broken(AssertionError("reached"))
    for call in (
        lambda: memory.add_sync([record("x", id="1"), record("y", id="1")]),
        lambda: memory.add_sync("text"),
        lambda: memory.search_sync("tea", scope=None),
        lambda: memory.search_sync("tea", scope=ann, k=0),
        lambda: memory.get_sync(" "),
        memory.delete_sync,
        lambda: memory.export_sync({"user_id": "ann"}),
        lambda: memory.erasure_plan_sync(""),
        lambda: list(memory.stream_sync(Selection(ann), limit=0)),
        lambda: list(memory.stream_sync(ann)),
        lambda: memory.count_sync(Selection("ann")),
        lambda: memory.count_sync(Selection(ann, filters={"a": object()})),
    ):
        with pytest.raises(ToolUsageError):
            call()


def test_nothing_to_add_and_nothing_to_delete_ask_nothing_of_the_backend():
    memory = _broken(AssertionError("reached"))
    assert memory.add_sync([]) == []
    assert memory.delete_sync([]) == 0


@pytest.mark.parametrize("days", [0, -1, 365_001, float("nan"), float("inf"), "30", True])
def test_a_retention_that_is_no_number_of_days_is_refused(days):
    from agent_memory_cli import ConfigError

    with pytest.raises(ConfigError):
        leaky(retention_days=days)
