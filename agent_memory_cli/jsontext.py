"""JSON as we write it: strict, one line, and nothing in it that a terminal would act on.

Characters that are invisible or change the direction of text stand as \\u escapes, so that a shown
document shows what is there; parsing gives back exactly what went in.
"""

from __future__ import annotations

import dataclasses
import json
import re
from datetime import datetime

from agent_memory_cli.times import format_instant

# C0 and C1 controls, DEL, soft hyphen, zero-width and direction controls, separators, tags.
HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def escape(match: re.Match[str]) -> str:
    """A hidden character as JSON escapes, UTF-16 style."""
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def harmless(text: str) -> str:
    """A JSON text with its hidden characters escaped; they can only stand within strings."""
    return text if text.isascii() and "\x7f" not in text else HIDDEN.sub(escape, text)


def to_text(value: object, *, ascii_only: bool = False) -> str:
    """`value` as one line of strict JSON. Instants become ISO 8601, dataclasses objects.

    `ascii_only` is for outputs that cannot carry other characters.
    """
    text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, default=_plain)
    return harmless(text)


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return format_instant(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
