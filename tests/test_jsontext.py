import json
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_cli.jsontext import HIDDEN, harmless, to_text

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES, st.booleans())
def test_it_is_one_harmless_line_that_gives_back_the_value(value, ascii_only):
    text = to_text(value, ascii_only=ascii_only)
    assert json.loads(text) == value
    assert not HIDDEN.search(text)
    assert not ascii_only or text.isascii()


def test_hidden_characters_stand_as_escapes_and_others_as_they_are():
    assert to_text("a\u202e\x1b\x7f\u200b\U000e0041\n") == (
        '"a\\u202e\\u001b\\u007f\\u200b\\udb40\\udc41\\n"'
    )
    assert to_text("é שלום 東京 🙂") == '"é שלום 東京 🙂"'
    assert to_text("é🙂", ascii_only=True) == '"\\u00e9\\ud83d\\ude42"'
    assert harmless('"\x7f"') == '"\\u007f"'


def test_every_character_that_hides_or_turns_text_is_known():
    import unicodedata

    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) in ("Cc", "Zl", "Zp") or unicodedata.bidirectional(
            character
        ) in ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"):
            assert HIDDEN.match(character), hex(code)


def test_times_sets_and_dataclasses_are_written_and_nothing_else():
    @dataclass
    class Pair:
        at: datetime
        names: set[str]

    at = datetime(2024, 1, 1, tzinfo=UTC)
    assert to_text(Pair(at, {"b", "a"})) == '{"at": "2024-01-01T00:00:00Z", "names": ["a", "b"]}'
    for value in (object(), Pair, b"x", 1j):
        with pytest.raises(TypeError):
            to_text(value)
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON"):
            to_text(number)
