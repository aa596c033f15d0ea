"""Input that cannot be meant is refused before a backend sees it."""

from datetime import UTC, date, datetime, timedelta

import pytest
from pydantic import ValidationError

from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.guard import checks
from agent_memory_cli.records import MemoryScope
from agent_memory_cli.selection import Selection
from tests.helpers import NOW, record

ANN = MemoryScope(user_id="ann")


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_a_blank_id_is_refused_and_the_hint_names_the_usual_cause(blank):
    for ids in ((blank, None, None), ("ann", blank, None), ("ann", None, blank)):
        with pytest.raises(ToolUsageError) as caught:
            checks.make_scope(*ids)
        assert "shell variable" in caught.value.hint


def test_no_id_at_all_is_no_scope_rather_than_everybody():
    assert checks.make_scope(None, None, None) is None
    assert checks.make_scope("ann", None, "helper").kind == "user+agent"


def test_the_reason_says_which_field_and_does_not_quote_the_value():
    with pytest.raises(ValidationError) as caught:
        MemoryScope(user_id="secret" * 100)
    assert checks.reason(caught.value) == "user_id: an id is longer than 512 characters"


def test_adding_fills_in_the_id_the_time_and_the_retention():
    [stored] = checks.stored_records([record("tea")], NOW, 30)
    assert stored.id
    assert stored.created_at == NOW
    assert stored.expires_at == NOW + timedelta(days=30)


def test_what_a_record_brings_itself_is_kept():
    given = record("tea", id="1", created_at=NOW - timedelta(days=3), expires_at=NOW)
    [stored] = checks.stored_records([given], NOW, 30)
    assert (stored.id, stored.created_at, stored.expires_at) == ("1", given.created_at, NOW)


def test_retention_counts_from_the_creation():
    [stored] = checks.stored_records([record("tea", created_at=NOW - timedelta(days=3))], NOW, 30)
    assert stored.expires_at == NOW + timedelta(days=27)


def test_a_creation_in_the_future_is_refused():
    with pytest.raises(ToolUsageError, match="future"):
        checks.stored_records([record("x", created_at=NOW + timedelta(microseconds=1))], NOW, None)


@pytest.mark.parametrize("records", [record("one"), ["text"], [{"text": "x"}], [None], None, 5])
def test_add_takes_a_sequence_of_records_only(records):
    with pytest.raises(ToolUsageError):
        checks.stored_records(records, NOW, None)


def test_records_that_can_be_iterated_only_once_are_all_there():
    stored = checks.stored_records((record(text) for text in ("tea", "milk")), NOW, None)
    assert [one.text for one in stored] == ["tea", "milk"]


@pytest.mark.parametrize("value", ["", " ", 7, None, b"id", "x" * 513, "\ud800"])
def test_an_id_has_to_be_one(value):
    with pytest.raises(ToolUsageError):
        checks.checked_id(value)


def test_ids_to_delete_are_each_taken_once():
    assert checks.checked_ids(["b", "a", "b"], None) == ["b", "a"]
    assert checks.checked_ids(None, ANN) is None
    assert checks.checked_ids([], ANN) == []


@pytest.mark.parametrize(
    ("ids", "scope"), [(None, None), ("one-id", None), ([""], ANN), (None, "ann"), (["a", 1], None)]
)
def test_a_deletion_that_cannot_be_meant_is_refused(ids, scope):
    with pytest.raises(ToolUsageError):
        checks.checked_ids(ids, scope)


@pytest.mark.parametrize("k", [0, -1, True, 1.5, "3", None])
def test_k_is_a_whole_number_of_at_least_one(k):
    with pytest.raises(ToolUsageError):
        checks.checked_k(k)


@pytest.mark.parametrize("query", [None, 5, b"tea", "\ud83d"])
def test_a_query_is_real_text(query):
    with pytest.raises(ToolUsageError):
        checks.checked_query(query)


def test_a_blank_query_is_the_empty_one():
    assert checks.checked_query(" \n ") == ""


@pytest.mark.parametrize(
    "filters", [{"a": {1, 2}}, {"a": float("nan")}, {1: "a"}, {"a": object()}, {"\ud800": 1}, [1]]
)
def test_filters_are_a_mapping_of_json_values(filters):
    with pytest.raises(ToolUsageError):
        checks.checked_filters(filters)


def test_no_filters_filter_nothing():
    assert checks.checked_filters(None) == checks.checked_filters({}) == {}


def test_a_scope_is_a_scope():
    with pytest.raises(ToolUsageError):
        checks.checked_scope({"user_id": "ann"})


def test_a_selection_is_brought_to_utc():
    since = datetime(2026, 6, 7, 12)  # noqa: DTZ001
    assert checks.checked_selection(Selection(None, since=since)).since == NOW


def test_moments_without_an_offset_are_utc():
    naive = datetime(2026, 6, 7, 12)  # noqa: DTZ001
    assert checks.checked_moment(naive) == datetime(2026, 6, 7, 12, tzinfo=UTC)
    assert checks.checked_moment(None) is None


@pytest.mark.parametrize("moment", ["2026-06-07", 5, date(2026, 6, 7), 0, ""])
def test_a_moment_is_a_datetime(moment):
    with pytest.raises(ToolUsageError):
        checks.checked_moment(moment)


@pytest.mark.parametrize("timeout", ["1", -1, float("nan"), True])
def test_a_timeout_is_a_number_of_seconds(timeout):
    with pytest.raises(ToolUsageError):
        checks.checked_timeout(timeout)
