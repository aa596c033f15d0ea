import json

from tests.cli.runner import run


def test_it_prints_the_id_and_stores_everything_that_was_given(am):
    added = am.ok(
        "add", "likes tea", "--user", "ann", "--session", "s1", "--agent", "a1", "--meta", "src=chat",
        "--meta", "empty=", "--meta-json", '{"n": [1, null, {"deep": true}]}', "--expires-at", "2999-01-01",
    )  # fmt: skip
    record = am.json("get", added.lines[0])
    assert added.out == record["id"] + "\n"
    assert record["metadata"] == {"src": "chat", "empty": "", "n": [1, None, {"deep": True}]}
    assert record["expires_at"] == "2999-01-01T00:00:00Z"
    assert (record["user_id"], record["session_id"], record["agent_id"]) == ("ann", "s1", "a1")


def test_an_id_of_ones_own_is_unique_in_the_store(am):
    assert am.ok("add", "one", "--user", "ann", "--id", "r1").out == "r1\n"
    for text, user in (("two", "ann"), ("two", "bob")):
        am.failed(2, "add", text, "--user", user, "--id", "r1")
    assert am.texts("ann") == ["one"]


def test_text_comes_from_standard_input_or_a_file_exactly(am, tmp_path):
    file = tmp_path / "text"
    text = "line one\r\n  line two\t\u2028é"
    for data in (text, text + "\n", "\ufeff" + text + "\r\n"):
        file.write_bytes(data.encode())
        am.ok("add", "-", "--user", "ann", stdin=data)
        am.ok("add", "--file", file, "--user", "ann")
    assert am.texts("ann") == [text] * 6


def test_an_expiry_in_the_past_or_far_away_is_told_apart(am):
    am.ok("add", "later", "--user", "ann", "--expires-in", "1.5h")
    assert am.texts("ann") == ["later"]
    am.failed(2, "add", "x", "--user", "ann", "--expires-in", "9000y")
    am.failed(2, "add", "x", "--user", "ann", "--expires-in", "1d", "--expires-at", "2999-01-01")


def test_input_that_cannot_be_meant_is_refused_and_makes_no_store(am, tmp_path):
    latin = tmp_path / "latin"
    latin.write_bytes("é".encode("latin-1"))
    for arguments in (
        [], [""], [" \n"], ["x", "--file", "y"], ["--file", tmp_path / "missing"], ["--file", tmp_path],
        ["--file", latin], [b"\xff"], ["x", "--meta", "novalue"], ["x", "--meta", "=v"],
        ["x", "--meta", "a=1", "--meta", "a=2"], ["x", "--meta", "a=1", "--meta-json", '{"a": 1}'],
        ["x", "--meta-json", "[]"], ["x", "--meta-json", "{"], ["x", "--meta-json", '{"a": NaN}'],
        ["x", "--meta-json", "[" * 100_000], ["x", "--expires-in", "soon"], ["x", "--expires-at", "soon"],
    ):  # fmt: skip
        message = am.failed(2, "add", "--user", "ann", *arguments)
        assert message.count("\n") == 1
    assert not am.path.exists()


def test_the_default_store_is_made_with_its_folder_for_the_owner_only(tmp_path):
    assert run("add", "x", "--user", "ann").code == 0
    folder = tmp_path / "home" / "data" / "agent-memory"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    assert json.loads(run("config", "--json").out)["data"]["settings"]["db"] == {
        "value": str(folder / "memory.db"),
        "source": "default",
    }
