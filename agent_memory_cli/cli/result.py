"""What a command returns: data for machines, and the same shaped for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["id", "time", "number", "text", "status"]


@dataclass(frozen=True)
class Column:
    """A column: ids are never cut, texts take the room that is left."""

    title: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Table:
    """Rows of plain text. Piped, a row is a line with tabs between."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Result:
    """`data` goes into the JSON envelope; `body` is shown on standard output, `notes` on standard
    error. `status` is `ok`, or the code of an error that was not worth an exception."""

    data: object
    body: Table | str | None = None
    notes: Iterable[str] = ()
    status: str = "ok"
    exit_code: int = 0


@dataclass(frozen=True)
class Written:
    """A command that wrote its own output, envelope included."""

    exit_code: int = 0
    notes: Iterable[str] = ()
