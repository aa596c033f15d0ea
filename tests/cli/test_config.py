import json

from tests.cli.runner import run


def test_it_shows_each_value_and_where_it_came_from(tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('db = "~/f.db"\nretention_days = 30\nbusy_timeout = 1.5\n')
    shown = run(
        "config", "--config", file, "--db", "o.db", "--json",
        env={"AGENT_MEMORY_BUSY_TIMEOUT": "2", "AGENT_MEMORY_DB": "e.db"},
    ).data  # fmt: skip
    assert shown["file"] == str(file)
    assert shown["settings"] == {
        "db": {"value": "o.db", "source": "option"},
        "backend": {"value": "sqlite", "source": "default"},
        "retention_days": {"value": 30.0, "source": "file"},
        "busy_timeout": {"value": 2.0, "source": "environment"},
        "events_file": {"value": None, "source": "default"},
    }
    piped = run("config", "--config", file)
    assert f"db\t{tmp_path / 'home'}/f.db\tfile" in piped.lines
    assert str(file) in piped.err


def test_a_setting_that_cannot_be_used_is_named_with_its_place(tmp_path):
    file = tmp_path / "c.toml"
    for content, named in (
        ("busy_timeout = 'soon'", "busy_timeout"), ("dbb = 'x'", "dbb"), ("db = 5", "db"),
        ("= x", "TOML"), ("retention_days = -1", "retention_days"), ("retention_days = true", "ret"),
    ):  # fmt: skip
        file.write_text(content)
        result = run("config", "--config", file)
        assert (result.code, result.out) == (2, "")
        assert named in result.err
    bad = run("config", env={"AGENT_MEMORY_RETENTION_DAYS": "nan"})
    assert bad.code == 2
    assert "AGENT_MEMORY_RETENTION_DAYS" in bad.err


def test_events_are_appended_for_the_owner_only_without_ids_or_texts(am, tmp_path):
    file = tmp_path / "events.jsonl"
    for command in (
        ["add", "likes zqxtea", "--user", "zqxann"],
        ["search", "zqxtea", "--user", "zqxann"],
    ):
        am.ok(*command, "--events-file", file)
    events = [json.loads(line) for line in file.read_text().split("\n")[:-1]]
    assert {"memory.added", "memory.searched"} <= {event["event"] for event in events}
    assert "zqx" not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    shown = am.ok("search", "zqxtea", "--user", "zqxann", "--events")
    assert "memory.searched" in shown.err
    assert "zqx" not in shown.err
