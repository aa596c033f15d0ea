"""Stored text as it is stored, with what a terminal would act on made visible."""

from __future__ import annotations

import re
from datetime import datetime

from agent_memory_cli.jsontext import HIDDEN
from agent_memory_cli.records import StoredRecord
from agent_memory_cli.times import format_instant

_NAMES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _visible(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if character in _NAMES:
        return _NAMES[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str) -> str:
    """`text` on one line, hidden characters as escapes."""
    return HIDDEN.sub(_visible, text)


def lines(text: str) -> str:
    """`text` with its line feeds, other hidden characters as escapes."""
    return "\n".join(map(one_line, text.split("\n")))


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 record`, `2,500 records`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def instant(moment: datetime | None) -> str:
    """A time as we show it; empty when there is none."""
    return "" if moment is None else format_instant(moment)


def short_instant(moment: datetime | None) -> str:
    """A time to the second, for tables."""
    return "" if moment is None else format_instant(moment.replace(microsecond=0))


def scope(record: StoredRecord) -> str:
    """Whose record it is, on one line: user / session / agent, `-` where unset."""
    ids = [record.scope.user_id, record.scope.session_id, record.scope.agent_id]
    while len(ids) > 1 and ids[-1] is None:
        ids.pop()
    return " / ".join("-" if value is None else value for value in ids)
