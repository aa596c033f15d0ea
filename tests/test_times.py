"""Instants and durations as people write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.times import (
    as_utc,
    before_now,
    format_instant,
    from_micros,
    parse_duration,
    parse_instant,
    to_micros,
)

NOON = datetime(2026, 6, 7, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-06-07T12:00:00Z",
        "2026-06-07 12:00:00",
        "2026-06-07T12:00:00",
        "2026-06-07T04:00:00-08:00",
        "2026-06-07T14:00:00.000000+02:00",
        "20260607T120000Z",
        "  2026-06-07T12:00Z  ",
    ],
)
def test_one_instant_written_in_many_ways_is_one_instant(text):
    assert parse_instant(text) == NOON
    assert format_instant(parse_instant(text)) == "2026-06-07T12:00:00Z"


def test_a_date_is_its_midnight_in_utc():
    assert parse_instant("2026-06-07") == datetime(2026, 6, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["", " ", "soon", "7.6.2026", "2026-13-01", "2026-06-07T25:00", "1780833600", "٢٠٢٦-06-07x"],
)
def test_what_is_no_instant_is_refused_without_being_quoted(text):
    with pytest.raises(ToolUsageError) as caught:
        parse_instant(text)
    assert caught.value.exit_code == 2
    assert not text.strip() or text not in str(caught.value)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_an_offset_that_leaves_the_calendar_is_refused(text):
    with pytest.raises(ToolUsageError):
        parse_instant(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1),
        ("2min", 120),
        ("1.5h", 5400),
        ("30d", 30 * 86_400),
        ("2w", 14 * 86_400),
        ("1y", 365 * 86_400),
        (" 30 d ", 30 * 86_400),
    ],
)
def test_a_duration_is_a_number_and_a_unit(text, seconds):
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "text",
    [
        *("", "d", "30", "0d", "-1d", "30m", "30 days", "1e3d", "nan d", "inf d", "1d2h", "٣d"),
        "0.0000001s",
        "99999999999y",
        "9" * 400 + "d",
    ],
)
def test_what_is_no_duration_above_zero_is_refused(text):
    with pytest.raises(ToolUsageError):
        parse_duration(text)


def test_before_now_stops_at_the_beginning_of_the_calendar():
    assert before_now(timedelta(days=1), NOON) == NOON - timedelta(days=1)
    assert before_now(timedelta(days=999_999), NOON) == datetime.min.replace(tzinfo=UTC)


def test_a_time_without_an_offset_is_taken_as_utc():
    assert as_utc(datetime(2026, 6, 7, 12)) == NOON  # noqa: DTZ001
    assert as_utc(NOON.astimezone(timezone(timedelta(hours=9)))).tzinfo is UTC


@given(st.datetimes(timezones=st.just(UTC)))
def test_every_instant_survives_storing_and_showing(moment):
    assert from_micros(to_micros(moment)) == moment
    assert parse_instant(format_instant(moment)) == moment


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_stored_instants_order_as_instants_do(one, other):
    assert (to_micros(one) < to_micros(other)) == (one < other)
