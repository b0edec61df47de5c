-- What an operator configured. A bound is in bytes or a count, a time in nanoseconds; class is NULL until somebody says it.
CREATE TABLE servers (
    name                   TEXT NOT NULL PRIMARY KEY,
    url                    TEXT,
    class                  TEXT,
    approval               TEXT NOT NULL,
    switch                 TEXT NOT NULL,
    tool_group             TEXT NOT NULL,
    budget                 INTEGER NOT NULL,
    walk_pages             INTEGER NOT NULL,
    walk_tools             INTEGER NOT NULL,
    walk_bytes             INTEGER NOT NULL,
    reply_body_bytes       INTEGER NOT NULL,
    reply_depth            INTEGER NOT NULL,
    reply_events           INTEGER NOT NULL,
    reply_line_bytes       INTEGER NOT NULL,
    reply_event_bytes      INTEGER NOT NULL,
    reply_error_body_bytes INTEGER NOT NULL
) STRICT;

-- References to secrets, never secrets. Without a header it is a bearer credential.
CREATE TABLE credentials (
    server    TEXT NOT NULL REFERENCES servers (name) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    reference TEXT NOT NULL,
    header    TEXT,
    PRIMARY KEY (server, position)
) STRICT;

-- What servers offered, and the operator's word on it. Times are nanoseconds since 1970.
CREATE TABLE tools (
    server             TEXT NOT NULL REFERENCES servers (name) ON DELETE CASCADE,
    remote_name        TEXT NOT NULL,
    local_name         TEXT NOT NULL UNIQUE,
    title              TEXT,
    description        TEXT,
    input_schema       TEXT NOT NULL,
    output_schema      TEXT,
    annotations        TEXT,
    fingerprint        TEXT NOT NULL,
    schema_fingerprint TEXT NOT NULL,
    standing           TEXT NOT NULL,
    confirmed          TEXT,
    orphaned_since     INTEGER,
    first_seen         INTEGER NOT NULL,
    last_seen          INTEGER NOT NULL,
    PRIMARY KEY (server, remote_name)
) STRICT;

-- How imports went: the last success, and a failure after it.
CREATE TABLE imports (
    server         TEXT NOT NULL PRIMARY KEY REFERENCES servers (name) ON DELETE CASCADE,
    succeeded_at   INTEGER,
    failed_at      INTEGER,
    failure_reason TEXT,
    CHECK ((failed_at IS NULL) = (failure_reason IS NULL))
) STRICT;

-- What the last success set aside.
CREATE TABLE set_aside (
    server   TEXT NOT NULL REFERENCES imports (server) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name     TEXT,
    reason   TEXT NOT NULL,
    PRIMARY KEY (server, position)
) STRICT;

-- The last contact, also with a server that has no record.
CREATE TABLE contacts (
    server  TEXT NOT NULL PRIMARY KEY,
    at      INTEGER NOT NULL,
    latency INTEGER NOT NULL
) STRICT;

-- One row.
CREATE TABLE meta (
    only       INTEGER PRIMARY KEY CHECK (only = 1),
    generation INTEGER NOT NULL
) STRICT;

INSERT INTO meta (only, generation) VALUES (1, 0);
