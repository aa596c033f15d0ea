"""The look for deleted values in the bytes of files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_cli.backends.sqlite import residue
from agent_memory_cli.backends.sqlite.residue import MIN_BYTES, Pieces


def left(tmp_path, values, content: bytes, alive=()) -> int:
    file = tmp_path / "some.file"
    file.write_bytes(content)
    pieces = Pieces()
    for value in values:
        pieces.add(value)
    return pieces.left_in([file], alive)


@given(
    values=st.lists(st.text(min_size=8, max_size=200), min_size=1, max_size=8),
    before=st.binary(max_size=100),
    after=st.binary(max_size=100),
)
def test_any_value_is_found_wherever_it_stands(tmp_path, values, before, after):
    for value in values:
        assert left(tmp_path, values, before + value.encode() + after) > 0


@pytest.mark.parametrize("kept", ["beginning", "middle", "end"])
def test_a_long_value_is_found_by_a_part_of_it(tmp_path, kept):
    value = "".join(f"word{n} " for n in range(60))
    half = len(value) // 2
    part = {"beginning": value[:40], "middle": value[half : half + 40], "end": value[-40:]}[kept]
    assert left(tmp_path, [value], b"\0" * 50 + part.encode() + b"\0" * 50) == 1


def test_a_value_across_two_chunks_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(residue, "_CHUNK", 64)
    value = "a value of some forty bytes, and no more"
    for start in range(64):
        assert left(tmp_path, [value], b"." * start + value.encode() + b"." * 64) == 1


def test_values_that_begin_alike_are_told_apart(tmp_path):
    ids = [f"01a22f73-a0db-7024-a6e2-{n:012}" for n in range(500)]
    assert left(tmp_path, ids, "\0".join(ids[:3]).encode()) == 3


def test_what_is_not_there_is_not_found(tmp_path):
    assert left(tmp_path, ["likes tea with milk"], b"likes tea with honey" * 9) == 0


def test_what_a_live_row_holds_is_no_residue(tmp_path):
    values = ["likes tea with milk", "lives in Lisbon"]
    content = "\0".join(values).encode()
    assert left(tmp_path, values, content, alive=[b"ben likes tea with milk"]) == 1


def test_short_values_are_counted_and_not_looked_for(tmp_path):
    pieces = Pieces()
    pieces.add("x" * (MIN_BYTES - 1))
    pieces.add(None)
    assert (pieces.values, pieces.too_short) == (0, 1)
