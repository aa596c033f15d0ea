from tests.helpers import add


def test_it_shows_everything_that_is_stored(memory, am):
    add(memory, "two\nlines", id="r1", session="s1", metadata={"a": [1]})
    shown = am.ok("get", "r1").out
    assert shown == (
        'id: r1\nuser_id: ann\nsession_id: s1\nmetadata: {"a": [1]}\n'
        "created_at: 2024-06-07T12:00:00Z\n\ntwo\nlines\n"
    )
    data = am.json("get", "r1")
    assert data == {
        "id": "r1", "user_id": "ann", "session_id": "s1", "text": "two\nlines",
        "metadata": {"a": [1]}, "created_at": "2024-06-07T12:00:00Z",
    }  # fmt: skip


def test_a_record_of_another_scope_is_answered_like_one_that_is_not_there(memory, am):
    add(memory, "x", id="r1", session="s1")
    missing = am.failed(3, "get", "nosuch", "--user", "ann")
    for scope in (["--user", "bob"], ["--user", "ann", "--session", "s2"], ["--session", "s1"]):
        assert am.failed(3, "get", "r1", *scope) == missing
    am.ok("get", "r1", "--user", "ann", "--session", "s1")
