"""Runs the installed command as a process of its own: piped, or at a pseudo-terminal."""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from pathlib import Path

COMMAND = Path(sys.executable).with_name("agent-memory")
PROMPT = b"[y/N] "
PATIENCE = 60
ENVELOPE = {"schema", "command", "status", "exit_code", "data", "errors"}


@dataclass(frozen=True)
class Run:
    """What a process left: its exit code and what it wrote."""

    code: int
    stdout: bytes
    stderr: bytes = b""

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode(errors="backslashreplace")

    @property
    def lines(self) -> list[str]:
        return self.out.split("\n")[:-1]

    @property
    def json(self) -> dict:
        """The envelope; strict JSON in one line without a byte that a terminal would act on."""
        assert self.stdout.endswith(b"\n")
        assert not any(byte < 0x20 or byte == 0x7F for byte in self.stdout[:-1]), self.stdout
        document = json.loads(self.out, parse_constant=_no_constant)
        assert document.keys() == ENVELOPE
        assert document["exit_code"] == self.code
        assert (document["status"] == "ok") == (self.code == 0)
        return document

    @property
    def data(self):
        return self.json["data"]


def _no_constant(name: str):
    raise AssertionError(f"{name} is not JSON")


def run(
    *arguments: str | bytes | Path,
    stdin: bytes | str | int | None = b"",
    env: dict[str, str | None] | None = None,
    whole_env: dict[str, str] | None = None,
    command: str | Path = COMMAND,
    **options,
) -> Run:
    """Runs the command to its end. `env` changes the environment (None unsets a variable)."""
    process = start(
        *arguments, stdin=stdin, env=env, whole_env=whole_env, command=command, **options
    )
    given = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = process.communicate(
        given if isinstance(given, bytes) and process.stdin else None, timeout=PATIENCE
    )
    return _checked(Run(process.returncode, out or b"", err or b""))


def start(
    *arguments: str | bytes | Path,
    stdin: bytes | str | int | None = b"",
    env: dict[str, str | None] | None = None,
    whole_env: dict[str, str] | None = None,
    command: str | Path = COMMAND,
    **options,
) -> subprocess.Popen:
    """Starts the command and leaves it running."""
    assert COMMAND.exists(), f"{COMMAND} is missing: install the package beside {sys.executable}"
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen(
        [os.fspath(command), *map(os.fspath, arguments)],
        stdin=subprocess.PIPE if isinstance(stdin, (bytes, str)) else stdin,
        env=_environment(env) if whole_env is None else whole_env,
        **options,
    )


def at_terminal(
    *arguments: str | bytes | Path,
    answers: tuple[str, ...] = (),
    env: dict[str, str | None] | None = None,
    columns: int = 80,
) -> Run:
    """Runs the command at a pseudo-terminal of its own, and gives the answers when it asks.

    Both output streams are on the screen, so both stand in `stdout`, with CRLF as LF. An answer
    of ^C or ^D is a key pressed.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = start(
        *arguments,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"TERM": "xterm-256color", "COLUMNS": None, **(env or {})},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    screen, waiting, asked = b"", list(answers), 0
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 1)[0]:
            continue
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        screen += data
        if screen.count(PROMPT) > asked and waiting:
            asked += 1
            answer = waiting.pop(0)
            keys = {"^C": b"\x03", "^D": b"\x04"}.get(answer, answer.encode() + b"\n")
            os.write(ours, keys)
    os.close(ours)
    code = process.wait(timeout=PATIENCE)
    assert not waiting, f"never asked: {screen!r}"
    return _checked(Run(code, screen.replace(b"\r\n", b"\n")))


def _environment(changes: dict[str, str | None] | None) -> dict[str, str]:
    environment = {**os.environ, **(changes or {})}
    return {name: value for name, value in environment.items() if value is not None}


def _checked(result: Run) -> Run:
    """No run, whatever it was given, may end in a traceback or show SQL."""
    everything = result.stdout + result.stderr
    assert b"Traceback" not in everything, everything.decode(errors="replace")
    assert b"unexpected: " not in everything, everything.decode(errors="replace")
    return result


class Tool:
    """The command for one store."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, *arguments: str | bytes | Path, **options) -> Run:
        return run("--db", self.path, *arguments, **options)

    def ok(self, *arguments: str | bytes | Path, **options) -> Run:
        """A run that must succeed."""
        result = self(*arguments, **options)
        assert result.code == 0, (result.code, result.stdout, result.stderr)
        return result

    def json(self, *arguments: str | bytes | Path, code: int = 0, **options):
        """The data of a run with --json that must end with that code."""
        result = self("--json", *arguments, **options)
        assert result.code == code, (result.code, result.stdout, result.stderr)
        return result.data

    def failed(self, code: int, *arguments: str | bytes | Path, **options) -> str:
        """The one line of a run that must end with that code and give no data."""
        result = self(*arguments, **options)
        assert result.code == code, (result.code, result.stdout, result.stderr)
        assert result.stdout == b""
        assert result.err.startswith("error: ")
        assert result.err.endswith("\n")
        return result.err

    def at_terminal(self, *arguments: str | bytes | Path, **options) -> Run:
        return at_terminal("--db", self.path, *arguments, **options)

    def texts(self, user: str) -> list[str]:
        """What the store still shows of a user, newest first."""
        listed = self.json("list", "--user", user, "--limit", "0")
        return [record["text"] for record in listed["records"]]


def jsonl(*records: dict) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
