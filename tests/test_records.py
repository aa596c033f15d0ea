"""The scope, the record and what they refuse."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agent_memory_cli import MemoryHit, MemoryRecord, MemoryScope, StoredRecord
from tests.helpers import NOW, record

_ids = st.sampled_from([None, "a", "b"])
_scopes = (
    st.tuples(_ids, _ids, _ids)
    .filter(any)
    .map(lambda ids: MemoryScope(user_id=ids[0], session_id=ids[1], agent_id=ids[2]))
)


@pytest.mark.parametrize("field", ["user_id", "session_id", "agent_id"])
@pytest.mark.parametrize("value", ["", " ", "\n", "x" * 513, "\udc80"])
def test_an_id_that_is_blank_too_long_or_broken_is_never_unset(field, value):
    with pytest.raises(ValidationError):
        MemoryScope(**{"user_id": "ann", field: value})


def test_a_scope_names_somebody():
    with pytest.raises(ValidationError):
        MemoryScope()


@given(_scopes, _scopes)
def test_a_scope_covers_its_own_user_and_narrows_by_what_it_sets(query, other):
    expected = (
        query.user_id == other.user_id
        and (query.session_id is None or query.session_id == other.session_id)
        and (query.agent_id is None or query.agent_id == other.agent_id)
    )
    assert query.covers(other) is expected


@given(_scopes)
def test_a_scope_covers_itself_and_tells_its_kind_without_an_id(scope):
    assert scope.covers(scope)
    assert set(scope.kind.split("+")) <= {"user", "session", "agent"}


def test_no_user_is_a_user_of_its_own():
    nobody = MemoryScope(agent_id="helper")
    assert not nobody.covers(MemoryScope(user_id="ann", agent_id="helper"))
    assert not MemoryScope(user_id="ann").covers(nobody)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "broken \ud83d"])
def test_a_text_that_is_blank_or_broken_is_refused(text):
    with pytest.raises(ValidationError):
        record(text)


@pytest.mark.parametrize(
    "metadata", [{"x": float("nan")}, {"x": float("inf")}, {"\ud800": 1}, {"x": ["\udfff"]}, [1]]
)
def test_metadata_that_json_cannot_hold_is_refused(metadata):
    with pytest.raises(ValidationError):
        record("hello", metadata=metadata)


def test_metadata_that_is_nested_too_deep_is_refused():
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises((ValidationError, RecursionError)):
        record("hello", metadata={"deep": deep})


def test_records_are_frozen_and_know_their_fields():
    made = record("hello")
    with pytest.raises(ValidationError):
        made.text = "bye"
    with pytest.raises(ValidationError):
        MemoryRecord(scope=made.scope, text="x", user_id="ann")


def test_a_validation_error_does_not_quote_the_text():
    with pytest.raises(ValidationError) as caught:
        MemoryRecord(scope={"user_id": "ann"}, text=["my secret"])
    assert "secret" not in str(caught.value)


def test_times_are_brought_to_utc():
    made = record("hello", created_at="2026-06-07T05:00:00-08:00", expires_at="2026-06-07T13:00:00")
    assert made.created_at == made.expires_at == datetime(2026, 6, 7, 13, tzinfo=UTC)
    assert made.created_at.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("age", "expires_in", "retention", "live"),
    [
        (0, None, None, True),
        (10_000, None, None, True),
        (0, 1, None, True),
        (0, 0, None, False),
        (0, -1, None, False),
        (9, None, 10, True),
        (10, None, 10, False),
        (1, 5, 0.5, False),
    ],
)
def test_a_record_is_live_until_it_is_due(age, expires_in, retention, live):
    stored = StoredRecord(
        id="1",
        scope={"user_id": "ann"},
        text="hello",
        created_at=NOW - timedelta(days=age),
        expires_at=None if expires_in is None else NOW + timedelta(days=expires_in),
    )
    assert stored.live(NOW, retention) is live


def test_a_hit_round_trips_through_json():
    stored = StoredRecord(id="1", scope={"user_id": "ann"}, text="☃", created_at=NOW)
    hit = MemoryHit(record=stored, score=1.5)
    assert MemoryHit.model_validate(json.loads(hit.model_dump_json())) == hit


def test_metadata_nested_deeper_than_its_readers_take_is_refused():
    def nested(depth: int) -> dict:
        return {"k": nested(depth - 1)} if depth > 1 else {"k": [[]] if depth else 1}

    deepest = MemoryRecord(scope=MemoryScope(user_id="ann"), text="tea", metadata=nested(98))
    assert deepest.metadata == nested(98)
    with pytest.raises(ValidationError, match="100 levels"):
        MemoryRecord(scope=MemoryScope(user_id="ann"), text="tea", metadata=nested(99))
