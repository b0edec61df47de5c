-- The runs of hosts, each held by one process at a time. The user is NULL for a run on nobody's behalf. Times are
-- nanoseconds since 1970.
CREATE TABLE runs (
    id      TEXT NOT NULL PRIMARY KEY,
    user    TEXT,
    holder  TEXT NOT NULL,
    until   INTEGER NOT NULL,
    charged INTEGER NOT NULL,
    state   TEXT NOT NULL
) STRICT;

CREATE INDEX runs_open ON runs (id) WHERE state = 'open';

-- What was called, by digests and sizes, and what became of it: the outcome is NULL until the step is settled. The parts of
-- its timing are nanoseconds.
CREATE TABLE steps (
    id             INTEGER PRIMARY KEY,
    run            TEXT NOT NULL REFERENCES runs (id),
    server         TEXT NOT NULL,
    tool           TEXT NOT NULL,
    definition     TEXT,
    arguments      TEXT NOT NULL,
    argument_bytes INTEGER NOT NULL,
    state          TEXT NOT NULL,
    status         TEXT,
    delivery       TEXT,
    kind           TEXT,
    result         TEXT,
    result_bytes   INTEGER,
    is_error       INTEGER,
    time_start     INTEGER,
    time_queue     INTEGER,
    time_resolve   INTEGER,
    time_connect   INTEGER,
    time_tls       INTEGER,
    time_credential INTEGER,
    time_send      INTEGER,
    time_first_byte INTEGER,
    time_body      INTEGER,
    time_decode    INTEGER
) STRICT;

CREATE INDEX steps_stamped ON steps (run, id) WHERE state = 'stamped';

-- What happened to runs and steps, in order, each bound to all before it by its hash. Each event has the columns that it
-- needs; the others are NULL.
CREATE TABLE entries (
    seq            INTEGER PRIMARY KEY,
    at             INTEGER NOT NULL,
    run            TEXT NOT NULL,
    event          TEXT NOT NULL,
    step           INTEGER,
    user           TEXT,
    holder         TEXT,
    until          INTEGER,
    server         TEXT,
    tool           TEXT,
    definition     TEXT,
    arguments      TEXT,
    argument_bytes INTEGER,
    status         TEXT,
    delivery       TEXT,
    kind           TEXT,
    result         TEXT,
    result_bytes   INTEGER,
    is_error       INTEGER,
    time_start     INTEGER,
    time_queue     INTEGER,
    time_resolve   INTEGER,
    time_connect   INTEGER,
    time_tls       INTEGER,
    time_credential INTEGER,
    time_send      INTEGER,
    time_first_byte INTEGER,
    time_body      INTEGER,
    time_decode    INTEGER,
    ended          TEXT,
    hash           TEXT NOT NULL
) STRICT;

-- Entries are only ever added, each after the last. This keeps a mistake out, and nobody who can write the file.
CREATE TRIGGER entries_are_added_in_order BEFORE INSERT ON entries
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM entries)
BEGIN
    SELECT RAISE(ABORT, 'an entry is added after the last');
END;

CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries
BEGIN
    SELECT RAISE(ABORT, 'an entry is not changed');
END;

CREATE TRIGGER entries_are_not_deleted BEFORE DELETE ON entries
BEGIN
    SELECT RAISE(ABORT, 'an entry is not deleted');
END;

-- The number of the last entry and its hash, which is NULL before the first.
ALTER TABLE meta ADD COLUMN ledger_entries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN ledger_head TEXT;

-- What the gate refused, and nothing else.
CREATE TABLE denials (
    id     INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    server TEXT NOT NULL,
    tool   TEXT NOT NULL,
    run    TEXT NOT NULL,
    user   TEXT,
    reason TEXT NOT NULL
) STRICT;

-- What calls wait for a person's word on. The word is NULL until it is said. Without a local name and a definition the call
-- is outside the catalogue. An id is never given again.
CREATE TABLE approvals (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    server     TEXT NOT NULL,
    url        TEXT NOT NULL,
    tool       TEXT NOT NULL,
    local_name TEXT,
    definition TEXT,
    arguments  TEXT NOT NULL,
    word       TEXT,
    CHECK ((local_name IS NULL) = (definition IS NULL))
) STRICT;

CREATE UNIQUE INDEX approvals_subjects ON approvals
    (server, url, tool, coalesce(local_name, ''), coalesce(definition, ''), arguments);
