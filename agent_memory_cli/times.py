"""Instants and durations: read from people, kept as integer microseconds UTC, shown with a Z."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from agent_memory_cli.errors import ToolUsageError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d|w|y)", re.ASCII)
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400}


def utc_now() -> datetime:
    """The current instant, aware, in UTC."""
    return datetime.now(UTC)


def as_utc(moment: datetime) -> datetime:
    """`moment` in UTC; one without an offset is taken as UTC.

    Raises ToolUsageError when its offset moves it out of the years 1 to 9999.
    """
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ToolUsageError("a time lies outside the years 1 to 9999") from None


def parse_instant(text: str) -> datetime:
    """An ISO 8601 date or time as an aware instant in UTC; without an offset it is UTC.

    Raises ToolUsageError for anything else.
    """
    try:
        return as_utc(datetime.fromisoformat(text.strip()))
    except ValueError:
        raise ToolUsageError(
            "that is not a date or time",
            hint="write it like 2026-06-07 or 2026-06-07T12:00:00Z",
        ) from None


def parse_duration(text: str) -> timedelta:
    """A number and a unit (s, min, h, d, w, y of 365 days), above zero: `90d`, `1.5h`.

    Raises ToolUsageError for anything else.
    """
    match = _DURATION.fullmatch(text.strip())
    try:
        duration = timedelta(seconds=float(match[1]) * _SECONDS[match[2]]) if match else None
    except OverflowError:
        duration = None
    if not duration or duration <= timedelta(0):
        raise ToolUsageError(
            "that is not a duration",
            hint="write a number above zero and a unit (s, min, h, d, w, y): 30d",
        )
    return duration


def before_now(duration: timedelta, now: datetime) -> datetime:
    """The instant `duration` before `now`, or the earliest one there is."""
    try:
        return now - duration
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 of an aware instant."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The aware UTC instant of `micros` microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=micros)


def format_instant(moment: datetime) -> str:
    """ISO 8601 in UTC with a Z; microseconds only when there are any."""
    return as_utc(moment).isoformat().removesuffix("+00:00") + "Z"
