"""Ids: what may be one, and how ours are made."""

from __future__ import annotations

import os
import time
import unicodedata

MAX_ID_LENGTH = 512


def check_id(value: str) -> str:
    """`value` itself when it can be an id: not blank, at most 512 characters, real Unicode.

    Raises ValueError. Ids are compared exactly, so nothing is trimmed or folded.
    """
    if not value.strip():
        raise ValueError("an id is empty or blank")
    if len(value) > MAX_ID_LENGTH:
        raise ValueError(f"an id is longer than {MAX_ID_LENGTH} characters")
    return check_unicode(value)


def check_unicode(value: str) -> str:
    """`value` itself when it can be written as UTF-8. Raises ValueError for lone surrogates."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("text that is not valid Unicode (a lone surrogate)") from None
    return value


def new_id() -> str:
    """A time-ordered UUID, version 7 of RFC 9562: 48 bits of milliseconds, then random bits."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 7 << 76
    value = value & ~(0x3 << 62) | 2 << 62
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def look_alike_key(value: str) -> str:
    """Equal for ids that a person may take for one another: case, Unicode form, marks, spaces."""
    folded = unicodedata.normalize("NFKD", value).casefold()
    return "".join(c for c in folded if c.isalnum()) or folded
