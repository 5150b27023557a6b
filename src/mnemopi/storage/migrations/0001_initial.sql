-- The schema of a bank's file. It equals all of `migrations/` applied in order; a test compares.
-- `bank` stands first in each key, so that the same statements serve a server that holds many banks.

-- One row a version. `retired_at is null` marks the version in force. Times are UTC milliseconds.
CREATE TABLE memory (
  rowkey INTEGER PRIMARY KEY AUTOINCREMENT,
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  retired_at INTEGER,
  valid_until INTEGER,
  scope TEXT NOT NULL,
  session_id TEXT NOT NULL,
  position INTEGER,
  timestamp INTEGER NOT NULL,
  veracity TEXT NOT NULL,
  kind TEXT NOT NULL,
  tier TEXT NOT NULL,
  author_id TEXT,
  author_type TEXT,
  channel_id TEXT,
  source TEXT NOT NULL,
  memory_type TEXT NOT NULL,
  event_start INTEGER,
  event_end INTEGER,
  event_precision TEXT,
  importance REAL NOT NULL,
  trust_tier TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  external_id TEXT,
  superseded_by TEXT,
  hash BLOB,
  metadata TEXT,
  content TEXT NOT NULL,
  embed_text TEXT
);
CREATE UNIQUE INDEX memory_id ON memory (bank, id, version);
CREATE INDEX memory_session ON memory (bank, session_id, position);
CREATE INDEX memory_time ON memory (bank, timestamp);
CREATE INDEX memory_event ON memory (bank, event_start) WHERE event_start IS NOT NULL;
CREATE INDEX memory_hash ON memory (bank, hash) WHERE hash IS NOT NULL AND retired_at IS NULL;
CREATE INDEX memory_external ON memory (bank, external_id) WHERE external_id IS NOT NULL AND retired_at IS NULL;
CREATE INDEX memory_pinned ON memory (bank, pinned) WHERE pinned = 1 AND retired_at IS NULL;
CREATE INDEX memory_global ON memory (bank, scope) WHERE scope = 'global' AND retired_at IS NULL;

-- Who ever wrote here, so that a question is seen to name somebody without reading every memory.
CREATE TABLE author (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (bank, id)
) WITHOUT ROWID;

-- Each further time that a note was stated.
CREATE TABLE occurrence (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  author_id TEXT,
  channel_id TEXT,
  source TEXT NOT NULL,
  PRIMARY KEY (bank, id, seq)
) WITHOUT ROWID;

-- Where a long memory is cut for embedding: character offsets.
CREATE TABLE passage (
  bank TEXT NOT NULL,
  rowkey INTEGER NOT NULL,
  number INTEGER NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  PRIMARY KEY (bank, rowkey, number)
) WITHOUT ROWID;

-- Unit vectors, little-endian float32; `data is null` tells readers that a row's vectors are gone.
CREATE TABLE vector (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  bank TEXT NOT NULL,
  rowkey INTEGER NOT NULL,
  passage INTEGER NOT NULL,
  model TEXT NOT NULL,
  data BLOB
);
CREATE UNIQUE INDEX vector_row ON vector (bank, rowkey, passage, model);

-- How often a memory was handed out.
CREATE TABLE recalled (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  count INTEGER NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (bank, id)
) WITHOUT ROWID;

-- The journal: ids and verbs, never text.
CREATE TABLE event (
  bank TEXT NOT NULL,
  writer TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  verb TEXT NOT NULL,
  memory TEXT,
  version INTEGER,
  actor TEXT,
  reason TEXT,
  PRIMARY KEY (bank, writer, seq)
) WITHOUT ROWID;

-- What was forgotten: the id and a keyed hash, so that loads and rebuilds do not bring it back.
CREATE TABLE tombstone (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  hash BLOB,
  at INTEGER NOT NULL,
  PRIMARY KEY (bank, id)
) WITHOUT ROWID;

CREATE TABLE meta (
  bank TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (bank, name)
) WITHOUT ROWID;

-- Who works on what: a claim ends when it is given back or when its time is over.
CREATE TABLE lease (
  bank TEXT NOT NULL,
  name TEXT NOT NULL,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (bank, name)
) WITHOUT ROWID;

-- The full-text index over the shadow text (one row a version). Terms are split at spaces only.
CREATE VIRTUAL TABLE search USING fts5 (
  body,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'''"
);
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
INSERT INTO search (search, rank) VALUES ('automerge', 16);
CREATE VIRTUAL TABLE search_terms USING fts5vocab (search, row);
