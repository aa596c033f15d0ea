import io
import json

import pytest

from agent_memory_cli import SQLiteMemory
from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.services import importing
from agent_memory_cli.services.importing import BATCH, import_lines
from tests.cli.runner import jsonl
from tests.helpers import add, texts


def _imported(memory, data: bytes, **options):
    return import_lines(memory, io.BytesIO(data), **options)


def test_more_than_a_batch_is_imported_whole(memory, ann):
    count = 2 * BATCH + 1
    outcome = _imported(memory, jsonl(*({"user": "ann", "text": f"n{n}"} for n in range(count))))
    assert (outcome.added, outcome.unchanged, outcome.skipped) == (count, 0, ())
    assert sorted(texts(memory, ann)) == sorted(f"n{n}" for n in range(count))


def test_a_fault_in_the_last_line_leaves_nothing(memory, path):
    data = jsonl(*({"user": "ann", "text": f"n{n}"} for n in range(BATCH + 1))) + b"nonsense"
    with pytest.raises(ToolUsageError) as raised:
        _imported(memory, data)
    assert raised.value.details[0].startswith(f"line {BATCH + 2}: ")
    assert not path.exists()


def test_many_faults_are_counted_and_the_first_ones_named(memory):
    with pytest.raises(ToolUsageError) as raised:
        _imported(memory, b"nonsense\n" * 50)
    assert raised.value.message.startswith("50 lines")
    assert len(raised.value.details) == 21
    assert raised.value.details[-1] == "and 30 more"


def test_equal_lines_without_ids_are_kept_apart_and_known_again(memory, ann):
    data = jsonl(*[{"user": "ann", "text": "same"}] * 3)
    assert _imported(memory, data).added == 3
    again = _imported(memory, data)
    assert (again.added, again.unchanged) == (0, 3)
    more = _imported(memory, data + jsonl({"user": "ann", "text": "same"}))
    assert (more.added, more.unchanged) == (1, 3)
    assert texts(memory, ann) == ["same"] * 4


def test_lines_that_differ_in_anything_are_different_records(memory, ann):
    base = {"user": "ann", "text": "same"}
    lines = jsonl(
        base, base | {"session": "s"}, base | {"agent": "s"}, base | {"metadata": {"a": 1}},
        base | {"metadata": {"a": True}}, base | {"created_at": "2020-01-01"}, base | {"text": "Same"},
    )  # fmt: skip
    assert _imported(memory, lines).added == 7
    assert _imported(memory, lines).unchanged == 7


def test_the_order_of_keys_and_other_names_make_no_difference(memory):
    _imported(memory, jsonl({"user_id": "ann", "text": "x", "metadata": {"a": 1, "b": 2}}))
    same = jsonl({"metadata": {"a": 1, "b": 2}, "memory": "x", "user": "ann", "agent": None})
    assert _imported(memory, same).unchanged == 1


def test_an_id_that_is_taken_by_something_else_is_a_fault(memory, ann):
    add(memory, "one", id="r1")
    lines = jsonl({"user": "ann", "text": "two"}, {"user": "ann", "text": "other", "id": "r1"})
    with pytest.raises(ToolUsageError) as raised:
        _imported(memory, lines)
    assert raised.value.details == ("line 2: another record is stored under the same id",)
    outcome = _imported(memory, lines, skip_invalid=True)
    assert (outcome.added, [fault.line for fault in outcome.skipped]) == (1, [2])
    assert sorted(texts(memory, ann)) == ["one", "two"]


def test_no_reason_holds_a_value_of_the_line(memory):
    lines = [
        {"user": "ann", "text": "x", "created_at": "zqxcanary"},
        {"user": "ann", "text": "x", "zqxcanary": 1},
        {"user": ["zqxcanary"], "text": "x"},
        {"user": "ann", "text": ["zqxcanary"]},
        {"user": "ann", "text": "x", "metadata": ["zqxcanary"]},
        {"user": "zqxcanary" * 60, "text": "x"},
    ]
    data = jsonl(*lines) + b'{"user":"ann","text":"zqxcanary'
    outcome = _imported(memory, data, skip_invalid=True)
    assert len(outcome.skipped) == 7
    assert "zqxcanary" not in str(outcome)


def test_progress_counts_the_bytes_of_both_readings(memory):
    data = jsonl(*({"user": "ann", "text": f"n{n}"} for n in range(10)))
    seen: list[int] = []
    _imported(memory, data, progress=seen.append)
    assert sum(seen) == 2 * len(data)


def test_numbers_are_kept_as_they_are(memory, ann):
    numbers = {"big": 2**63, "float": 0.1, "exp": 1e300, "zero": -0.0, "nested": [1, 1.0]}
    _imported(memory, jsonl({"user": "ann", "text": "x", "metadata": numbers}))
    stored = memory.export_sync(ann)[0].metadata
    assert json.dumps(stored) == json.dumps(numbers)


def test_a_file_is_known_again_under_another_retention(memory, path, clock, ann):
    data = jsonl({"user": "ann", "text": "x", "created_at": "2024-06-01"})
    _imported(memory, data)
    for days in (365, 900, None):
        other = SQLiteMemory(path, retention_days=days, clock=clock)
        outcome = _imported(other, data)
        assert (outcome.added, outcome.unchanged) == (0, 1)


def test_another_expiry_under_the_same_id_is_another_record(memory):
    line = {"id": "1", "user": "ann", "text": "x", "created_at": "2024-06-01"}
    _imported(memory, jsonl(line | {"expires_at": "2999-01-01"}))
    with pytest.raises(ToolUsageError):
        _imported(memory, jsonl(line | {"expires_at": "2999-01-02"}))


def test_a_line_without_end_is_refused_in_bounded_memory(memory, path, monkeypatch):
    monkeypatch.setattr(importing, "MAX_LINE", 1 << 20)
    with pytest.raises(ToolUsageError, match="line 2 is longer than 1 MB"):
        _imported(memory, b'{"user":"ann","text":"x"}\n' + b" " * (1 << 21))
    assert not path.exists()


class Changing(io.BytesIO):
    """An input that somebody writes to between the two readings."""

    def seek(self, *place: int) -> int:
        with self.getbuffer() as whole:
            whole[-8:] = b"nonsense"
        return super().seek(*place)


def test_a_fault_that_comes_between_the_two_readings_leaves_nothing(memory, ann):
    data = jsonl({"user": "ann", "text": "one"}, {"user": "ann", "text": "two"})
    with pytest.raises(ToolUsageError, match="nothing was"):
        import_lines(memory, Changing(data))
    assert texts(memory, ann) == []
