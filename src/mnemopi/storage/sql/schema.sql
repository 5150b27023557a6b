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

-- What was said of a subject, once a statement: the evidence that facts are derived from.
-- `verb`: assert, end (it stopped holding) or prefer (a person settled it). `memory` is the source, null for a person's.
-- `at` is when we knew; from `withdrawn_at` on its source does not say it any more.
CREATE TABLE assertion (
  rowkey INTEGER PRIMARY KEY AUTOINCREMENT,
  bank TEXT NOT NULL,
  slot TEXT NOT NULL,
  verb TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  predicate TEXT NOT NULL,
  object TEXT NOT NULL,
  object_key TEXT NOT NULL,
  at INTEGER NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  confidence REAL NOT NULL,
  veracity TEXT NOT NULL,
  scope TEXT NOT NULL,
  session_id TEXT NOT NULL,
  channel_id TEXT,
  author_id TEXT,
  memory TEXT,
  version INTEGER,
  start INTEGER,
  stop INTEGER,
  origin TEXT NOT NULL,
  withdrawn_at INTEGER
);
CREATE INDEX assertion_slot ON assertion (bank, slot);
CREATE INDEX assertion_memory ON assertion (bank, memory) WHERE memory IS NOT NULL;

-- What holds: derived from assertions, one row a version. Valid time is when it was so, recorded time when we knew.
CREATE TABLE fact (
  rowkey INTEGER PRIMARY KEY AUTOINCREMENT,
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  retired_at INTEGER,
  slot TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  subject_key TEXT NOT NULL,
  predicate TEXT NOT NULL,
  object TEXT NOT NULL,
  object_key TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  belief REAL NOT NULL,
  veracity TEXT NOT NULL,
  contested INTEGER NOT NULL,
  superseded_by TEXT,
  scope TEXT NOT NULL,
  session_id TEXT NOT NULL,
  channel_id TEXT,
  sources TEXT NOT NULL
);
CREATE UNIQUE INDEX fact_id ON fact (bank, id, version);
CREATE INDEX fact_slot ON fact (bank, slot);
CREATE INDEX fact_subject ON fact (bank, subject_key) WHERE retired_at IS NULL;
CREATE INDEX fact_contested ON fact (bank, contested) WHERE contested = 1 AND retired_at IS NULL;

-- What a text mentions: entities, aliases, event dates.
CREATE TABLE annotation (
  bank TEXT NOT NULL,
  memory TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  value_key TEXT NOT NULL,
  source TEXT NOT NULL,
  confidence REAL NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (bank, memory, kind, value_key)
) WITHOUT ROWID;
CREATE INDEX annotation_value ON annotation (bank, value_key, kind);

-- Typed links between memories, with what speaks for them.
CREATE TABLE edge (
  bank TEXT NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  type TEXT NOT NULL,
  weight REAL NOT NULL,
  evidence TEXT NOT NULL,
  origin TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (bank, source, target, type)
) WITHOUT ROWID;
CREATE INDEX edge_target ON edge (bank, target);

-- Which memories an episode sums up, at which version.
CREATE TABLE citation (
  bank TEXT NOT NULL,
  episode TEXT NOT NULL,
  memory TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (bank, episode, memory)
) WITHOUT ROWID;
CREATE INDEX citation_memory ON citation (bank, memory);

-- The scratchpad: notes of a session, not memories.
CREATE TABLE note (
  bank TEXT NOT NULL,
  session_id TEXT NOT NULL,
  id TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (bank, session_id, id)
) WITHOUT ROWID;

-- What was spent on an LLM: calls and tokens, by task.
CREATE TABLE spending (
  bank TEXT NOT NULL,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  task TEXT NOT NULL,
  model TEXT NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  PRIMARY KEY (bank, at, id)
) WITHOUT ROWID;

-- What a language model is to read, or has read: once a memory. `said` is the part that users said (null: all of it),
-- `mark` the extractor that read it to its end, `reached` how far one came, `due` when it may be tried again.
CREATE TABLE reading (
  bank TEXT NOT NULL,
  memory TEXT NOT NULL,
  said TEXT,
  mark TEXT,
  version INTEGER,
  reached INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  due INTEGER NOT NULL,
  PRIMARY KEY (bank, memory)
) WITHOUT ROWID;
CREATE INDEX reading_due ON reading (bank, due) WHERE mark IS NULL;

-- Memories that were written many at once, whose claims rules have yet to read: `said` is the part that users said
-- (null: all of it).
CREATE TABLE unclaimed (
  seq INTEGER PRIMARY KEY,
  bank TEXT NOT NULL,
  memory TEXT NOT NULL,
  said TEXT
);
CREATE INDEX unclaimed_memory ON unclaimed (bank, memory);

-- The full-text index over the shadow text (one row a version). Terms are split at spaces only.
CREATE VIRTUAL TABLE search USING fts5 (
  body,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'''"
);
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
INSERT INTO search (search, rank) VALUES ('automerge', 16);
CREATE VIRTUAL TABLE search_terms USING fts5vocab (search, row);

-- The full-text index over facts, like the one over memories.
CREATE VIRTUAL TABLE fact_search USING fts5 (
  body,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'''"
);
INSERT INTO fact_search (fact_search, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE fact_terms USING fts5vocab (fact_search, row);
