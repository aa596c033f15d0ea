"""Case 28: an export file is its owner's, whole or not there, and replaces nothing unasked."""

import contextlib
import os
import signal
import subprocess

import pytest

from tests.cli.runner import Tool, start
from tests.helpers import add, record, small_disk


@pytest.fixture
def stored(memory):
    add(memory, "likes tea", user="ann")
    memory.add_sync([record(f"{n} " + "filler " * 300, "bob") for n in range(3000)])


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def _mode(path) -> int:
    return path.stat().st_mode & 0o777


def test_files_are_the_owners_only_under_any_umask(stored, am, folder):
    umask = {"preexec_fn": lambda: os.umask(0o022)}
    out = folder / "e.jsonl"
    am.ok("export", "--user", "ann", "--out", out, "--manifest", **umask)
    am.ok("export", "--all", "--out-dir", folder / "each", **umask)
    am.ok("add", "x", "--user", "ann", "--events-file", folder / "events", **umask)
    am.ok("add", "x", "--user", "ann", "--db", folder / "new.db", **umask)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) >= 6
    assert {_mode(path) for path in files} == {0o600}
    assert {_mode(path) for path in am.path.parent.iterdir()} == {0o600}
    assert _mode(folder / "each") == 0o700


def test_nothing_is_replaced_without_being_asked(stored, am, folder):
    out = folder / "e.jsonl"
    out.write_text("older")
    out.chmod(0o644)
    assert "--force" in am.failed(4, "export", "--user", "ann", "--out", out)
    assert (out.read_text(), _mode(out)) == ("older", 0o644)
    am.ok("export", "--user", "ann", "--out", out, "--force")
    assert ("likes tea" in out.read_text(), _mode(out)) == (True, 0o600)
    assert list(folder.iterdir()) == [out]


def test_a_planted_link_is_not_followed(stored, am, folder):
    victim = folder / "victim"
    victim.write_text("mine")
    for target in (victim, folder / "not there"):
        link = folder / "l.jsonl"
        link.symlink_to(target)
        am.failed(4, "export", "--user", "ann", "--out", link)
        am.ok("export", "--user", "ann", "--out", link, "--force")
        assert not link.is_symlink()
        link.unlink()
    assert victim.read_text() == "mine"
    assert not (folder / "not there").exists()


def test_a_place_that_is_no_file_is_one_clear_line(stored, am, folder):
    before = am.path.read_bytes()
    for code, out in (
        (1, "/dev/full"), (1, "/dev/null"), (1, folder), (1, folder / "no" / "such" / "x"),
        (4, am.path), (4, am.path.with_name("m.db-wal")), (4, folder.parent / "out" / ".." / "store" / "m.db"),
    ):  # fmt: skip
        message = am.failed(code, "export", "--user", "ann", "--out", out, "--force")
        assert message.count("\n") == 1, message
    linked = folder / "hard"
    linked.hardlink_to(am.path)
    am.failed(4, "export", "--user", "ann", "--out", linked, "--force")
    assert am.path.read_bytes() == before
    assert list(folder.iterdir()) == [linked]


def test_out_dir_that_is_a_file_is_one_clear_line(stored, am, folder):
    (folder / "file").write_text("")
    assert am.failed(1, "export", "--all", "--out-dir", folder / "file").count("\n") == 1
    assert am.failed(2, "export", "--all", "--out-dir", folder, "--out", "x").count("\n") == 1


def test_killed_in_the_middle_it_leaves_no_part_and_the_older_file(stored, am, folder):
    out = folder / "e.jsonl"
    out.write_text("older")
    for wait in (0.15, 0.2, 0.25):
        process = start("--db", am.path, "export", "--all", "--out", out, "--force")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=wait)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert list(folder.iterdir()) == [out]
        assert out.read_text() == "older" or out.read_text().count("\n") == 3001


def test_a_full_disk_keeps_the_older_export_and_leaves_no_part(stored, am, folder):
    with small_disk(folder, "1m"):
        out = folder / "e.jsonl"
        am.ok("export", "--user", "ann", "--out", out)
        good = out.read_bytes()
        message = am.failed(1, "export", "--all", "--out", out, "--force")
        assert "No space left" in message
        assert message.count("\n") == 1
        assert out.read_bytes() == good
        assert list(folder.iterdir()) == [out]
        assert Tool(am.path).texts("ann") == ["likes tea"]
