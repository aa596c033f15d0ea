"""Case 25: JSON lines as people really have them."""

import json

from tests.cli.runner import jsonl

FIELD = (
    b'\xef\xbb\xbf{"user":"ann","text":"one"}\r\n\r\n'
    b'{"user":"ann","text":"two\xe2\x80\xa8lines\xc2\x85x"}\r\n'
    b'{"user":"ann","text":"three"}'
)
TEXTS = ["one", "two\u2028lines\u0085x", "three"]


def test_bom_crlf_blank_lines_and_unicode_line_ends_are_all_taken(am, tmp_path):
    file = tmp_path / "f.jsonl"
    file.write_bytes(FIELD)
    assert am.json("import", file) == {"added": 3, "unchanged": 0, "skipped": []}
    assert am.texts("ann")[::-1] == TEXTS
    again = am.ok("import", "-", stdin=FIELD)
    assert again.out == "imported 0, 3 were there already\n"
    assert am.texts("ann")[::-1] == TEXTS


def test_what_was_imported_comes_out_and_goes_in_again_unchanged(am, tmp_path):
    am.ok("import", "-", stdin=FIELD)
    exported = am.ok("export", "--user", "ann").stdout
    assert [json.loads(line)["text"] for line in exported.splitlines()] == TEXTS
    other = ("--db", tmp_path / "other.db")
    am.ok("import", "-", *other, stdin=exported)
    assert am.ok("export", "--user", "ann", *other).stdout == exported


def test_a_broken_line_is_named_by_its_physical_number_and_nothing_is_imported(am):
    broken = FIELD.replace(b'{"user":"ann","text":"two', b'{"user":"ann","text:"two')
    message = am.failed(2, "import", "-", stdin=broken)
    assert message.split("\n")[1].startswith("  line 3: is not JSON")
    assert not am.path.exists()
    skipped = am.json("import", "-", "--skip-invalid", stdin=broken)
    assert (skipped["added"], [fault["line"] for fault in skipped["skipped"]]) == (2, [3])


def test_every_kind_of_bad_line_is_named_and_none_is_imported(am):
    good = b'{"user":"ann","text":"good"}\n'
    bad = (
        b"[]", b"null", b'"text"', b"1", b"{}", b'{"user":"ann"}', b'{"text":"x"}', b"{", b"}",
        b'{"user":"ann","text":""}', b'{"user":"ann","text":" \\t"}', b'{"user":"ann","text":1}',
        b'{"user":"ann","text":null}', b'{"user":1,"text":"x"}', b'{"user":["ann"],"text":"x"}',
        b'{"user":"ann","text":"\\ud800"}', b'{"user":"ann","text":"x","metadata":[]}',
        b'{"user":"ann","text":"x","metadata":{"a":NaN}}', b'{"user":"ann","text":"\xff"}',
        b'{"user":"ann","text":"x","metadata":{"a":1e999}}', b'{"user":"ann","text":"x"} x',
        b'{"user":"ann","text":"x","created_at":5}', b'{"user":"ann","text":"x","what":1}',
        b'{"user":"ann","text":"x","created_at":"soon"}', b"[" * 100_000,
        b'{"user":"ann","user_id":"bob","text":"x"}', b'{"user":"ann","text":"x","memory":"y"}',
        b'{"a":' * 50_000, b'{"user":"ann","text":"x","metadata":{"a":' + b"1" * 5000 + b"}}",
        b"\x00", '{"user":"ann","text":"x"}'.encode("utf-16"),
    )  # fmt: skip
    lines = b"".join(good + line + b"\n" for line in bad)
    message = am.failed(2, "import", "-", stdin=lines)
    assert message.startswith("error: ")
    assert "and " in message.split("\n")[-2]
    data = am.json("import", "-", "--skip-invalid", stdin=lines)
    assert data["added"] == len(bad)
    named = {fault["line"] for fault in data["skipped"]}
    assert {2 * n + 2 for n in range(len(bad))} <= named
    assert all(fault["reason"].isprintable() for fault in data["skipped"])


def test_a_line_of_50_mb_is_taken(am):
    text = "long" * 12_500_000
    assert am.json("import", "-", stdin=jsonl({"user": "ann", "text": text}))["added"] == 1
    assert json.loads(am.ok("export", "--user", "ann").stdout)["text"] == text


def test_empty_input_imports_nothing_and_is_no_error(am):
    for nothing in (b"", b"\n\r\n  \n", b"\xef\xbb\xbf"):
        assert am.ok("import", "-", stdin=nothing).out == "imported 0\n"


def test_what_is_no_file_of_lines_is_one_clear_error(am, tmp_path):
    assert "Is a directory" in am.failed(2, "import", tmp_path)
    assert "No such file" in am.failed(2, "import", tmp_path / "missing.jsonl")
    utf16 = tmp_path / "utf16.jsonl"
    utf16.write_text('{"user":"ann","text":"one"}\n', encoding="utf-16")
    assert "line 1: is not UTF-8" in am.failed(2, "import", utf16)
    array = tmp_path / "array.json"
    array.write_text('[{"user":"ann","text":"one"}]')
    assert "line 1: is not a JSON object" in am.failed(2, "import", array)


def test_the_names_that_other_systems_use_are_understood(am):
    lines = jsonl(
        {"memory": "by mem0", "user_id": "ann", "run_id": "s", "agent_id": "a", "id": "m1"},
        {"content": "by another", "user": "ann", "session": "s", "agent": "a", "metadata": None},
    )
    assert am.json("import", "-", stdin=lines)["added"] == 2
    records = am.json("export", "--user", "ann", "--session", "s", "--agent", "a")["records"]
    assert {record["text"] for record in records} == {"by mem0", "by another"}


def test_an_id_that_is_taken_is_named_by_line(am):
    am.ok("add", "first", "--user", "ann", "--id", "r1")
    lines = jsonl({"user": "bob", "text": "y"}, {"user": "bob", "text": "x", "id": "r1"})
    message = am.failed(2, "import", "-", stdin=lines)
    assert "line 2: another record is stored under the same id" in message
    assert am.texts("bob") == []
    assert am.json("import", "-", "--skip-invalid", stdin=lines)["added"] == 1
    twice = jsonl(*({"user": "cem", "text": text, "id": "r2"} for text in "ab"))
    assert "line 2: " in am.failed(2, "import", "-", stdin=twice)
    assert am.texts("ann") == ["first"]
