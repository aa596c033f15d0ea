"""The tables, as DDL with reasons, and how a file gets from one version to the next.

History
  1  first version
"""

from __future__ import annotations

import os

import apsw

from agent_memory_cli.backends.sqlite.files import APPLICATION_ID
from agent_memory_cli.errors import StoreFormatError

VERSION = 1

# The partition of records without a user id; it is there from the beginning.
NOBODY = 1

TABLES = """
-- Facts about the store itself, such as the key under which receipts name people.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value
) WITHOUT ROWID;

-- One row per partition. AUTOINCREMENT: a number is never given out again.
-- records, tokens: how many stand in the partition, for ranking and for counting people.
-- oldest_at: not later than the earliest created_at, so that retention asks this small table only.
CREATE TABLE subject (
  no        INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id   TEXT UNIQUE,
  next_seq  INTEGER NOT NULL DEFAULT 1,
  records   INTEGER NOT NULL DEFAULT 0,
  tokens    INTEGER NOT NULL DEFAULT 0,
  oldest_at INTEGER
);
CREATE INDEX subject_oldest ON subject (oldest_at) WHERE oldest_at IS NOT NULL;
INSERT INTO subject (no) VALUES (1);

-- key = subject.no << 32 | seq: a partition is a range of keys, in the index, too.
-- To meet the index over it, `key >> 32` is compared with a value or with +no: against the column
-- itself SQLite would convert it first, and read every row.
-- Times are microseconds since 1970, UTC. metadata is a JSON object, NULL when empty.
CREATE TABLE record (
  key        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL,
  session_id TEXT,
  agent_id   TEXT,
  text       TEXT NOT NULL,
  metadata   TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER,
  expires_at INTEGER
);
CREATE UNIQUE INDEX record_id ON record (id);
CREATE INDEX record_time ON record (key >> 32, created_at);
CREATE INDEX record_expiry ON record (expires_at) WHERE expires_at IS NOT NULL;

-- Erasures: what receipts are made of. subject is a keyed hash; no text, no id in clear.
CREATE TABLE erasure (
  no          INTEGER PRIMARY KEY AUTOINCREMENT,
  receipt     TEXT NOT NULL UNIQUE,
  subject     TEXT NOT NULL,
  started_at  INTEGER NOT NULL,
  finished_at INTEGER,           -- NULL: unfinished
  deleted     INTEGER NOT NULL,
  report      TEXT               -- JSON, what was verified and what was left
);
CREATE INDEX erasure_subject ON erasure (subject);
"""

# An external-content table: the texts stand once, in record. Stems for Latin scripts.
INDEX = """
CREATE VIRTUAL TABLE record_text USING fts5 (
  text, content='record', content_rowid='key',
  tokenize='porter unicode61 remove_diacritics 2'
);
"""


def has_fts5() -> bool:
    """Whether this build of SQLite can read and write the index."""
    return "ENABLE_FTS5" in apsw.compile_options


def has_index(connection: apsw.Connection) -> bool:
    """Whether this store has an index (one made without FTS5 has none)."""
    query = "SELECT 1 FROM sqlite_schema WHERE name = 'record_text'"
    return connection.execute(query).get is not None


def version(connection: apsw.Connection) -> int:
    """The schema's version, 0 for a file that has none yet. Raises StoreFormatError for a newer."""
    return checked(int(connection.pragma("user_version")))


def checked(found: int) -> int:
    """A schema's version that we know. Raises StoreFormatError for a newer."""
    if found > VERSION:
        raise StoreFormatError(
            f"the store has schema {found}, this version knows {VERSION}; it was left untouched",
            hint="upgrade agent-memory-admin",
        )
    return found


def create(connection: apsw.Connection) -> None:
    """Makes the tables in an empty file, inside the caller's transaction.

    Raises StoreFormatError when there are tables already.
    """
    if connection.execute("SELECT 1 FROM sqlite_schema").get is not None:
        raise StoreFormatError("the database belongs to another program")
    connection.execute(TABLES)
    if has_fts5():
        connection.execute(INDEX)
    connection.execute(
        "INSERT INTO meta (name, value) VALUES ('receipt_key', ?)", (os.urandom(32),)
    )
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", VERSION)
