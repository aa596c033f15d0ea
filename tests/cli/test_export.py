import csv
import hashlib
import io
import json

import pytest

from tests.helpers import add


@pytest.fixture
def stored(memory, clock):
    add(memory, 'first, "quoted"\nline', session="s1", metadata={"src": "chat"}, id="r1")
    clock.forward(days=1)
    add(memory, "second", agent="a1", id="r2")
    add(memory, "of bob", user="bob", id="r3")


def test_the_formats_hold_the_same_records_oldest_first(stored, am):
    lines = [json.loads(line) for line in am.ok("export", "--user", "ann").lines]
    whole = json.loads(am.ok("export", "--user", "ann", "--format", "json").stdout)
    assert whole == {"records": lines, "count": 2}
    assert am.json("export", "--user", "ann")["records"] == lines
    assert lines[0] == {
        "id": "r1", "user_id": "ann", "session_id": "s1", "text": 'first, "quoted"\nline',
        "metadata": {"src": "chat"}, "created_at": "2024-06-07T12:00:00Z",
    }  # fmt: skip
    table = am.ok("export", "--user", "ann", "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert table.startswith("id,user_id,session_id,agent_id,text,metadata,created_at,")
    assert [row["text"] for row in rows] == [line["text"] for line in lines]
    assert json.loads(rows[0]["metadata"]) == {"src": "chat"}
    assert rows[1]["metadata"] == ""


def test_a_file_with_its_manifest_proves_what_it_holds(stored, am, tmp_path):
    out = tmp_path / "ann.jsonl"
    data = am.json("export", "--user", "ann", "--out", out, "--manifest")
    told = json.loads((tmp_path / "ann.jsonl.manifest.json").read_text())
    assert told["count"] == data["files"][0]["count"] == 2
    assert told["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert told["size"] == out.stat().st_size
    assert (told["first"], told["last"]) == ("2024-06-07T12:00:00Z", "2024-06-08T12:00:00Z")
    assert "ann" not in json.dumps(told)


def test_a_window_and_filters_narrow_it(stored, am):
    assert len(am.ok("export", "--user", "ann", "--since", "2024-06-08").lines) == 1
    assert len(am.ok("export", "--all", "--until", "2024-06-08").lines) == 1
    assert len(am.ok("export", "--all", "--filter", "src=chat").lines) == 1
    assert len(am.ok("export", "--user", "ann", "--agent", "a1").lines) == 1


def test_a_file_per_user_needs_a_user_for_each_record(stored, memory, am, tmp_path):
    data = am.json("export", "--all", "--out-dir", tmp_path / "o", "--format", "csv", "--manifest")
    assert [file["count"] for file in data["files"]] == [2, 1]
    assert len(list((tmp_path / "o").iterdir())) == 4
    add(memory, "of nobody", user=None, session="s")
    assert "--out FILE" in am.failed(2, "export", "--all", "--out-dir", tmp_path / "p")
    assert len(am.json("export", "--all")["records"]) == 4


def test_a_format_that_the_envelope_cannot_hold_is_refused_and_not_ignored(stored, am, tmp_path):
    refused = am("export", "--all", "--json", "--format", "csv")
    assert (refused.code, refused.json["errors"][0]["hint"]) == (2, "give --out")
    am.json("export", "--all", "--format", "csv", "--out", tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_text().startswith("id,")


def test_what_contradicts_itself_is_refused(stored, am, tmp_path):
    for options in (
        [], ["--all", "--user", "ann"], ["--all", "--manifest"], ["--all", "--format", "xml"],
        ["--all", "--out", "a", "--out-dir", "b"],
    ):  # fmt: skip
        am.failed(2, "export", *options, cwd=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"home", "store"}


def test_a_failure_in_the_middle_still_gives_one_json_document(stored, am):
    from tests.helpers import looking_into

    with looking_into(am.path) as connection:
        connection.execute("UPDATE record SET metadata = '{broken' WHERE id = 'r2'")
    result = am("export", "--user", "ann", "--json")
    assert result.code != 0
    assert result.json["status"] != "ok"
