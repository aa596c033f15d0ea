import os

from tests.cli.runner import jsonl, run


def test_a_pipe_a_file_and_a_redirected_file_are_read_alike(am, tmp_path):
    file = tmp_path / "f.jsonl"
    file.write_bytes(jsonl({"user": "ann", "text": "one"}, {"user": "ann", "text": "two"}))
    assert am.ok("import", file).out == "imported 2\n"
    with file.open("rb") as redirected:
        assert am.ok("import", "-", stdin=redirected).out == "imported 0, 2 were there already\n"
    assert am.ok("import", "-", stdin=file.read_bytes()).out == "imported 0, 2 were there already\n"
    assert am.ok("import", "/dev/stdin", stdin=file.read_bytes()).code == 0


def test_a_redirected_file_is_read_from_where_it_stands(am, tmp_path):
    file = tmp_path / "f.jsonl"
    file.write_bytes(b"a heading\n" + jsonl({"user": "ann", "text": "one"}))
    with file.open("rb") as redirected:
        os.lseek(redirected.fileno(), len(b"a heading\n"), os.SEEK_SET)
        assert am.ok("import", "-", stdin=redirected).out == "imported 1\n"


def test_what_is_skipped_is_said_by_line(am):
    lines = b'{"user":"ann","text":"one"}\nnonsense\n{"user":"ann"}\n'
    skipped = am.ok("import", "-", "--skip-invalid", stdin=lines)
    assert skipped.out == "imported 1, 2 skipped\n"
    assert [line.split(":")[0] for line in skipped.err.split("\n")[:-1]] == ["line 2", "line 3"]


def test_a_progress_bar_is_shown_at_a_terminal_and_nowhere_else(am, tmp_path):
    file = tmp_path / "f.jsonl"
    file.write_bytes(jsonl(*({"user": "ann", "text": f"n{n}"} for n in range(3000))))
    assert "importing" in am.at_terminal("import", file).out
    assert am.ok("import", file).err == ""
    assert "importing" not in am.at_terminal("import", file, "--quiet").out
    assert am.at_terminal("import", file, "--json").data["unchanged"] == 3000


def test_an_export_of_all_goes_into_another_store_unchanged(am, tmp_path):
    am.ok("import", "-", stdin=jsonl(
        {"user": "ann", "session": "s", "agent": "a", "text": "é\u2028", "metadata": {"a": [1.5, None]}},
        {"session": "s", "text": "x", "created_at": "2020-01-01T00:00:00.000001Z", "expires_at": "2999-01-01"},
        {"user": "bob", "text": "y", "updated_at": "2021-01-01", "id": "r\n1"},
    ))  # fmt: skip
    exported = am.ok("export", "--all").stdout
    other = tmp_path / "other.db"
    run("--db", other, "import", "-", stdin=exported)
    assert sorted(run("--db", other, "export", "--all").lines) == sorted(
        exported.decode().split("\n")[:-1]
    )


def test_what_is_past_due_is_not_kept(am):
    lines = jsonl({"user": "ann", "text": "x", "expires_at": "2020-01-01"})
    am.ok("import", "-", stdin=lines)
    assert am.texts("ann") == []
