"""Any text and any metadata come out as they went in, in every format."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_cli import MemoryScope, Selection, SQLiteMemory, StoredRecord
from agent_memory_cli.jsontext import HIDDEN
from agent_memory_cli.services.export import export
from agent_memory_cli.services.formats import FIELDS, encoded, flat
from agent_memory_cli.services.importing import import_lines

TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(str.strip)
IDS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40).filter(str.strip)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner, max_size=3)
    ),
    max_leaves=8,
)
METADATA = st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), JSON, max_size=3)
TIMES = st.datetimes(datetime(1, 1, 2), datetime(2024, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
RECORDS = st.builds(
    StoredRecord,
    id=IDS,
    scope=st.builds(MemoryScope, user_id=IDS, session_id=st.none() | IDS, agent_id=st.none() | IDS),
    text=TEXT,
    metadata=METADATA,
    created_at=TIMES,
    updated_at=st.none() | TIMES,
    expires_at=st.none() | st.just(datetime(2999, 1, 1, tzinfo=UTC)),
)
MANY = st.lists(RECORDS, max_size=4, unique_by=lambda record: record.id)


def _read(line: dict) -> dict:
    times = ("created_at", "updated_at", "expires_at")
    return {k: datetime.fromisoformat(v) if k in times else v for k, v in line.items()}


@given(MANY)
def test_json_lines_give_back_every_value_on_one_line_each(records):
    for ascii_only in (False, True):
        written = "".join(encoded([records] if records else [], "jsonl", ascii_only=ascii_only))
        lines = written.split("\n")
        assert lines.pop() == ""
        assert [_read(json.loads(line)) for line in lines] == [flat(record) for record in records]
        assert not HIDDEN.search(written.replace("\n", ""))
        assert not ascii_only or written.isascii()


@given(MANY)
def test_json_is_one_document_with_the_count(records):
    batches = [[record] for record in records]
    whole = json.loads("".join(encoded(batches, "json")))
    assert whole["count"] == len(records)
    assert [_read(one) for one in whole["records"]] == [flat(record) for record in records]


@given(MANY)
def test_csv_gives_back_every_value(records):
    written = "".join(encoded([records] if records else [], "csv"))
    rows = list(csv.DictReader(io.StringIO(written, newline="")))
    assert len(rows) == len(records)
    for row, record in zip(rows, records, strict=True):
        wanted = flat(record)
        assert row["text"] == record.text
        for name in ("id", "user_id", "session_id", "agent_id"):
            assert row[name] == (wanted.get(name) or "")
        assert json.loads(row["metadata"] or "{}") == record.metadata
        assert datetime.fromisoformat(row["created_at"]) == record.created_at


@given(records=MANY)
def test_an_export_imported_elsewhere_is_the_same_export(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("two")
    first, second = SQLiteMemory(folder / "a.db"), SQLiteMemory(folder / "b.db")
    everything = Selection(None)
    try:
        if records:
            first.add_sync(records)
        one, two = io.BytesIO(), io.BytesIO()
        if records:
            export(first, everything, one.write)
            one.seek(0)
            assert import_lines(second, one).added == len(records)
            export(second, everything, two.write)
        assert sorted(two.getvalue().split(b"\n")) == sorted(one.getvalue().split(b"\n"))
        found = (
            {r.id: r for batch in second.stream_sync(everything) for r in batch} if records else {}
        )
        assert found == {record.id: record for record in records}
    finally:
        first.close()
        second.close()


def test_what_is_unset_is_left_out_and_the_fields_have_one_order():
    now = datetime(2024, 1, 1, tzinfo=UTC)
    bare = StoredRecord(id="r", scope=MemoryScope(user_id="ann"), text="x", created_at=now)
    assert list(flat(bare)) == ["id", "user_id", "text", "created_at"]
    whole = StoredRecord(
        id="r", scope=MemoryScope(user_id="ann", session_id="s", agent_id="a"), text="x",
        metadata={"a": 1}, created_at=now, updated_at=now, expires_at=now + timedelta(days=1),
    )  # fmt: skip
    assert tuple(flat(whole)) == FIELDS


def test_nothing_selected_is_still_a_whole_document():
    assert "".join(encoded([], "jsonl")) == ""
    assert json.loads("".join(encoded([], "json"))) == {"records": [], "count": 0}
    assert "".join(encoded([], "csv")) == ",".join(FIELDS) + "\r\n"
