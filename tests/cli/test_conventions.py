"""What holds for every command alike."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_memory_cli.cli.app import COMMANDS
from tests.cli.runner import COMMAND, at_terminal, run, start
from tests.helpers import add

FULL = Path("/dev/full")
NAMES = [name for panel in COMMANDS.values() for name in panel]
# A run of every command that works on a store with one record of ann, `r1`.
WORKING = {
    "add": ["add", "more", "--user", "ann"],
    "search": ["search", "tea", "--user", "ann"],
    "list": ["list", "--user", "ann"],
    "get": ["get", "r1"],
    "delete": ["delete", "r1", "--yes"],
    "users": ["users"],
    "export": ["export", "--user", "ann"],
    "verify-export": ["verify-export", "e.jsonl"],
    "erase-user": ["erase-user", "ann", "--yes"],
    "import": ["import", "-"],
    "purge": ["purge", "--yes"],
    "doctor": ["doctor"],
    "config": ["config"],
    "completion": ["completion", "bash"],
}


@pytest.fixture
def stored(memory, am, path):
    add(memory, "likes tea", user="ann", id="r1")
    am.ok("export", "--all", "--out", path.with_name("e.jsonl"), "--manifest")
    return path


def test_each_command_has_a_working_example_here():
    assert sorted(WORKING) == sorted(NAMES)


def test_every_command_gives_one_envelope(stored, am):
    for name, command in sorted(WORKING.items(), key=lambda item: item[0] == "erase-user"):
        document = am.ok(*command, "--json", cwd=stored.parent).json
        assert document["schema"] == "agent-memory/1"
        assert (document["command"], document["status"], document["errors"]) == (name, "ok", [])
        assert document["data"] is not None
        if name == "delete":
            am.ok("add", "likes tea", "--user", "ann", "--id", "r1")


def test_failures_give_one_envelope_whenever_they_happen(am):
    for arguments, command, code, kind in (
        (["--json"], None, 2, "usage"),
        (["--json", "no-such"], None, 2, "usage"),
        (["no-such", "--json"], None, 2, "usage"),
        (["--json", "list", "--no-such"], "list", 2, "usage"),
        (["--no-such", "--json"], None, 2, "usage"),
        (["list", "--json"], "list", 2, "usage"),
        (["get", "--json"], "get", 2, "usage"),
        (["list", "--all", "--json", "--busy-timeout", "soon"], "list", 2, "usage"),
        (["list", "--all", "--json", "--config", "/no/such"], "list", 2, "config"),
        (["list", "--all", "--json", "--backend", "zep9"], "list", 2, "config"),
        (["list", "--all", "--json"], "list", 3, "not-found"),
        (["list", "--all", "--json", "--db", "/etc/passwd"], "list", 5, "store-format"),
        (["list", "--all", "--json", "--events-file", "/no/such/x"], "list", 2, "config"),
        (["verify-export", "/no/such", "--json"], "verify-export", 3, "not-found"),
        (["completion", "tcsh", "--json"], "completion", 2, "usage"),
    ):
        result = am(*arguments)
        document = result.json
        assert (document["command"], document["exit_code"]) == (command, code), arguments
        assert document["status"] == kind
        assert document["data"] is None
        (error,) = document["errors"]
        assert error.keys() == {"code", "message", "hint", "details"}
        assert error["code"] == kind
        assert result.err == ""


def test_common_options_hold_before_and_after_the_command(stored):
    db = ("--db", stored)
    for arguments in (
        ["list", "--user", "ann", *db, "--json"],
        [*db, "--json", "list", "--user", "ann"],
        ["--json", "list", *db, "--user", "ann"],
        ["--db", "/no/such", "list", "--user", "ann", *db, "--json", "--quiet"],
    ):
        assert run(*arguments).data["total"] == 1, arguments
    assert b"likes tea" in run("list", "--user", "ann", *db, "--no-color", "-q", "-v").stdout


def test_every_command_has_help_at_any_width_and_encoding():
    whole = run("--help")
    assert (whole.code, whole.err) == (0, "")
    for name in NAMES:
        assert name in whole.out
    for name in ("add", "export", "doctor"):
        page = run(name, "--help", env={"COLUMNS": "20", "PYTHONIOENCODING": "ascii"})
        assert (page.code, page.err) == (0, "")
        assert name in page.out
    bare = run()
    assert (bare.code, bare.stdout) == (2, b"")
    assert bare.err.startswith("error: ")


def test_both_names_and_the_module_are_the_same_command():
    wanted = run("--version")
    assert wanted.out.startswith("agent-memory ")
    assert run("--version", command=COMMAND.with_name("agent-memory-admin")).out == wanted.out
    python = Path(sys.executable)
    assert run("-m", "agent_memory_cli", "--version", command=python).out == wanted.out


def test_errors_are_one_line_without_what_was_stored(stored, am):
    for command in (
        ["get", "nosuch"], ["list"], ["search", "x"], ["export"], ["erase-user", "nosuch", "--yes"],
        ["add", "x", "--user", "ann", "--id", "r1"], ["search", "x", "--user", "ann", "-k", "0"],
        ["list", "--user", "ann", "--limit", "-1"], ["list", "--all", "--filter", "x"],
    ):  # fmt: skip
        message = am.failed(3 if "nosuch" in command else 2, *command)
        assert message.count("\n") == 1
        assert "tea" not in message


def test_a_closed_pipe_is_silent(memory, am):
    add(memory, *(f"{n} " + "filler " * 200 for n in range(500)))
    for command in (["list", "--user", "ann", "--limit", "0"], ["export", "--all"], ["users"]):
        for more in ([], ["--json"]):
            process = start("--db", am.path, *command, *more)
            process.stdout.read(1)
            process.stdout.close()
            err = process.stderr.read()
            process.stderr.close()
            process.stdin.close()
            assert process.wait(timeout=60) == 0
            assert b"Traceback" not in err
            assert b"rror" not in err


def test_output_that_cannot_be_written_is_an_error(stored, am):
    for command in map(WORKING.get, ("add", "search", "get", "export", "erase-user", "completion")):
        with FULL.open("wb") as full:
            result = am(
                *command,
                "--dry-run" if "--yes" in command else "-q",
                stdout=full,
                cwd=stored.parent,
            )
        assert result.code == 1, command
        assert "No space left on device" in result.err
        assert result.err.count("\n") == 1
    with FULL.open("wb") as full:
        assert am("list", "--user", "ann", "--json", stdout=full).code == 1


def test_streams_that_are_closed_crash_nothing(stored, am):
    def closed(*numbers: int):
        return {"preexec_fn": lambda: [os.close(number) for number in numbers], "stdin": None}

    assert am("list", "--user", "ann", **closed(1)).code == 1
    assert am("list", "--user", "ann", **closed(0, 1, 2)).code == 1
    silent = am("list", "--user", "nobody", **closed(2))
    assert (silent.code, silent.out) == (0, "")
    assert "empty" in am("add", "-", "--user", "ann", **closed(0)).err
    assert am("erase-user", "ann", **closed(0, 2)).code == 4
    assert am("doctor").code == 0


def test_an_interrupt_ends_with_130(am):
    process = start("--db", am.path, "import", "-")
    process.stdin.write(b'{"user":"ann","text":"x"}\n')
    process.stdin.flush()
    _until_reading(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"error: interrupted\n")
    assert not am.path.exists() or run("--db", am.path, "list", "--all").out == ""


def test_an_interrupt_gives_its_envelope_too(am):
    process = start("--db", am.path, "--json", "import", "-")
    _until_reading(process)
    process.send_signal(signal.SIGINT)
    document = json.loads(process.communicate(timeout=60)[0])
    assert (document["status"], document["exit_code"]) == ("interrupted", 130)


def _until_reading(process: subprocess.Popen) -> None:
    """Waits until the process sleeps on its input."""
    for _ in range(3000):
        if "pipe" in Path(f"/proc/{process.pid}/wchan").read_text():
            return
        time.sleep(0.01)
    raise AssertionError("never read its input")


def test_interrupting_a_question_ends_with_130_and_changes_nothing(stored, am):
    for key, code in (("^C", 130), ("^D", 4)):
        asked = am.at_terminal("erase-user", "ann", answers=(key,))
        assert asked.code == code
        assert "Go ahead?" in asked.out
    assert am.texts("ann") == ["likes tea"]


def test_help_at_a_terminal_is_not_broken_by_a_narrow_one():
    assert at_terminal("--help", columns=20).code == 0
