-- The schema of the agent layer's file: work that waits, past sessions and what came of them. It holds no bank.

-- Work to be done, each once: what is wanted of it (a number that grows), and what is done. It is claimed for a time.
CREATE TABLE job (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  scope TEXT NOT NULL,
  status TEXT NOT NULL,
  wanted INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  claimed INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  token TEXT,
  worker TEXT,
  lease_until INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE UNIQUE INDEX job_token ON job (token) WHERE token IS NOT NULL;

-- Session files of hosts that were seen: whose they are, so that each is looked into again only when it changes.
CREATE TABLE past_session (
  path TEXT NOT NULL PRIMARY KEY,
  session TEXT NOT NULL,
  scope TEXT NOT NULL,
  cwd TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  size INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX past_session_scope ON past_session (scope, changed_at);

-- What came of a session: its summary, and what is worth keeping of it. `taken` says that the documents hold it.
CREATE TABLE account (
  session TEXT NOT NULL PRIMARY KEY,
  scope TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  method TEXT NOT NULL,
  slug TEXT,
  summary TEXT NOT NULL,
  memory TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  taken INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX account_scope ON account (scope, changed_at);

-- What came of a part of a long session, by a digest of the part, so that none is read twice.
CREATE TABLE piece (
  session TEXT NOT NULL,
  digest TEXT NOT NULL,
  notes TEXT NOT NULL,
  PRIMARY KEY (session, digest)
) WITHOUT ROWID;

-- A project: since when its memory was cleared (0: never); what is older is not read again.
CREATE TABLE project (
  scope TEXT NOT NULL PRIMARY KEY,
  cleared_at INTEGER NOT NULL
) WITHOUT ROWID;

-- What was put before the model of a session, which stays the same to the byte while the session lasts.
CREATE TABLE prefix (
  host TEXT NOT NULL,
  session TEXT NOT NULL,
  scope TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (host, session, scope)
) WITHOUT ROWID;

-- What was spent on a language model, as in a bank.
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
