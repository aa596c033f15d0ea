"""Writes the man page and the completions from the command line itself: `make generated`.

With --check it writes nothing, and exits with 1 when a file is stale.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import wrap

from agent_memory_cli._version import __version__
from agent_memory_cli.cli.completions import script
from agent_memory_cli.cli.reference import Command, Option, commands, common_options

# Of the last change of what the manual says.
DATE = "December 1, 2026"
ROOT = Path(__file__).resolve().parent.parent

EXIT_CODES = (
    ("0", "Done. Finding nothing is 0 for search and list."),
    ("1", "Unexpected, or the output could not be written."),
    ("2", "A usage error: an option, an argument, the input or the configuration is wrong."),
    ("3", "Not found, be it the store, the record or the person."),
    ("4", "Refused, since not confirmed, or more than was allowed."),
    ("5", "The store or a package that it needs is not available."),
    ("6", "Incomplete, or the doctor found something."),
    ("7", "Busy, since somebody else held the store for too long."),
    ("130", "Interrupted."),
)
ENVIRONMENT = (
    ("AGENT_MEMORY_DB", "The store's file."),
    ("AGENT_MEMORY_CONFIG", "The configuration file."),
    ("AGENT_MEMORY_BACKEND", "The kind of store."),
    ("AGENT_MEMORY_RETENTION_DAYS", "Days after which records are hidden and deleted."),
    ("AGENT_MEMORY_BUSY_TIMEOUT", "Seconds to wait for others."),
    ("AGENT_MEMORY_EVENTS_FILE", "A file to append events to."),
    ("NO_COLOR", "When set, no colour."),
)


def escaped(text: str) -> str:
    """Text as mdoc takes it: no macro, no escape, hyphens as typed."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def prose(text: str) -> list[str]:
    """Text as lines of the source: each sentence begins one, none is longer than 78 bytes."""
    sentences = re.split(r"(?<=[.:;]) (?=[A-Z])", text)
    return [escaped(line) for sentence in sentences for line in wrap(sentence, 66)]


def item(option: Option) -> list[str]:
    """An option as an entry of a list."""
    value = "" if option.takes is None else f" Ar {option.takes}"
    names = " , ".join(f"Fl {escaped(name[1:])}{value}" for name in option.names)
    return [f".It {names}", *prose(f"{option.help}.")]


def section(command: Command) -> list[str]:
    """A command's own section."""
    arguments = " ".join(
        f"Ar {name}" if required else f"Op Ar {name}" for name, _, required in command.arguments
    )
    lines = [f".It Ic {command.name} {arguments}".rstrip(), *prose(command.summary)]
    if command.details:
        lines += [".Pp", *prose(command.details)]
    own = [option for option in command.options if not option.common]
    if own:
        lines.append(".Bl -tag -width Ds -compact")
        for option in own:
            lines += item(option)
        lines.append(".El")
    return lines


def manual() -> str:
    """The man page, in mdoc."""
    lines = [
        '.\\" Made by scripts/generate.py from the command line itself.',
        f".Dd {DATE}",
        ".Dt AGENT-MEMORY 1",
        ".Os",
        ".Sh NAME",
        ".Nm agent-memory",
        ".Nd administer what AI agents remember about people",
        ".Sh SYNOPSIS",
        ".Nm",
        ".Op Ar options",
        ".Ar command",
        ".Op Ar arguments",
        ".Sh DESCRIPTION",
        *prose(
            "Works on the memory of AI agents: one SQLite file that agents write to and"
            " operators search, export, purge, erase from and check."
            " Scope is given by options and never guessed; ids are compared exactly."
            " Data goes to standard output, everything else to standard error."
        ),
        ".Pp",
        f"This page describes version {__version__}.",
        ".Pp",
        "The following options may stand before or after the command:",
        ".Bl -tag -width Ds",
    ]
    for option in common_options():
        lines += item(option)
    lines += [".El", ".Sh COMMANDS"]
    panel = ""
    for command in commands():
        if command.panel != panel:
            if panel:
                lines.append(".El")
            panel = command.panel
            lines += [f".Ss {panel}", ".Bl -tag -width Ds"]
        lines += section(command)
    lines += [".El", ".Sh ENVIRONMENT", ".Bl -tag -width Ds"]
    for name, what in ENVIRONMENT:
        lines += [f".It Ev {name}", *prose(what)]
    lines += [
        ".El",
        ".Pp",
        *prose(
            "An option goes before the environment, the environment before the"
            " configuration file; an empty variable counts as unset."
        ),
        ".Sh FILES",
        ".Bl -tag -width Ds",
        ".It Pa ~/.config/agent\\-memory/config.toml",
        *prose(
            "The configuration in TOML, with the keys db, backend, retention_days,"
            " busy_timeout and events_file."
        ),
        ".It Pa ~/.local/share/agent\\-memory/memory.db",
        "The store, when none is named.",
        ".El",
        ".Sh EXIT STATUS",
        ".Bl -tag -width Ds",
    ]
    for code, what in EXIT_CODES:
        lines += [f".It {code}", *prose(what)]
    lines += [
        ".El",
        ".Sh EXAMPLES",
        "Answer a request for information, then one for erasure:",
        ".Bd -literal -offset indent",
        "agent\\-memory export \\-\\-user ann \\-\\-out ann.jsonl \\-\\-manifest",
        "agent\\-memory erase\\-user ann \\-\\-receipt ann\\-receipt.json",
        ".Ed",
        ".Pp",
        "Delete every night what is past its time:",
        ".Bd -literal -offset indent",
        "agent\\-memory \\-\\-quiet purge \\-\\-yes",
        ".Ed",
    ]
    return "\n".join(lines) + "\n"


def generated() -> dict[Path, str]:
    """Every made file with what it should hold."""
    return {
        ROOT / "man" / "agent-memory.1": manual(),
        ROOT / "completions" / "agent-memory.bash": script("bash"),
        ROOT / "completions" / "_agent-memory": script("zsh"),
        ROOT / "completions" / "agent-memory.fish": script("fish"),
    }


def main() -> int:
    stale = [path for path, text in generated().items() if _read(path) != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"stale: {path.relative_to(ROOT)} (run: make generated)")
        return bool(stale)
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(generated()[path], encoding="utf-8")
        print(f"written: {path.relative_to(ROOT)}")
    return 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
